export function npm(args: readonly string[], options: { readonly node: string; readonly cwd: string }): Promise<string>;
