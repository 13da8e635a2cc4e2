export function cached(name: string, make: (directory: string) => Promise<void>, cache?: string): Promise<string>;
