// Many signals in one turn of the event loop become one call.

export interface CoalescedCall extends Disposable {
  /** Asks for a call after the current turn; a call already asked for is enough. */
  raise(): void;
}

/** @param listener - called once for all `raise()` of a turn, never inside one, never after disposal. */
export function coalesced(listener: () => void): CoalescedCall {
  let asked = false;
  let open = true;
  return {
    raise() {
      if (asked || !open) return;
      asked = true;
      setImmediate(() => {
        asked = false;
        if (open) listener();
      });
    },
    [Symbol.dispose]() {
      open = false;
    },
  };
}
