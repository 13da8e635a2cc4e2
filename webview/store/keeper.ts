// Writes the panel's state down for the next one: at once when something happened, a moment later while somebody types.

export interface Keeper {
  /** Writes what is to be kept now. */
  now(): void;
  /** Writes it within the pause; what comes in between is written with it. */
  soon(): void;
  /** Writes what still waits to be written. */
  flush(): void;
}

/**
 * @param write keeps the state as it is when it is called
 * @param pause in milliseconds
 */
export function createKeeper(write: () => void, pause: number): Keeper {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const now = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    write();
  };
  return {
    now,
    soon: () => {
      timer ??= setTimeout(now, pause);
    },
    flush: () => {
      if (timer !== null) now();
    },
  };
}
