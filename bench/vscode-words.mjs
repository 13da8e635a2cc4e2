// What the panel's pictures need of VS Code, for a bench without an editor: their words, and a trusted folder.
export const l10n = {
  t: (text, values = {}) => text.replaceAll(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole)),
};
export const workspace = { isTrusted: true };
