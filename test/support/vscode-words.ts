// What a unit test needs of `vscode`: words as they are written in the source. Everything else is proved in a real host.
type Values = Readonly<Record<string, string | number>>;

export const l10n = {
  t: (text: string, values: Values = {}): string =>
    text.replaceAll(/\{(\w+)\}/g, (hole, name: string) => String(values[name] ?? hole)),
};

export const workspace = { isTrusted: true };
