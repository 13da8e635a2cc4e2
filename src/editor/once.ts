// Something that is made when it is first asked for, and then kept.

export interface Once<Value> {
  /** One that failed to be made is made again for the next who asks. */
  get(): Promise<Value>;
  /** Lets the next who asks get another. */
  forget(): void;
}

export function once<Value>(make: () => Promise<Value>): Once<Value> {
  let made: Promise<Value> | null = null;
  const forget = (which: Promise<Value> | null): void => {
    if (made === which) made = null;
  };
  return {
    get: () => {
      if (made !== null) return made;
      const making = make();
      made = making;
      making.catch(() => forget(making));
      return making;
    },
    forget: () => forget(made),
  };
}
