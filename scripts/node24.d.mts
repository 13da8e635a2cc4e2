export function isNewEnough(version: string): boolean;
export function node24(): Promise<string>;
