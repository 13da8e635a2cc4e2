// What a window left open when it went away: a member that was being spawned is settled, a turn whose answer was durable
// already gets its outcome from it, and one that was to end is closed. Nothing runs again for any of them.
import { parseRecordEvent, type RecordEvent, type RecordPayload } from '../core/record/catalogue.js';
import { RecordError } from '../core/record/error.js';
import type { MailLimits } from '../core/team/board/mailbox.js';
import { attemptId, type AttemptPlace } from '../core/team/identifiers.js';
import { memberAt, type LiveMember, type LiveState } from '../core/team/live-state.js';
import type { TeamFile } from '../core/team/team-file.js';
import { UNKNOWN_USAGE } from '../core/team/usage.js';
import type { DomainEventEnvelope, RunStorage } from '../storage/port.js';
import { memberStreamId } from '../storage/streams.js';
import type { Draft, LiveRecord, RecordContext } from './live-record.js';
import { settlementDrafts } from './mail-delivery.js';
import { settleProvisioning } from './spawning.js';
import {
  answerDraft,
  cancelledDrafts,
  failureDrafts,
  refusedOutcome,
  usageDraft,
  type Failure,
} from './turn-outcome.js';

type FinalStep = Extract<RecordPayload<'step:recorded'>['step'], { kind: 'final' }>;

/** How many of a member's newest events are looked through for its answer: a full mailbox, and some more. */
const LOOK_BACK = 128;

export interface RecoveryContext extends RecordContext {
  readonly record: LiveRecord;
  readonly limits: MailLimits;
  readonly isRunnerAlive: (state: LiveState) => boolean;
  /** The team file in force. */
  readonly team: (state: LiveState) => TeamFile;
}

/**
 * Closes what earlier runners left open and whose end is known, unless one of them lives. Each turn goes into an append
 * of its own, and one whose answer the record cannot take has failed: nothing that is wrong with one turn keeps a
 * conversation from being used.
 */
export async function recover(context: RecoveryContext): Promise<void> {
  const { storage, runId, record, isRunnerAlive } = context;
  const before = await record.refresh();
  if (isRunnerAlive(before)) return;
  if (before.spawning.size > 0) await settleProvisioning(context, before);
  const finals = await readFinals(storage, runId, before);
  for (const { open } of before.members.values()) {
    if (open === null) continue;
    const { position } = open;
    try {
      await record.decide((state) => recoveryDrafts(state, context, position, finals.get(position)));
    } catch (error) {
      const failure = refusedOutcome(error);
      if (failure === null) throw error;
      await record.decide((state) => failedDrafts(state, context, position, failure, finals.get(position)));
    }
  }
}

/** The answers that open turns had made durable before their outcome was, by position. */
async function readFinals(
  storage: RunStorage,
  runId: string,
  state: LiveState,
): Promise<ReadonlyMap<string, FinalStep>> {
  const finals = new Map<string, FinalStep>();
  for (const member of state.members.values()) {
    if (member.open === null) continue;
    const final = await readFinal(storage, runId, member, member.open.position);
    if (final !== null) finals.set(member.open.position, final);
  }
  return finals;
}

async function readFinal(
  storage: RunStorage,
  runId: string,
  member: LiveMember,
  position: string,
): Promise<FinalStep | null> {
  const stream = { namespace: storage.record.namespace, streamId: memberStreamId(runId, member.ordinal) };
  const head = await storage.eventStore.head(stream);
  let final: FinalStep | null = null;
  // Mail may have come after the answer.
  for await (const envelope of storage.eventStore.read(stream, Math.max(0, head - LOOK_BACK))) {
    if (envelope.type !== 'step:recorded') continue;
    const event = readableEvent(envelope);
    // A step that this build cannot read is no answer that it could take: the turn waits for a person.
    if (event?.type !== 'step:recorded') {
      final = null;
      continue;
    }
    const { step } = event.payload;
    final = event.payload.position === position && step.kind === 'final' ? step : null;
  }
  return final;
}

function readableEvent(envelope: DomainEventEnvelope): RecordEvent | null {
  try {
    return parseRecordEvent(envelope);
  } catch (error) {
    if (error instanceof RecordError) return null;
    throw error;
  }
}

/** What closes one open turn, where its end is known; nothing for one that waits for a person. */
function recoveryDrafts(
  state: LiveState,
  context: RecoveryContext,
  position: string,
  final: FinalStep | undefined,
): readonly Draft[] {
  const member = context.isRunnerAlive(state) ? null : memberAt(state, position);
  if (member === null || member.open === null) return [];
  const { id, open } = member;
  const used = usageDraft(id, open, final?.usage ?? UNKNOWN_USAGE);
  if (open.stopping !== null) return [used, ...cancelledDrafts(state, open)];
  if (final === undefined) return [];
  const { text, data } = final;
  const answer = data === undefined ? { text } : { text, data };
  const told = settlementDrafts(state, context, id, open, { how: 'finished', summary: text });
  return [used, ...told, answerDraft(id, open, answer, { team: context.team(state), state })];
}

/** What closes an open turn whose durable answer the record cannot take. */
function failedDrafts(
  state: LiveState,
  context: RecoveryContext,
  position: string,
  failure: Failure,
  final: FinalStep | undefined,
): readonly Draft[] {
  const member = context.isRunnerAlive(state) ? null : memberAt(state, position);
  if (member === null || member.open === null) return [];
  const { id, open } = member;
  const told = settlementDrafts(state, context, id, open, { how: 'failed', summary: failure.message });
  return [usageDraft(id, open, final?.usage ?? UNKNOWN_USAGE), ...told, ...failureDrafts(id, open, failure, state)];
}

/** Why the turn of a host that went away is reconciled by a person. */
const INTERRUPTED = 'The window that ran this turn went away before its outcome was saved.';

/** What a person's Resume of an interrupted turn is in the record: both steps of a reconciliation, at once. */
export function resumeDrafts(place: AttemptPlace): readonly Draft[] {
  const { nodeId, position } = place;
  const request = { kind: 'reconcile-attempt', attemptId: attemptId(place) };
  return [
    { event: { type: 'graph:node-paused', payload: { nodeId, position, reason: INTERRUPTED, request } } },
    { event: { type: 'graph:node-resumed', payload: { nodeId, position } } },
  ];
}
