// The conversations of a storage as a person looks through them: newest activity first, with what waits in each. A
// conversation is read when it can be among those asked for, from its kept snapshot on, and again only after it changed.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { currentEpoch, type LiveState } from '../core/team/live-state.js';
import { foldName } from '../core/team/name-fold.js';
import { parseTeamFile } from '../core/team/team-file.js';
import type { LocalRunStorage, StoredRun } from '../storage/port.js';
import { summarize, type ConversationSummary } from './conversation-summary.js';
import { readStoredState } from './stored-state.js';
import { systemClock } from './system-clock.js';

export interface ListedConversation {
  /** For a file that is not known to hold a run: its name, behind `file:`. */
  readonly runId: string;
  /** What a person called it, else the beginning of its first post; null while it has neither. */
  readonly title: string | null;
  /** Beginning of the first post. */
  readonly preview: string | null;
  readonly teamName: string;
  /** ISO timestamp of the last activity. */
  readonly activeAt: string;
  /** How many things wait for the person. Turns that wait while nobody runs the conversation are one. */
  readonly waits: number;
  /** True while somebody runs a turn of it. */
  readonly isRunning: boolean;
  readonly isArchived: boolean;
  /** Why it cannot be read; null when it can. */
  readonly problem: string | null;
}

/** One that was asked for by its id. */
export interface FoundConversation extends ListedConversation {
  /** True for a file that is not known to hold a run: nothing can be done with it here. */
  readonly isFile: boolean;
}

export interface ListQuery {
  /** Words that must all be in the name, the first post or the team's name. Case and width make no difference. */
  readonly query: string;
  /** True for the archived ones, false for the others. Those that cannot be read are among the others. */
  readonly archived: boolean;
  readonly limit: number;
  /** State of the conversation that is open here, which need not be read. */
  readonly open?: LiveState;
}

export interface ConversationPage {
  readonly items: readonly ListedConversation[];
  readonly hasMore: boolean;
}

/** What is kept of a conversation. */
interface Known {
  readonly changedAt: number;
  readonly item: Omit<ListedConversation, 'waits' | 'isRunning'>;
  /** What its words are looked for in. */
  readonly words: string;
  /** What waits, whoever runs it. */
  readonly waits: number;
  /** Open turns of the runner that the record names. */
  readonly running: number;
  readonly queued: number;
}

const QUIET = { waits: 0, running: 0, queued: 0 };
/** How exactly disks know when a file was changed, in milliseconds. */
const GRAIN_MS = 2_000;
const PREVIEW_LENGTH = 200;

export class ConversationList {
  readonly #storage: LocalRunStorage;
  /** By run id; null for a run that is no conversation. */
  readonly #known = new Map<string, Known | null>();
  /** How conversations began, where that is settled: it never changes. */
  readonly #begun = new Map<string, ConversationSummary>();

  constructor(storage: LocalRunStorage) {
    this.#storage = storage;
  }

