// The executor's fold of a stored run, whatever the run was and however it is read.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.js';
import { GraphExecutionError } from '../../src/runtime/executor-error.js';
import type { DomainEventEnvelope } from '../../src/storage/port.js';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.js';
import { foldOver, historyOf, numbered } from '../support/run-histories.js';

const choices = fc.array(fc.nat(200), { minLength: 1, maxLength: 14 });
const history = choices.map(historyOf);

async function seenAfter(events: readonly DomainEventEnvelope[]) {
  const fold = foldOver(events);
  await fold.refresh();
  return { revision: fold.revision, open: fold.openTurns, commands: fold.decide() };
}

/** The code with which a record is refused, `whole` when it is not. */
async function verdict(events: readonly DomainEventEnvelope[]): Promise<string> {
  try {
    await foldOver(events).refresh();
    return 'whole';
  } catch (error) {
    if (error instanceof GraphExecutionError) return error.code;
    throw error;
  }
}

describe('the fold of a run', () => {
  test('accepts every history that the rules allow, and these differ', async () => {
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(history, async (events) => {
        const { commands } = await seenAfter(events);
        ends.add(commands[0]?.kind ?? 'waiting');
      }),
      { numRuns: fuzzRuns(200), seed: fuzzSeed(7) },
    );
    expect([...ends].sort()).toEqual(['complete', 'dispatch', 'fail', 'pause', 'waiting']);
  });

  test('is the same however the reading was split', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.array(fc.nat(60), { maxLength: 6 }), async (events, cuts) => {
        const stored: DomainEventEnvelope[] = [];
        const fold = foldOver(stored);
        for (const cut of [...cuts, events.length].sort((a, b) => a - b)) {
          stored.push(...events.slice(stored.length, cut));
          await fold.refresh();
          // What is asked in between must not change what comes after.
          fold.decide();
        }
        const split = { revision: fold.revision, open: fold.openTurns, commands: fold.decide() };
        expect(split).toEqual(await seenAfter(events));
      }),
    );
  });

  test('takes the dispatches of one decision only one right after the other, and in their order', async () => {
    const [start, ana, ben, started] = historyOf([4, 4]);
    const order = (...events: (DomainEventEnvelope | undefined)[]) =>
      verdict(numbered(events.flatMap((event) => event ?? [])));
    expect(await order(start, ana, ben, started)).toBe('whole');
    expect(await order(start, ana, started, ben)).toBe('INVALID_EVENT');
    expect(await order(start, ben, ana, started)).toBe('INVALID_EVENT');
  });

  test('of events in any order, some lost, some twice, is a fold or INVALID_EVENT', async () => {
    const seen = new Set<string>();
    const shuffled = history.chain((events) =>
      fc.array(fc.constantFrom(...events), { maxLength: events.length + 3 }).map((some) => numbered(some)),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, async (events) => void seen.add(await verdict(events))),
      { numRuns: fuzzRuns(500) },
    );
    expect([...seen].sort()).toEqual(['INVALID_EVENT', 'whole']);
  });

  test('of a history in which two events changed places is a fold or INVALID_EVENT', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(history, fc.nat(), async (events, at) => {
        const first = 1 + (at % Math.max(1, events.length - 2));
        const swapped = [
          ...events.slice(0, first),
          ...events.slice(first, first + 2).reverse(),
          ...events.slice(first + 2),
        ];
        seen.add(await verdict(numbered(swapped)));
      }),
      { numRuns: fuzzRuns(500) },
    );
    expect([...seen].sort()).toEqual(['INVALID_EVENT', 'whole']);
  });

  test('of events with any payload is a fold or INVALID_EVENT', async () => {
    const garbled = fc
      .tuple(history, fc.nat(), fc.oneof(fc.jsonValue(), fc.constantFrom<JsonValue>(null, {}, [], '')))
      .map(([events, at, payload]) =>
        events.map((event, index) =>
          index === at % events.length ? { ...event, payload: payload as JsonValue } : event,
        ),
      );
    await fc.assert(
      fc.asyncProperty(garbled, async (events) => {
        expect(['INVALID_EVENT', 'whole']).toContain(await verdict(events));
      }),
      { numRuns: fuzzRuns(300) },
    );
  });

  test('of events with one field changed is a fold or INVALID_EVENT', async () => {
    const bent = fc
      .tuple(history, fc.nat(), fc.nat(), fc.constantFrom<JsonValue>(null, '', 0, 1, 'team/ana/1', 'ben', {}, []))
      .map(([events, at, field, value]) =>
        events.map((event, index) => {
          if (index !== at % events.length) return event;
          const fields = Object.entries(event.payload ?? {});
          const place = fields.length === 0 ? 0 : field % fields.length;
          const payload = Object.fromEntries(fields.map(([key, old], i) => [key, i === place ? value : old]));
          return { ...event, payload };
        }),
      );
    await fc.assert(
      fc.asyncProperty(bent, async (events) => {
        expect(['INVALID_EVENT', 'whole']).toContain(await verdict(events));
      }),
      { numRuns: fuzzRuns(500) },
    );
  });
});
