export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly zombie: boolean;
  readonly command: string;
}
export function processes(): Process[];
export function groupRuns(group: number): boolean;
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean;
