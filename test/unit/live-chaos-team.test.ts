// The promise of a team that works together, under everything that can happen to it: no sequence of posts, mail, spawning,
// tasks, rooms, changed team files, failures, stops and crashes in two windows loses a message or a post, runs a position
// that had another turn, or leaves a record or a snapshot that cannot be read.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.js';
import { readLiveSnapshot, writeLiveSnapshot } from '../../src/core/team/live-snapshot.js';
import type { LiveState } from '../../src/core/team/live-state.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { readStoredState } from '../../src/runtime/stored-state.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import type { LocalRunStorage } from '../../src/storage/port.js';
import { isIdle, payloads, stateOf } from '../support/chat.js';
import { events, HandEngine, host, memoryStorage, post, said, team, type BegunTurn } from '../support/live-team.js';

const MEMBERS = ['ana', 'b', 'c'];
const TEAMS = [MEMBERS, ['ana', 'b'], ['b', 'ana', 'c'], ['ana', 'b', 'c', 'd']];
const LIMITS = { hopCap: 3, turnsPerMember: 6, concurrency: 2 };

const target = fc.constantFrom('lead', 'b', 'c', 'x', 'y');
const text = fc.constantFrom('plain', '@b over', '@c @b both', '@all everybody', '@x you there');
const deed = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('post' as const), text, second: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('answer' as const), text }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      call: fc.oneof(
        fc.record({ name: fc.constantFrom('send_message', 'followup_task'), target }),
        fc.record({ name: fc.constant('spawn_teammate'), target: fc.constantFrom('x', 'y') }),
        fc.record({
          name: fc.constantFrom('team_task_create', 'claim', 'complete', 'delete', 'interrupt_agent', 'take_mail'),
          target,
        }),
      ),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['fail', 'stop', 'interrupt', 'retry', 'skip', 'resume', 'continue', 'crash', 'reload', 'room'] as const),
        ...(['deliver', 'discard', 'takeOver', 'limits'] as const),
      ),
      second: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('team' as const), to: fc.nat(TEAMS.length - 1) }) },
);
type Deed = typeof deed extends fc.Arbitrary<infer Value> ? Value : never;

interface Window {
  readonly engine: HandEngine;
  readonly errors: readonly unknown[];
  readonly conversation: Conversation;
  turns: BegunTurn[];
}

class Story {
  readonly disk = new MemoryDisk();
  readonly posts: string[] = [];
  readonly given = new Set<string>();
  readonly errors: unknown[] = [];
  windows: Window[] = [];
  readonly #left: Conversation[] = [];
  #rooms = 0;
  #limits = 3;

  get storage(): LocalRunStorage {
    return memoryStorage(this.disk);
  }