  /** Lists conversations of this storage; those that cannot be read stand in it with the reason. */
  async list({ query, archived, limit, open }: ListQuery): Promise<ConversationPage> {
    const { runs } = this.#storage;
    // Asked for together: a directory looks through its folder once for both.
    const [stored, unlisted] = await Promise.all([runs.list(), this.#unlisted()]);
    this.#forgetAllBut(stored);
    const words = foldName(query)
      .split(/\s+/)
      .filter((word) => word !== '');
    const found: Known[] = [];
    const take = (known: Known): void => {
      if (known.item.isArchived !== archived || !words.every((word) => known.words.includes(word))) return;
      const at = found.findIndex(({ item }) => item.activeAt < known.item.activeAt);
      found.splice(at < 0 ? found.length : at, 0, known);
    };
    for (const known of unlisted) take(known);
    for (const run of stored) {
      // Nothing was said in a conversation after its file changed last: what follows is older than what was asked for.
      const next = found[limit];
      if (next !== undefined && Date.parse(next.item.activeAt) > run.changedAt + GRAIN_MS) break;
      const known = await this.#look(run, open?.runId === run.runId ? open : null);
      if (known !== null) take(known);
    }
    return { items: found.slice(0, limit).map((known) => this.#item(known)), hasMore: found.length > limit };
  }

  /** One conversation by its id; null when there is none. */
  async find(runId: string): Promise<FoundConversation | null> {
    const run = (await this.#storage.runs.list()).find((stored) => stored.runId === runId);
    const known = run === undefined ? null : await this.#look(run, null);
    if (known !== null) return { ...this.#item(known), isFile: false };
    const file = (await this.#unlisted()).find(({ item }) => item.runId === runId);
    return file === undefined ? null : { ...this.#item(file), isFile: true };
  }

  #item({ item, waits, running, queued }: Known): ListedConversation {
    const isAlive = running + queued > 0 && this.#storage.runs.isHeld(item.runId);
    const left = isAlive ? 0 : running + Math.min(queued, 1);
    return { ...item, waits: waits + left, isRunning: isAlive && running > 0 };
  }

  async #look(run: StoredRun, open: LiveState | null): Promise<Known | null> {
    const kept = this.#known.get(run.runId);
    if (open === null && (kept === null || kept?.changedAt === run.changedAt)) return kept;
    const known = await this.#read(run, open);
    // A file that was changed this very moment can change again without looking any younger.
    if (open === null && systemClock.now() - run.changedAt > GRAIN_MS) this.#known.set(run.runId, known);
    await turn();
    return known;
  }

  async #read({ runId, changedAt }: StoredRun, open: LiveState | null): Promise<Known | null> {
    let begun: ConversationSummary | null = null;
    try {
      begun = this.#begun.get(runId) ?? (await summarize(this.#storage, runId));
      if (begun === null) return null;
      if (begun.firstPost !== null) this.#begun.set(runId, begun);
      return readable(changedAt, begun, open ?? (await readStoredState(this.#storage, runId)));
    } catch (error) {
      return unreadable(changedAt, runId, begun, error instanceof Error ? error.message : String(error));
    }
  }

  /** Files that no run is known in. */
  async #unlisted(): Promise<readonly Known[]> {
    const damaged = await this.#storage.runs.listDamaged();
    return Promise.all(
      damaged.map(async ({ file, problem }) => {
        const changedAt = await stat(file).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        );
        return unreadable(changedAt, `file:${basename(file)}`, null, problem);
      }),
    );
  }

  #forgetAllBut(stored: readonly StoredRun[]): void {
    const there = new Set(stored.map(({ runId }) => runId));
    for (const kept of [this.#known, this.#begun]) {
      for (const runId of kept.keys()) if (!there.has(runId)) kept.delete(runId);
    }
  }
}

function readable(changedAt: number, begun: ConversationSummary, state: LiveState): Known {
  const { runId, startedAt, firstPost } = begun;
  const teamName = parseTeamFile(state.team, state.teamId).name;
  const preview =
    firstPost === null && state.firstPost === null ? null : beginningOf(firstPost ?? state.firstPost ?? '');
  const name = state.name === '' ? null : state.name;
  // A fork is as new as its making, however old the posts are that it begins with.
  const activeAt = state.activeAt !== null && state.activeAt > startedAt ? state.activeAt : startedAt;
  return {
    changedAt,
    item: { runId, title: name ?? preview, preview, teamName, activeAt, isArchived: state.isArchived, problem: null },
    words: foldName([name ?? '', firstPost ?? preview ?? '', teamName].join(' ')),
    ...countsOf(state),
  };
}

function countsOf(state: LiveState): Pick<Known, 'waits' | 'running' | 'queued'> {
  const members = [...state.members.values()];
  // One that was to end closes by itself, now or when its conversation is opened.
  const open = members.flatMap((member) =>
    member.open === null || member.open.stopping !== null ? [] : [member.open],
  );
  const running = open.filter(({ epoch }) => epoch === currentEpoch(state)).length;
  const left = members.reduce((sum, member) => sum + member.left.length, 0);
  const stopped = [...state.chains.values()].reduce(
    (sum, { parked }) => sum + new Set(parked.map(({ limit }) => limit)).size,
    0,
  );
  const queued = members.reduce((sum, member) => sum + member.queue.length, 0);
  return { waits: left + stopped + open.length - running, running, queued };
}

function unreadable(changedAt: number, runId: string, begun: ConversationSummary | null, problem: string): Known {
  const preview = begun?.firstPost === undefined || begun.firstPost === null ? null : beginningOf(begun.firstPost);
  const teamName = begun?.teamId ?? '';
  const activeAt = new Date(changedAt).toISOString();
  const item = { runId, title: preview, preview, teamName, activeAt, isArchived: false, problem };
  return { changedAt, item, words: foldName(`${begun?.firstPost ?? ''} ${teamName} ${runId}`), ...QUIET };
}

function beginningOf(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim().slice(0, PREVIEW_LENGTH).toWellFormed();
}
