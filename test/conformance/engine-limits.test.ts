// How long an engine may take, and how many tokens it may use.
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import type { TokenBudget } from '../../src/runtime/ports/binding.js';
import { GraphEngineError, type GraphEngineReply } from '../../src/runtime/ports/graph-engine.js';
import {
  answers,
  fails,
  identity,
  laneRun,
  PlayedEngine,
  PRIMARY,
  SECOND,
  type LaneOptions,
  type LaneRun,
  type Play,
} from './engine-fixture.js';
import { codeOf, ManualClock, never, runLab, STORES } from './run-fixture.js';

const DONE: JsonValue = { summary: 'Done.' };
const REPLY: GraphEngineReply = { parts: [DONE], effective: identity(PRIMARY), tokens: 10 };

const receipts = async (run: LaneRun) =>
  (await run.events()).filter(({ type }) => type === 'graph:engine-attempt-recorded').map(({ payload }) => payload);

/** `node-completed`, or the code of the failure with which the run ended. */
async function endOf(run: LaneRun): Promise<JsonValue> {
  const last = (await run.events()).at(-1);
  return (last?.payload as JsonObject)['code'] ?? last?.type.replace('graph:', '') ?? null;
}

describe.each(STORES)('limits of engine lanes on %s', (store) => {
  describe('time', () => {
    const policy = { timeoutMs: 100, teardownGraceMs: 50 };

    test.each<[string, (clock: ManualClock) => Promise<GraphEngineReply>, string]>([
      [
        'an answer after the soft limit is accepted',
        async (clock) => {
          clock.advance(149);
          return REPLY;
        },
        'node-completed',
      ],
      [
        'a failure after the soft limit is a time-out',
        (clock) => {
          clock.advance(100);
          return Promise.reject(new GraphEngineError('transient', 'No.'));
        },
        'TIMEOUT',
      ],
      [
        'an answer that a blocked event loop let in late is ignored',
        async (clock) => {
          clock.block(150);
          return REPLY;
        },
        'TIMEOUT',
      ],
    ])('A-82 %s', async (_, play, expected) => {
      const lab = await runLab(store);
      const clock = new ManualClock();
      const run = await laneRun(lab, [new PlayedEngine(PRIMARY, () => play(clock))], { binding: { policy } });
      await (await run.executor({ clock })).run(never());
      expect(await endOf(run)).toBe(expected);
      expect(clock.waiting).toBe(0);
    });

    test('an engine is stopped at the hard limit, not before, and may still say who it was', async () => {
      const lab = await runLab(store);
      const clock = new ManualClock();
      const begun = Promise.withResolvers<AbortSignal>();
      const play: Play = ({ signal }) => {
        begun.resolve(signal);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(REPLY)));
      };
      const run = await laneRun(lab, [new PlayedEngine(PRIMARY, play)], { binding: { policy } });
      const running = (await run.executor({ clock })).run(never());
      const signal = await begun.promise;
      clock.advance(149);
      expect(signal.aborted).toBe(false);
      clock.advance(1);
      expect(signal.aborted).toBe(true);
      await running;
      expect(await endOf(run)).toBe('TIMEOUT');
      expect(await receipts(run)).toMatchObject([{ requested: identity(PRIMARY), effective: identity(PRIMARY) }]);
    });

    test('an engine that does not even stop is waited for 7 s, and its receipt names nobody', async () => {
      const lab = await runLab(store);
      const clock = new ManualClock();
      const begun = Promise.withResolvers<undefined>();
      const play: Play = () => {
        begun.resolve(undefined);
        return new Promise(() => undefined);
      };
      const run = await laneRun(lab, [new PlayedEngine(PRIMARY, play)], { binding: { policy } });
      const running = (await run.executor({ clock })).run(never());
      await begun.promise;
      clock.advance(150 + 6_999);
      expect(clock.waiting).toBe(1);
      clock.advance(1);
      await running;
      expect(await endOf(run)).toBe('TIMEOUT');
      expect(await receipts(run)).toMatchObject([{ requested: identity(PRIMARY), effective: null }]);
    });

    test('A-83 an engine that its caller stops gets 7 s; its answer is dropped, its receipt kept', async () => {
      const lab = await runLab(store);
      const clock = new ManualClock();
      const stop = new AbortController();
      const begun = Promise.withResolvers<undefined>();
      const play: Play = ({ signal }) => {
        begun.resolve(undefined);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(REPLY)));
      };
      const run = await laneRun(lab, [new PlayedEngine(PRIMARY, play)], { binding: { policy } });
      const running = codeOf(async () => (await run.executor({ clock })).run(stop.signal));
      await begun.promise;
      stop.abort();
      expect(await running).toBe('ABORTED');
      expect(await endOf(run)).toBe('ABORTED');
      expect(await receipts(run)).toMatchObject([{ effective: identity(PRIMARY) }]);
    });

    test('both engines of a turn share one clock', async () => {
      const lab = await runLab(store);
      const clock = new ManualClock();
      const primary = new PlayedEngine(PRIMARY, (request) => {
        clock.advance(60);
        return fails('auth')(request);
      });
      const begun = Promise.withResolvers<AbortSignal>();
      const second = new PlayedEngine(SECOND, ({ signal }) => {
        begun.resolve(signal);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(REPLY)));
      });
      const run = await laneRun(lab, [primary, second], { binding: { policy } });
      const running = (await run.executor({ clock })).run(never());
      const signal = await begun.promise;
      expect(second.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([40]);
      clock.advance(89);
      expect(signal.aborted).toBe(false);
      clock.advance(1);
      expect(signal.aborted).toBe(true);
      await running;
      expect(await endOf(run)).toBe('TIMEOUT');
    });

    test('a fallback is not begun when the time is up', async () => {
      const lab = await runLab(store);
      const clock = new ManualClock();
      const primary = new PlayedEngine(PRIMARY, (request) => {
        clock.advance(100);
        return fails('auth')(request);
      });
      const second = new PlayedEngine(SECOND, answers(SECOND, DONE));
      const run = await laneRun(lab, [primary, second], { binding: { policy } });
      await (await run.executor({ clock })).run(never());
      expect(await endOf(run)).toBe('TIMEOUT');
      expect(second.requests).toEqual([]);
      // That the first one is dead is known all the same.
      expect(await run.story()).toContain('model-unavailable team/writer/1');
    });
  });

  describe('tokens', () => {
    /** A budget that notes what is done with it. */
    function budget(tokens: number): TokenBudget & { readonly notes: string[] } {
      const notes: string[] = [];
      return {
        notes,
        reserve(wanted) {
          if (wanted > tokens) throw new Error('Not so many are left.');
          notes.push(`reserve ${wanted}`);
          return {
            commit: (used) => void notes.push(`commit ${used}`),
            release: () => void notes.push('release'),
          };
        },
      };
    }
    const turn = async (
      engines: readonly PlayedEngine[],
      tokenBudget: TokenBudget,
      mode: 'hard' | 'observed' = 'observed',
    ) => {
      const binding: LaneOptions['binding'] = { tokenBudget, policy: { callTokens: { mode, tokens: 10 } } };
      const run = await laneRun(await runLab(store), engines, { binding });
      await (await run.executor()).run(never());
      return run;
    };
    const saying = (tokens: number | null) => new PlayedEngine(PRIMARY, async () => ({ ...REPLY, tokens }));

    test.each<[string, number | null, string, string]>([
      ['a use as high as its limit passes', 10, 'commit 10', 'node-completed'],
      ['a use above it fails the turn, and is booked', 11, 'commit 11', 'TOKEN_BUDGET'],
      ['a use that is not told is booked as unknown', null, 'commit null', 'node-completed'],
    ])('%s', async (_, tokens, note, end) => {
      const tokens10 = budget(10);
      const run = await turn([saying(tokens)], tokens10);
      expect(tokens10.notes).toEqual(['reserve 10', note]);
      expect(await endOf(run)).toBe(end);
    });

    test('a budget that has not enough left fails the turn before the engine is called', async () => {
      const engine = saying(1);
      const run = await turn([engine], budget(9));
      expect(await endOf(run)).toBe('TOKEN_BUDGET');
      expect(engine.requests).toEqual([]);
      expect(await receipts(run)).toEqual([]);
    });

    test('a hard limit needs an engine that keeps it, and is told to it', async () => {
      const loose = saying(1);
      expect(await endOf(await turn([loose], budget(10), 'hard'))).toBe('TOKEN_BUDGET');
      expect(loose.requests).toEqual([]);
      const strict = saying(1);
      strict.enforcesTokens = true;
      expect(await endOf(await turn([strict], budget(10), 'hard'))).toBe('node-completed');
      expect(strict.requests.map(({ maxTokens }) => maxTokens)).toEqual([10]);
    });

    test('a dead engine gives its tokens back; any other failure has used nobody knows how many', async () => {
      const tokens = budget(10);
      const engines = [new PlayedEngine(PRIMARY, fails('auth')), new PlayedEngine(SECOND, fails('transient'))];
      await turn(engines, tokens);
      expect(tokens.notes).toEqual(['reserve 10', 'release', 'reserve 10', 'commit null']);
    });
  });
});
