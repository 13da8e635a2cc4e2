// Unsent texts by conversation and room, in the workspace's memento: a closed panel loses its own state.
import type { Memento } from 'vscode';
import { MEMENTO } from './contributions.js';

/** How many drafts are kept; those of other conversations give way first, the oldest of them first. */
const KEPT = 50;

/** By `<run id>/<room id>`, in the order in which they were written. */
type Kept = Readonly<Record<string, string>>;

export class Drafts {
  readonly #memento: Pick<Memento, 'get' | 'update'>;

  constructor(memento: Pick<Memento, 'get' | 'update'>) {
    this.#memento = memento;
  }

  /** @returns the drafts of a conversation by room id */
  of(runId: string): Record<string, string> {
    const own = `${runId}/`;
    const mine = Object.entries(this.#kept()).filter(([key]) => key.startsWith(own));
    return Object.fromEntries(mine.map(([key, text]) => [key.slice(own.length), text]));
  }

  /**
   * Keeps a draft; an empty one is forgotten.
   * @param conversation whose room it is: may have to be opened first.
   */
  async write(conversation: Promise<{ readonly runId: string }>, roomId: string, text: string): Promise<void> {
    const { runId } = await conversation;
    // Read after the waiting: another room's draft may have been written meanwhile.
    await this.#memento.update(MEMENTO.drafts, withDraft(this.#kept(), runId, roomId, text));
  }

  #kept(): Kept {
    return this.#memento.get<Kept>(MEMENTO.drafts, {});
  }
}

function withDraft(kept: Kept, runId: string, roomId: string, text: string): Kept {
  const key = `${runId}/${roomId}`;
  const all = [...Object.entries(kept).filter(([other]) => other !== key), [key, text] as const];
  const full = all.filter(([, draft]) => draft !== '');
  const isOwn = ([other]: readonly [string, string]): boolean => other.startsWith(`${runId}/`);
  const room = Math.max(0, KEPT - full.filter(isOwn).length);
  const others = full.filter((draft) => !isOwn(draft));
  return Object.fromEntries([...others.slice(Math.max(0, others.length - room)), ...full.filter(isOwn)]);
}
