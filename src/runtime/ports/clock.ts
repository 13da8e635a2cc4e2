// Where the runtime gets its time from. A port, so that tests move time by hand and never sleep.

export interface Clock {
  /** Wall clock: milliseconds since the epoch. For time stamps only; it may jump. */
  now(): number;
  /** Milliseconds that never go back. For durations and deadlines. */
  elapsed(): number;
  /**
   * Calls `callback` once, `milliseconds` (0 … 2147483647) from now.
   * @returns a timer; disposing it before it fires keeps the callback from being called.
   */
  after(milliseconds: number, callback: () => void): Disposable;
}
