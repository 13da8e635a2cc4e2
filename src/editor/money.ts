// Amounts of US dollars for the person: cents as usual, and of small ones enough digits to tell them apart.

/** @param amount - US dollars, finite. */
export function dollars(amount: number): string {
  const cents = amount.toFixed(2);
  if (amount === 0 || amount >= 1) return `$${cents}`;
  // Six digits are a dollar per million tokens; what sums of floating point leave behind them is no money.
  const exact = amount.toFixed(6).replace(/0+$/, '');
  return `$${exact.length > cents.length ? exact : cents}`;
}
