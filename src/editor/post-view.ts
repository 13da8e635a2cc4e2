// A post or notice of the record as the panel shows it.
import { PERSON, type LiveState } from '../core/team/live-state.js';
import type { TeamFile } from '../core/team/team-file.js';
import type { TranscriptEntry, TranscriptPost } from '../core/team/transcript.js';
import type { SafeBlock, SafeInline } from '../protocol/safe-node.js';
import type { PostView } from '../protocol/view.js';
import { safeNodes } from './markdown/safe-nodes.js';
import { noticeWords } from './notice-words.js';

/** What names and addresses are read by: the team file and the rooms in force. */
export interface PostContext {
  readonly team: TeamFile;
  readonly rooms: LiveState['rooms'];
}

export function postView(entry: TranscriptEntry, context: PostContext): PostView {
  const { id, roomId, revision, index, at } = entry;
  const place = { id, roomId, revision, index, at };
  if (entry.kind === 'notice') {
    const { notice } = entry;
    return {
      ...place,
      sender: { kind: 'notice' },
      text: noticeWords(notice, context.team),
      blocks: null,
      to: [],
      unresolved: [],
      hop: null,
      // What a turn thought before it failed or was interrupted can be read as well.
      position: 'position' in notice ? notice.position : null,
      answers: [],
      isAcknowledgement: false,
      isInherited: false,
      ...(notice.kind === 'limited' ? { limited: { chain: notice.chain, limit: notice.limit } } : {}),
    };
  }
  const { sender, text, mentions, unresolved, hop, position, answers, isAcknowledgement, isInherited } = entry;
  const isPerson = sender === PERSON;
  const inRoom = context.rooms.get(roomId)?.members ?? [];
  const contact = contactOf(inRoom, context.team);
  return {
    ...place,
    sender: isPerson ? { kind: 'person' } : { kind: 'member', id: sender },
    text,
    blocks: blocksOf(entry, inRoom, context.team),
    to: mentions.length > 0 || !isPerson || contact === null ? [...mentions] : [contact],
    unresolved: [...unresolved],
    hop,
    position,
    answers: answers.map((answer) => ({ ...answer })),
    isAcknowledgement,
    isInherited,
  };
}

/** Who answers a post that mentions nobody. */
export function contactOf(inRoom: readonly string[], { lead }: Pick<TeamFile, 'lead'>): string | null {
  return inRoom.includes(lead) ? lead : (inRoom[0] ?? null);
}

/** The tree of a post; null where the text itself shows all that there is. */
function blocksOf({ text, mentions }: TranscriptPost, inRoom: readonly string[], team: TeamFile): SafeBlock[] | null {
  // A member that was spawned has its id for a name.
  const members = inRoom.map((id) => ({ id, name: team.members.find((member) => member.id === id)?.name ?? id }));
  const blocks = safeNodes(text, { mentions, roster: { lead: team.lead, members } });
  return blocks.every(isPlain) ? null : blocks;
}

function isPlain(block: SafeBlock): boolean {
  return block.kind === 'paragraph' && block.children.every(isPlainInline);
}

function isPlainInline({ kind }: SafeInline): boolean {
  return kind === 'text' || kind === 'break' || kind === 'mention';
}
