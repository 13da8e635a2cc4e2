// Whom a text will wake. The same parser as the sender's: what is promised here is what happens.
import { parseMentions } from '../../src/core/team/mentions.js';
import type { MemberView, RoomView } from '../../src/protocol/view.js';
import { mentionRoster } from './mention-search.js';

export interface Woken {
  /** Ids in the order in which they answer. */
  readonly ids: readonly string[];
  /** True when nobody is mentioned and the room's contact answers. */
  readonly isContact: boolean;
  /** True when `@all` is why. */
  readonly isAll: boolean;
  /** What looked like a mention and names nobody, without the `@`. */
  readonly ghosts: readonly string[];
}

/** @param members those of the room, in the order of the roster */
export function wokenBy(text: string, members: readonly MemberView[], room: Pick<RoomView, 'contact'> | null): Woken {
  // What is posted is well formed: so is what is read here.
  const { mentions, unresolved, spans } = parseMentions(text.toWellFormed(), mentionRoster(members), 'you');
  const isAll = spans.some(({ start, end }) => /^@all$/iu.test(text.slice(start, end).normalize('NFKC')));
  const contact = room?.contact ?? null;
  const isContact = mentions.length === 0 && contact !== null;
  return { ids: isContact ? [contact] : mentions, isContact, isAll: isAll && !isContact, ghosts: unresolved };
}
