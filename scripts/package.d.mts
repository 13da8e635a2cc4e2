export function ensurePackaged(): Promise<{ file: string; digest: string }>;
export function packagedFiles(): Promise<string[]>;
