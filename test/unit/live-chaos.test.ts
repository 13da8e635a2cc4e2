// The promise of a team's chat under everything that can happen to it: no sequence of posts, replies, failures, stops,
// retries, crashes and reloads makes more turns than the caps allow, loses a post, or runs a position twice by itself.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LiveState } from '../../src/core/team/live-state.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import { isIdle, stateOf } from '../support/chat.js';
import { HandEngine, host, memoryStorage, post, said, team, type BegunTurn } from '../support/live-team.js';

const MEMBERS = ['ana', 'b', 'c', 'd'];

type Deed =
  | { readonly kind: 'post' | 'answer'; readonly text: string }
  | {
      readonly kind:
        'fail' | 'stop' | 'interrupt' | 'retry' | 'skip' | 'resume' | 'resumeTeam' | 'continue' | 'crash' | 'reload';
    };

const text = fc.constantFrom('plain', '@b over', '@c @d both', '@all everybody', '@nobody hm', '@ana boss', '@b ok');
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('post' as const), text }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('answer' as const), text }) },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...([
          'fail',
          'stop',
          'interrupt',
          'retry',
          'skip',
          'resume',
          'resumeTeam',
          'continue',
          'crash',
          'reload',
        ] as const),
      ),
    }),
  },
);

interface Caps {
  readonly hopCap: number;
  readonly turnsPerMember: number;
}

/** One of the two caps is low. */
const caps: fc.Arbitrary<Caps> = fc.oneof(
  fc.record({ hopCap: fc.integer({ min: 0, max: 4 }), turnsPerMember: fc.constant(10_000) }),
  fc.record({ hopCap: fc.constant(10_000), turnsPerMember: fc.integer({ min: 0, max: 3 }) }),
);

/** How many turns may run: per post of a person and per Continue. */
function allowed({ hopCap, turnsPerMember }: Caps): { readonly post: number; readonly grant: number } {
  return turnsPerMember < hopCap
    ? { post: MEMBERS.length * turnsPerMember, grant: MEMBERS.length * turnsPerMember }
    : { post: MEMBERS.length + hopCap, grant: hopCap };
}

/** One conversation over many windows, with everything that its engines were asked to do. */
class Story {
  readonly disk = new MemoryDisk();
  readonly storage = memoryStorage(this.disk);
  readonly ran: string[] = [];
  readonly posts: string[] = [];
  /** Turns that a person asked for again. */
  asked = 0;
  granted = 0;
  #turns: BegunTurn[] = [];
  #engine = new HandEngine();
  #conversation: Conversation;
  readonly #closing: Conversation[] = [];

  constructor(conversation: Conversation, engine: HandEngine, disk: MemoryDisk) {
    this.#conversation = conversation;
    this.#engine = engine;
    this.disk = disk;
    this.storage = memoryStorage(disk);
  }

  static async begin(limits: Caps): Promise<Story> {
    const disk = new MemoryDisk();
    const engine = new HandEngine();
    const conversation = await Conversation.start(host(memoryStorage(disk), engine), team(MEMBERS, { limits }), []);
    return new Story(conversation, engine, disk);
  }

  get runId(): string {
    return this.#conversation.runId;
  }