  async begin(): Promise<void> {
    const engine = new HandEngine();
    const first = host(this.storage, engine);
    const settings = () => ({ limits: { user: { hopCap: this.#limits } }, acknowledgements: 'quiet' as const });
    const conversation = await Conversation.start({ ...first, settings }, team(MEMBERS, { limits: LIMITS }), []);
    this.windows = [{ engine, errors: first.errors, conversation, turns: [] }];
    this.windows.push(await this.#open(conversation.runId));
  }

  async #open(runId: string): Promise<Window> {
    const engine = new HandEngine();
    const next = host(this.storage, engine);
    const settings = () => ({ limits: { user: { hopCap: this.#limits } }, acknowledgements: 'quiet' as const });
    const conversation = await Conversation.open({ ...next, settings }, runId);
    return { engine, errors: next.errors, conversation, turns: [] };
  }

  get runId(): string {
    return this.#window(false).conversation.runId;
  }

  #window(second: boolean): Window {
    const window = this.windows[second ? 1 : 0];
    if (window === undefined) throw new Error('There are two windows.');
    return window;
  }

  async do(what: Deed): Promise<void> {
    await this.#act(what).catch((error: unknown) => {
      // A refusal with a code is an answer.
      if (!(
        error instanceof Error &&
        'code' in error &&
        /^(TURN|CHAIN|MEMBER|ROOM|RUNS|TEAM)_/.test(String(error.code))
      ))
        throw error;
    });
    await this.settle();
  }

  async #act(what: Deed): Promise<void> {
    const { conversation } = this.#window('second' in what && what.second);
    const state = await stateOf(conversation);
    const members = [...state.members.values()];
    const begun = this.windows.flatMap(({ turns }) => turns);
    const [turn] = begun;
    switch (what.kind) {
      case 'post':
        this.posts.push(what.text);
        await post(conversation, what.text);
        break;
      case 'answer':
      case 'fail':
        if (turn === undefined) break;
        this.windows.forEach((window) => (window.turns = window.turns.filter((other) => other !== turn)));
        if (what.kind === 'answer') turn.answer(what.text);
        else turn.fail('No.');
        break;
      case 'call':
        if (begun.length > 0) await this.#call(begun[begun.length - 1], what.call, state);
        break;
      case 'stop':
        await conversation.stop();
        break;
      case 'interrupt':
        if (turn !== undefined) await conversation.interruptTurn(turn.input.position);
        break;
      case 'retry':
      case 'skip': {
        const left = members.flatMap((member) => member.left)[0];
        if (left === undefined) break;
        await (what.kind === 'retry' ? conversation.retryTurn(left.position) : conversation.skipTurn(left.position));
        break;
      }
      case 'resume':
        for (const { open } of members) if (open !== null) await conversation.resumeTurn(open.position).catch(() => 0);
        await conversation.resumeTeam();
        break;
      case 'continue':
        for (const [chain, { parked }] of state.chains) {
          if (parked[0] !== undefined) await conversation.continueChain(chain, parked[0].limit);
        }
        break;
      case 'deliver':
        await conversation.deliverMail([...state.heldMail]);
        break;
      case 'discard':
        for (const id of state.heldMail) this.given.add(id);
        await conversation.discardMail([...state.heldMail]);
        break;
      case 'limits':
        this.#limits = 1 + (this.#limits % 4);
        await conversation.applySettings();
        break;
      case 'takeOver':
        // Only what is free at once: nobody's clock is waited for.
        if (conversation.runnerPlace() === 'nobody') await conversation.takeOver();
        break;
      case 'room':
        this.#rooms += 1;
        await conversation.createRoom({ name: `Room ${this.#rooms}`, members: members.slice(1).map(({ id }) => id) });
        break;
      case 'team':
        await conversation.changeTeam(team(TEAMS[what.to] ?? MEMBERS, { limits: LIMITS }).canonicalText);
        break;
      case 'crash':
      case 'reload': {
        const index = what.second ? 1 : 0;
        const window = this.#window(what.second);
        this.errors.push(...window.errors);
        if (what.kind === 'reload') await window.conversation.close();
        else if (window.conversation.runnerPlace() === 'here') this.disk.held.clear();
        this.#left.push(window.conversation);
        this.windows[index] = await this.#open(window.conversation.runId);
        break;
      }
    }
  }

  async #call(turn: BegunTurn | undefined, call: { name: string; target: string }, state: LiveState): Promise<void> {
    if (turn === undefined || turn.signal.aborted) return;
    const task = [...state.board.tasks.values()].findLast(({ status }) => status !== 'deleted');
    const of = (action: string): JsonValue => ({
      task_id: task?.id ?? 'task-0',
      expected_revision: task?.revision ?? 0,
      action,
    });
    const ids = [...state.board.tasks.values()].filter(({ status }) => status !== 'deleted').map(({ id }) => id);
    const inputs: Readonly<Record<string, [string, JsonValue]>> = {
      spawn_teammate: ['spawn_teammate', { name: call.target, description: 'x', prompt: 'Begin.' }],
      team_task_create: ['team_task_create', { subject: 's', description: 'd', blocked_by: ids.slice(-1) }],
      claim: ['team_task_update', of('claim')],
      complete: ['team_task_update', of('complete')],
      delete: ['team_task_update', of('delete')],
      interrupt_agent: ['interrupt_agent', { target: call.target }],
    };
    if (call.name === 'take_mail') for (const { id } of await turn.takeMail()) this.given.add(id);
    else {
      const [name, input] = inputs[call.name] ?? [call.name, { target: call.target, message: 'm' }];
      await turn.tools.call(name, input);
    }
  }

  async settle(): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      for (const window of this.windows) {
        const state = await stateOf(window.conversation);
        while (window.engine.pending > 0) {
          const turn = await window.engine.begun();
          for (const { id } of turn.input.mail) this.given.add(id);
          window.turns.push(turn);
        }
        window.turns = window.turns.filter(
          ({ input, signal }) =>
            !signal.aborted &&
            [...state.members.values()].some(({ open }) => open?.position === input.position && open.stopping === null),
        );
      }
    }
  }

  async end(): Promise<void> {
    for (const { conversation, errors } of this.windows) {
      await conversation.close();
      this.errors.push(...errors);
    }
    await Promise.all(this.#left.map((conversation) => conversation.close()));
  }
}

async function check(story: Story): Promise<void> {
  const { storage, runId } = story;
  const state = await readStoredState(storage, runId);

  // A snapshot says the same state again.
  expect(readLiveSnapshot(writeLiveSnapshot({ state, eventId: 'kept' }))?.state).toEqual(state);

  // No position has two turns, and every member's steps stand in a stream of its own.
  const positions = (await payloads(storage, runId, 'graph:node-dispatched')).map((payload) => JSON.stringify(payload));
  expect(positions).toEqual([...new Set(positions)]);
  const ordinals = [...state.members.values(), ...state.former.values()].map(({ ordinal }) => ordinal);
  expect(ordinals).toEqual([...new Set(ordinals)]);

  // Every post is there, once, in order.
  const spoken = await said(storage, runId);
  expect(spoken.filter((line) => line.startsWith('you: '))).toEqual(story.posts.map((line) => `you: ${line}`));

  // Every message was given, or waits where it can be given.
  const everybody = [...state.members.values(), ...state.former.values()];
  const waiting = new Set([
    ...state.board.pending.keys(),
    ...everybody.flatMap(({ inbox, open }) => [...inbox, ...(open?.mail ?? [])].map(({ message }) => message.id)),
  ]);
  for (const { payload } of (await events(storage, runId)).filter(({ type }) => type === 'team/message/queued')) {
    const { id } = (payload as { message: { id: string } }).message;
    if (!story.given.has(id)) expect([...waiting]).toContain(id);
  }
}

test('No sequence of posts, mail, spawning, tasks, rooms, team changes, failures, stops and crashes in two windows loses anything, or leaves what cannot be read', async () => {
  const runs = Number(process.env['TEAMROOM_FUZZ_RUNS'] ?? 40);
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 50 }), async (deeds) => {
      const story = new Story();
      await story.begin();
      for (const one of deeds) await story.do(one);
      await check(story);
      // Whatever happened, it can be brought to rest.
      await story.do({ kind: 'stop', second: false });
      await story.do({ kind: 'crash', second: false });
      await story.do({ kind: 'crash', second: true });
      await story.do({ kind: 'stop', second: false });
      expect(isIdle(await readStoredState(story.storage, story.runId))).toBe(true);
      await check(story);
      await story.end();
      expect(story.errors).toEqual([]);
    }),
    { numRuns: runs },
  );
});
