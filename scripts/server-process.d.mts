export interface ServerFolders {
  readonly temporary: string;
  readonly server: string;
  readonly user: string;
  readonly extensions: string;
}
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  output(): string;
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}
export function serverFolders(base: string): ServerFolders;
export function startServer(options: {
  readonly base: string;
  readonly token: string;
  readonly port: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
}): Promise<RunningServer>;
export function installExtensions(base: string, packages: readonly string[]): Promise<void>;