  state(): Promise<LiveState> {
    return stateOf(this.#conversation);
  }

  async do(what: Deed): Promise<void> {
    const conversation = this.#conversation;
    switch (what.kind) {
      case 'post':
        this.posts.push(what.text);
        await post(conversation, what.text);
        break;
      case 'answer':
        this.#turns.shift()?.answer(what.text);
        break;
      case 'fail':
        this.#turns.shift()?.fail('No.');
        break;
      case 'stop':
        await conversation.stop();
        break;
      case 'interrupt': {
        const turn = this.#turns[0];
        if (turn !== undefined) await conversation.interruptTurn(turn.input.position).catch(isOwnRefusal);
        break;
      }
      case 'retry':
      case 'skip': {
        const [left] = [...(await this.state()).members.values()].flatMap((member) => member.left);
        if (left === undefined) break;
        if (what.kind === 'retry') this.asked += 1;
        await (what.kind === 'retry' ? conversation.retryTurn(left.position) : conversation.skipTurn(left.position));
        break;
      }
      case 'resume': {
        const open = [...(await this.state()).members.values()].flatMap((member) =>
          member.open === null ? [] : [member.open],
        );
        for (const { position } of open) {
          const resumed = await conversation.resumeTurn(position).then(
            () => true,
            (error: unknown) => !isOwnRefusal(error),
          );
          if (resumed) this.asked += 1;
        }
        break;
      }
      case 'resumeTeam':
        await conversation.resumeTeam();
        break;
      case 'continue':
        for (const [chain, { parked }] of (await this.state()).chains) {
          const [first] = parked;
          if (first === undefined) continue;
          await conversation.continueChain(chain, first.limit);
          this.granted += 1;
        }
        break;
      case 'crash':
        this.#leave();
        this.disk.held.clear();
        await this.#open();
        break;
      case 'reload':
        await conversation.close();
        this.#leave();
        await this.#open();
        break;
    }
    await this.#settle();
  }

  /** Lets every turn hand on to everybody until nothing runs, or until more ran than `most`. */
  async drain(most: number): Promise<void> {
    await this.do({ kind: 'resumeTeam' });
    while (this.#turns.length > 0 && this.ran.length <= most) await this.do({ kind: 'answer', text: '@all go on' });
  }

  async end(): Promise<void> {
    await this.#conversation.close();
    await Promise.all(this.#closing.map((conversation) => conversation.close()));
  }

  #leave(): void {
    this.#closing.push(this.#conversation);
    this.#turns = [];
  }

  async #open(): Promise<void> {
    this.#engine = new HandEngine();
    this.#conversation = await Conversation.open(host(memoryStorage(this.disk), this.#engine), this.runId);
  }

  /** Waits until every turn that the record has open in this window has begun or ended in the engine. */
  async #settle(): Promise<void> {
    await this.state();
    while (this.#engine.pending > 0) {
      const turn = await this.#engine.begun();
      this.ran.push(turn.input.position);
      this.#turns.push(turn);
    }
    const open = await this.state();
    this.#turns = this.#turns.filter(({ input }) =>
      [...open.members.values()].some(
        (member) => member.open?.position === input.position && member.open.stopping === null,
      ),
    );
  }
}

function isOwnRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^TURN_NOT_/.test(String(error.code));
}

test('No sequence of posts, replies, failures, stops, retries, crashes and reloads passes a cap, loses a post, or runs a position twice by itself', async () => {
  const runs = Number(process.env['TEAMROOM_FUZZ_RUNS'] ?? 60);
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 3, maxLength: 40 }), caps, async (deeds, limits) => {
      const story = await Story.begin(limits);
      for (const one of deeds) await story.do(one);
      const { posts, ran } = story;
      // What a person asked for again is theirs.
      const most = posts.length * allowed(limits).post + story.granted * allowed(limits).grant + story.asked;
      await story.drain(most);
      expect(ran.length).toBeLessThanOrEqual(most);

      // Every post is there, once, in order.
      const spoken = await said(story.storage, story.runId);
      expect(spoken.filter((line) => line.startsWith('you: '))).toEqual(posts.map((line) => `you: ${line}`));

      // A position that ran twice was resumed by a person.
      expect(ran.length - new Set(ran).size).toBeLessThanOrEqual(story.asked);

      // Whatever happened, it can be brought to rest.
      await story.do({ kind: 'stop' });
      await story.do({ kind: 'crash' });
      await story.do({ kind: 'stop' });
      expect(isIdle(await story.state())).toBe(true);
      await story.end();
    }),
    { numRuns: runs },
  );
});

test('A stop in the middle of a chain is followed by nothing but what a person asks for', async () => {
  const story = await Story.begin({ hopCap: 4, turnsPerMember: 16 });
  await story.do({ kind: 'post', text: '@b over' });
  await story.do({ kind: 'answer', text: '@c @d both' });
  await story.do({ kind: 'stop' });
  const before = story.ran.length;
  for (let look = 0; look < 3; look += 1) await story.do({ kind: 'reload' });
  expect(story.ran).toHaveLength(before);
  await story.end();
});
