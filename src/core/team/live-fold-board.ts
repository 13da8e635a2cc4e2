// The team's own records in a live conversation: who joined, which task became what, and mail that wakes or waits.
import type { RecordEvent } from '../record/catalogue.js';
import type { MemberSnapshot, MessageSnapshot, TaskSnapshot, TeamEvent } from '../record/team-schemas.js';
import { applyTeamEvent } from './board/team-fold.js';
import { isUnblocked } from './board/task-graph.js';
import { invalid, newMember, openTurn, withMember } from './live-fold-parts.js';
import { enqueue, pruneChains } from './live-queue.js';
import { memberOfActor, PERSON, type LiveMember, type LiveState, type MailOrigin } from './live-state.js';

type BoardEvent = RecordEvent & TeamEvent;

/** Takes one of this team's records in: first the board, then what follows from it for members. */
export function foldBoard(state: LiveState, event: BoardEvent): LiveState {
  const board = apply(state, event);
  const next = { ...state, board };
  switch (event.type) {
    case 'team/member':
      return join(next, event, event.payload.member);
    case 'team/task':
      return wakeForReady(state, next, event, event.payload.task);
    case 'team/message/queued': {
      const { message } = event.payload;
      const mailFrom = new Map(next.mailFrom).set(message.id, originOf(state, message.senderId, message.id));
      return { ...next, mailFrom };
    }
    case 'team/message/delivered':
      return receive(state, next, event, event.payload.messageId);
  }
}

function apply(state: LiveState, event: BoardEvent) {
  try {
    return applyTeamEvent(state.board, event);
  } catch (error) {
    throw invalid(event, error instanceof Error ? error.message : String(error));
  }
}

/** The chain that somebody acts in: that of the running turn, else one that begins here. */
function originOf(state: LiveState, actor: string, id: string): MailOrigin {
  const open = memberOfActor(state, actor)?.open;
  return open === undefined || open === null ? { chain: id, hop: 0 } : { chain: open.chain, hop: open.hop };
}

/**
 * A member of the team file is given its identity; one that was spawned joins when it is active: it is in every public
 * room, and its first turn is the prompt that its stream has.
 */
function join(state: LiveState, event: RecordEvent, member: MemberSnapshot): LiveState {
  const known = state.members.get(member.name);
  if (known !== undefined) return withMember(state, known, () => ({ handleId: member.id }));
  if (member.phase === 'provisioning') {
    const place = { ...originOf(state, state.runId, member.id), ordinal: state.nextOrdinal };
    const spawning = new Map(state.spawning).set(member.id, place);
    return { ...state, spawning, nextOrdinal: state.nextOrdinal + 1 };
  }
  const spawning = new Map(state.spawning);
  const place = spawning.get(member.id);
  if (place === undefined) throw invalid(event, `${member.name} was not provisioned`);
  spawning.delete(member.id);
  if (member.phase === 'failed') return pruneChains({ ...state, spawning });
  const { ordinal, ...origin } = place;
  const fresh = { ...newMember(member.name, ordinal), handleId: member.id };
  const rooms = new Map(
    [...state.rooms].map(([id, room]) => [
      id,
      room.kind === 'public' ? { ...room, members: [...room.members, member.name] } : room,
    ]),
  );
  const members = new Map(state.members).set(member.name, fresh);
  const next = { ...state, spawning, rooms, members };
  return enqueue(next, member.name, {
    cause: { kind: 'prompt', sender: state.lead },
    ...origin,
    person: false,
    revision: event.revision,
    then: [],
  });
}

/** TB-6: when the last blocker of tasks completes, the lead is woken once, with what became ready. */
function wakeForReady(before: LiveState, state: LiveState, event: RecordEvent, task: TaskSnapshot): LiveState {
  const was = before.board.tasks.get(task.id);
  if (task.status !== 'completed' || was?.status === 'completed') return state;
  const ready = [...state.board.tasks.values()].filter(
    (other) => other.status === 'pending' && other.blockedBy.includes(task.id) && isUnblocked(state.board.tasks, other),
  );
  // The lead that completed it itself knows.
  if (ready.length === 0 || task.ownerId === state.runId) return state;
  const sender = memberOfActor(state, task.ownerId ?? '')?.id ?? PERSON;
  return enqueue(state, state.lead, {
    cause: { kind: 'tasks', tasks: ready.map(({ id }) => id), sender },
    ...originOf(state, task.ownerId ?? '', `tasks/${event.revision}`),
    person: false,
    revision: event.revision,
    then: [],
  });
}

