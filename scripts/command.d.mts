interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}
export function capture(
  file: string,
  args: readonly string[],
  options?: CommandOptions,
): Promise<{ code: number; output: string }>;
export function run(file: string, args: readonly string[], options?: CommandOptions): Promise<string>;
