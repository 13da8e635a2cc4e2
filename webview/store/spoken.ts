// WX-8: what a screen reader is told, once each: the first words of new posts, and what became of a turn.
import type { MemberView, PostView } from '../../src/protocol/view.js';
import type { PanelState } from './state.js';

/** What the live region says. The serial tells two equal texts apart: the second is said too. */
export interface Spoken {
  readonly serial: number;
  readonly text: string;
}

const DIGEST_WORDS = 12;

/**
 * @param said what was said last
 * @param posts what the change brought, of all rooms
 * @returns what is said now; `said` itself when there is nothing new
 */
export function spoken(said: Spoken, before: PanelState, after: PanelState, posts: readonly PostView[]): Spoken {
  const members = after.conversation?.members ?? [];
  const nameOf = (id: string): string => members.find((member) => member.id === id)?.name ?? id;
  const isNew = after.revision !== before.revision;
  const here = isNew ? posts.filter(({ roomId }) => roomId === after.roomId) : [];
  const lines = [...turns(before, after), digest(here, nameOf)].filter((line) => line !== '');
  return lines.length === 0 ? said : { serial: said.serial + 1, text: lines.join('\n') };
}

/**
 * @param posts the new ones
 * @param nameOf the name of a member by id
 * @returns one line per post that somebody else wrote: the sender and the first words
 */
export function digest(posts: readonly PostView[], nameOf: (id: string) => string): string {
  return posts
    .filter((post) => post.sender.kind !== 'person')
    .map((post) => (post.sender.kind === 'member' ? `${nameOf(post.sender.id)}: ` : '') + firstWords(post.text))
    .join('\n');
}

/** What changed for the members of the open room. */
function turns(before: PanelState, after: PanelState): string[] {
  if (before.runId !== after.runId || before.conversation === null || after.conversation === null) return [];
  const was = new Map(before.conversation.members.map((member) => [member.id, member]));
  const room = after.conversation.rooms.find(({ id }) => id === after.roomId);
  return after.conversation.members
    .filter(({ id, status, position }) => {
      const earlier = was.get(id);
      return room?.members.includes(id) === true && (earlier?.status !== status || earlier.position !== position);
    })
    .map(turnWords)
    .filter((words) => words !== '');
}

function turnWords({ name, status, failure }: MemberView): string {
  switch (status) {
    case 'running':
      return `${name} is working.`;
    case 'interrupted':
      return `${name} was interrupted.`;
    case 'failed':
      return failure === null ? `${name} failed.` : `${name} failed: ${failure}`;
    case 'stopped':
      return `${name} was stopped.`;
    case 'idle':
    case 'queued':
    case 'stopping':
      return '';
  }
}

function firstWords(text: string): string {
  const words = text.trim().split(/\s+/u);
  return words.length > DIGEST_WORDS ? `${words.slice(0, DIGEST_WORDS).join(' ')}…` : words.join(' ');
}
