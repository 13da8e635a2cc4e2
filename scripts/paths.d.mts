export const root: string;
export const cacheRoot: string;
export const dataRoot: string;
