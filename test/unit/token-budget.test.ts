// Tokens that several turns share.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTokenBudget } from '../../src/runtime/token-budget.js';

describe('a token budget', () => {
  test('gives out what it has and no more; what was not used comes back', () => {
    const budget = createTokenBudget(10);
    const first = budget.reserve(6);
    expect(budget.left).toBe(4);
    expect(() => budget.reserve(5)).toThrow(RangeError);
    first.commit(2);
    expect(budget.left).toBe(8);
    budget.reserve(8).release();
    expect(budget.left).toBe(8);
  });

  test('books an overrun, and has nothing left then', () => {
    const budget = createTokenBudget(10);
    budget.reserve(5).commit(12);
    expect(budget.left).toBe(0);
    expect(() => budget.reserve(1)).toThrow(RangeError);
  });

  test('is closed by a use that nobody knows', () => {
    const budget = createTokenBudget(10);
    budget.reserve(1).commit(null);
    expect(budget.left).toBeNull();
    expect(() => budget.reserve(1)).toThrow(/did not say/);
  });

  test('a reservation ends once', () => {
    const budget = createTokenBudget(10);
    const reservation = budget.reserve(4);
    reservation.commit(3);
    reservation.commit(3);
    reservation.release();
    expect(budget.left).toBe(7);
  });

  test('a child takes from its parent, and neither gives more than it has', () => {
    const parent = createTokenBudget(10);
    const child = parent.child(6);
    const held = parent.reserve(7);
    expect(() => child.reserve(4)).toThrow(RangeError);
    // A refusal above leaves nothing reserved below.
    expect(child.left).toBe(6);
    held.release();
    child.reserve(4).commit(4);
    expect([child.left, parent.left]).toEqual([2, 6]);
    expect(() => child.reserve(3)).toThrow(RangeError);
    child.reserve(1).commit(null);
    expect(parent.left).toBeNull();
  });

  test.each([0, -1, 1.5, Number.NaN])('%s tokens are no budget and no reservation', (tokens) => {
    expect(() => createTokenBudget(tokens)).toThrow(RangeError);
    expect(() => createTokenBudget(5).reserve(tokens)).toThrow(RangeError);
  });

  test('whatever is reserved and used within it, it is never overdrawn', () => {
    const step = fc.record({ tokens: fc.integer({ min: 1, max: 9 }), used: fc.nat(9), end: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step), (total, steps) => {
        const budget = createTokenBudget(total);
        let spent = 0;
        let held = 0;
        for (const { tokens, used, end } of steps) {
          if (tokens > (budget.left ?? 0)) {
            expect(() => budget.reserve(tokens)).toThrow(RangeError);
            continue;
          }
          const reservation = budget.reserve(tokens);
          const use = Math.min(used, tokens);
          if (end) reservation.commit(use);
          if (end) spent += use;
          else held += tokens;
          expect(budget.left).toBe(total - spent - held);
          expect(spent + held).toBeLessThanOrEqual(total);
        }
      }),
    );
  });
});
