// A message between members: who may send to whom, how much, and how it reads to whom it is for.
// Rules: docs/rules.md § Mail.
import * as v from 'valibot';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { ContentBlockSchema, type ContentBlock, type MessageSnapshot } from '../../record/team-schemas.js';
import { LEAD_NAME, memberNamed, type AgentTeam, type TeamActor } from './team-state.js';
import { TeamError } from '../error.js';

export interface MailLimits {
  readonly maxPendingMessagesPerMember: number;
  /** Of the framed content as JSON, in UTF-8 bytes; equal is allowed. */
  readonly maxMessageBytes: number;
}

export interface NewMessage {
  readonly id: string;
  /** Name of a member, or `lead`. */
  readonly target: string;
  readonly content: readonly ContentBlock[];
  readonly delivery: 'quiet' | 'wakeup';
}

/**
 * Decides a message.
 * @throws TeamError `TEAM_MEMBER_NOT_FOUND`, `TEAM_SELF_MESSAGE`, `TEAM_MAILBOX_FULL`, `TEAM_MESSAGE_TOO_LARGE`,
 * `TEAM_INVALID_ARGUMENT` for content that the record would not take.
 */
export function decideMessage(
  team: AgentTeam,
  sender: TeamActor,
  message: NewMessage,
  limits: MailLimits,
): MessageSnapshot {
  const targetId = targetNamed(team, message.target.trim());
  if (targetId === sender.id) throw new TeamError('TEAM_SELF_MESSAGE', 'A member cannot send mail to itself.');
  const waiting = [...team.pending.values()].filter((other) => other.targetId === targetId).length;
  if (waiting >= limits.maxPendingMessagesPerMember) {
    throw new TeamError(
      'TEAM_MAILBOX_FULL',
      `${message.target.trim()} has ${waiting} messages that wait; it takes no more.`,
    );
  }
  const { id, delivery, content } = message;
  if (!content.every((block) => v.is(ContentBlockSchema, block))) {
    throw new TeamError('TEAM_INVALID_ARGUMENT', 'A content block of the message is not valid.');
  }
  const snapshot = { id, senderId: sender.id, senderName: sender.name, targetId, delivery, content: [...content] };
  const size = utf8ToBytes(JSON.stringify(framed(snapshot))).length;
  if (size > limits.maxMessageBytes) {
    throw new TeamError(
      'TEAM_MESSAGE_TOO_LARGE',
      `The message has ${size} bytes; ${limits.maxMessageBytes} are allowed. Say where the rest can be read.`,
    );
  }
  return snapshot;
}

/** The id of whoever gets mail under that name. A person is posted to, not written to. */
function targetNamed(team: AgentTeam, name: string): string {
  if (name === LEAD_NAME) return team.id;
  const member = memberNamed(team, name);
  if (member?.phase === 'active') return member.id;
  const names = [LEAD_NAME, ...activeNames(team)].join(', ');
  throw new TeamError('TEAM_MEMBER_NOT_FOUND', `There is no active member "${name}". The members: ${names}.`);
}

function activeNames(team: AgentTeam): readonly string[] {
  return [...team.members.values()].filter(({ phase }) => phase === 'active').map(({ name }) => name);
}

/** A message as its target reads it: who it is from, then what was sent, unchanged. */
export function framed({
  id,
  senderName,
  content,
}: Pick<MessageSnapshot, 'id' | 'senderName' | 'content'>): readonly ContentBlock[] {
  return [{ type: 'text', text: `Team message ${id} from ${senderName}:` }, ...content];
}

/** What waits for one target, in the order of queueing. */
export function pendingFor(team: AgentTeam, targetId: string): readonly MessageSnapshot[] {
  return [...team.pending.values()].filter((message) => message.targetId === targetId);
}