/** A message that its target has: it is given it in its next turn, and is woken for one where it was sent to wake. */
function receive(before: LiveState, state: LiveState, event: RecordEvent, messageId: string): LiveState {
  const message = before.board.pending.get(messageId);
  if (message === undefined) throw invalid(event, `the message ${messageId} is not on its way`);
  const origin = state.mailFrom.get(messageId) ?? { chain: messageId, hop: 0 };
  const next = withoutMail(state, [messageId]);
  const target = memberOfActor(next, message.targetId);
  if (target === null) return next;
  const inbox = [...target.inbox, { message, ...origin }];
  const received = withMember(next, target, () => ({ inbox }));
  return message.delivery === 'wakeup' ? wake(received, event, target, message, origin) : received;
}

function wake(
  state: LiveState,
  event: RecordEvent,
  target: LiveMember,
  message: MessageSnapshot,
  origin: MailOrigin,
): LiveState {
  const sender = memberOfActor(state, message.senderId)?.id ?? PERSON;
  return enqueue(state, target.id, {
    cause: { kind: 'mail', messageId: message.id, sender },
    ...origin,
    person: false,
    revision: event.revision,
    then: [],
  });
}

function withoutMail(state: LiveState, ids: readonly string[]): LiveState {
  const mailFrom = new Map(state.mailFrom);
  const heldMail = new Set(state.heldMail);
  for (const id of ids) {
    mailFrom.delete(id);
    heldMail.delete(id);
  }
  return { ...state, mailFrom, heldMail };
}

/**
 * A result is read from the record by whoever wants it; here it only has to be that of a completion. One of a task that
 * this team does not have was copied with it (ST-18).
 */
export function takeResult(state: LiveState, event: Extract<RecordEvent, { type: 'task:resulted' }>): LiveState {
  const { taskId, revision } = event.payload;
  const task = state.board.tasks.get(taskId);
  if (task === undefined || (task.status === 'completed' && task.revision === revision)) return state;
  throw invalid(event, `${taskId} was not completed in revision ${revision}`);
}

/** What a person, or a Stop, does to mail that is on its way. */
export function foldMail(
  state: LiveState,
  event: Extract<RecordEvent, { type: 'mail:held' | 'mail:released' | 'mail:discarded' }>,
): LiveState {
  const { messageIds } = event.payload;
  const unknown = messageIds.find((id) => !state.board.pending.has(id));
  if (unknown !== undefined) throw invalid(event, `the message ${unknown} is not on its way`);
  const heldMail = new Set(state.heldMail);
  for (const id of messageIds) {
    if (event.type === 'mail:held') heldMail.add(id);
    else heldMail.delete(id);
  }
  if (event.type !== 'mail:discarded') return { ...state, heldMail };
  const pending = new Map([...state.board.pending].filter(([id]) => !messageIds.includes(id)));
  return withoutMail({ ...state, board: { ...state.board, pending } }, messageIds);
}

/** Messages that a running turn was given: if it is resumed, it is given them again. */
export function readMail(state: LiveState, event: Extract<RecordEvent, { type: 'mail:read' }>): LiveState {
  const { position, messageIds } = event.payload;
  const { member, turn } = openTurn(state, event, position);
  const read = member.inbox.filter(({ message }) => messageIds.includes(message.id));
  if (read.length !== messageIds.length) throw invalid(event, `not all of that mail waits for ${member.id}`);
  return withMember(state, member, () => ({
    inbox: member.inbox.filter((item) => !read.includes(item)),
    open: { ...turn, mail: [...turn.mail, ...read] },
  }));
}
