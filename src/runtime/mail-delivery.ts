// Mail on its way: a message is durable in its target's own stream before it counts as delivered, so that a crash between
// the two delivers it once (ML-8). Messages for one target go in the order in which they were queued.
import { randomUUID } from 'node:crypto';
import type { MessageSnapshot } from '../core/record/team-schemas.js';
import { decideMessage, framed, type MailLimits } from '../core/team/board/mailbox.js';
import { settlementMail } from '../core/team/board/settlement.js';
import { LEAD_NAME } from '../core/team/board/team-state.js';
import { TeamError } from '../core/team/error.js';
import { memberOfActor, type LiveMember, type LiveState, type OpenTurn } from '../core/team/live-state.js';
import { isStorageError } from '../storage/error.js';
import { memberStreamId } from '../storage/streams.js';
import { newDomainEvent, type Draft, type LiveRecord, type RecordContext } from './live-record.js';
import type { GivenMail } from './ports/engine.js';
import { refusedOutcome } from './turn-outcome.js';

const MAX_RACES = 20;

export interface MailDeliveryOptions extends RecordContext {
  readonly record: LiveRecord;
  /** Called with why a message cannot be delivered. */
  readonly onError: (error: unknown) => void;
  /** Aborted when the team closes: what is not on its way then waits for the next opening. */
  readonly closing: AbortSignal;
}

/** The messages that can be delivered now, in order: nothing wakes a member for quiet mail alone. */
export function deliverable(state: LiveState): readonly MessageSnapshot[] {
  const all = [...state.board.pending.values()].filter(({ id }) => !state.heldMail.has(id));
  return all.filter((message, index) => {
    const target = memberOfActor(state, message.targetId);
    if (target === null) return false;
    if (message.delivery === 'wakeup' || isAwake(target)) return true;
    // M17: quiet mail goes before the message that wakes its target.
    return all.slice(index).some(({ targetId, delivery }) => targetId === message.targetId && delivery === 'wakeup');
  });
}

function isAwake({ open, queue }: LiveMember): boolean {
  return open !== null || queue.length > 0;
}

/** Delivers what can be delivered. @returns the state after it. */
export async function deliverMail(options: MailDeliveryOptions, state: LiveState): Promise<LiveState> {
  let current = state;
  for (const message of deliverable(state)) {
    if (options.closing.aborted) break;
    const target = memberOfActor(current, message.targetId);
    if (target === null) continue;
    const { id: messageId, targetId } = message;
    try {
      await receive(options, target, message);
    } catch (error) {
      if (refusedOutcome(error) === null) throw error;
      // What the store will never take is held for a person: tried for ever, it would keep everything from starting.
      options.onError(error);
      current = await options.record.decide((now) =>
        now.board.pending.has(messageId) && !now.heldMail.has(messageId)
          ? [{ event: { type: 'mail:held', payload: { messageIds: [messageId] } }, ...causeOf(now, messageId) }]
          : [],
      );
      continue;
    }
    current = await options.record.decide((now) =>
      now.board.pending.has(messageId) && !now.heldMail.has(messageId)
        ? [
            {
              event: {
                type: 'team/message/delivered',
                payload: { version: 1, teamId: options.runId, messageId, targetId },
              },
              ...causeOf(now, messageId),
            },
          ]
        : [],
    );
  }
  return current;
}

function causeOf(state: LiveState, messageId: string) {
  const origin = state.mailFrom.get(messageId);
  return origin === undefined ? {} : { correlationId: origin.chain, causationId: messageId };
}

/** Makes a message durable in its target's stream, unless it is there. */
async function receive(options: MailDeliveryOptions, target: LiveMember, message: MessageSnapshot): Promise<void> {
  const { eventStore, record } = options.storage;
  const stream = { namespace: record.namespace, streamId: memberStreamId(options.runId, target.ordinal) };
  const event = newDomainEvent(options, {
    event: { type: 'mail:received', payload: { message } },
    eventId: message.id,
  });
  for (let race = 0; race < MAX_RACES; race += 1) {
    try {
      await eventStore.append(stream, await eventStore.head(stream), [event]);
      return;
    } catch (error) {
      if (isStorageError(error, 'DUPLICATE_EVENT_ID')) return;
      if (!isStorageError(error, 'REVISION_CONFLICT')) throw error;
    }
  }
  throw new TeamError('TEAM_BUSY', 'Other writers keep the member’s stream busy. Try again.');
}

/** What a turn that mail, a prompt or tasks woke leaves to whoever did. */
export function settlementDrafts(
  state: LiveState,
  { runId, limits }: { readonly runId: string; readonly limits: MailLimits },
  memberId: string,
  turn: OpenTurn,
  end: { readonly how: 'finished' | 'failed'; readonly summary: string },
): readonly Draft[] {
  const isLead = memberId === state.lead;
  const id = isLead ? runId : state.members.get(memberId)?.handleId;
  if (id === null || id === undefined) return [];
  const sender = { id, name: isLead ? LEAD_NAME : memberId, role: isLead ? 'lead' : 'teammate' } as const;
  return settlementMail(state, memberId, turn, end).flatMap(({ target, content, delivery }): readonly Draft[] => {
    try {
      const request = { id: `team-message-${randomUUID()}`, target, content, delivery };
      const message = decideMessage(state.board, sender, request, limits);
      const event = { type: 'team/message/queued', payload: { version: 1, teamId: runId, message } } as const;
      return [{ event, correlationId: turn.chain, causationId: turn.position }];
    } catch (error) {
      // A full mailbox must not keep a turn from ending; the outcome is in the record.
      if (error instanceof TeamError) return [];
      throw error;
    }
  });
}

/** A message as it reads to its target. */
export function givenMail(message: MessageSnapshot): GivenMail {
  const text = framed(message)
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block)))
    .join('\n');
  return { id: message.id, sender: message.senderName, text };
}
