// What a window left open when it went away: a member that was being spawned is settled, a turn whose answer was durable
// already gets its outcome from it, and one that was to end is closed. Nothing runs again for any of them.
import { parseRecordEvent, type RecordPayload } from '../core/record/catalogue.js';
import { attemptId, type AttemptPlace } from '../core/team/identifiers.js';
import type { MailLimits } from '../core/team/board/mailbox.js';
import type { LiveMember, LiveState } from '../core/team/live-state.js';
import type { TeamFile } from '../core/team/team-file.js';
import { UNKNOWN_USAGE } from '../core/team/usage.js';
import type { RunStorage } from '../storage/port.js';
import { memberStreamId } from '../storage/streams.js';
import type { Draft, LiveRecord, RecordContext } from './live-record.js';
import { settlementDrafts } from './mail-delivery.js';
import { settleProvisioning } from './spawning.js';
import { answerDraft, cancelledDrafts, usageDraft } from './turn-outcome.js';

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

/** Closes what earlier runners left open and whose end is known, unless one of them lives. */
export async function recover(context: RecoveryContext): Promise<void> {
  const { storage, runId, record, isRunnerAlive } = context;
  const before = await record.refresh();
  if (before.spawning.size > 0 && !isRunnerAlive(before)) await settleProvisioning(context, before);
  if (![...before.members.values()].some(({ open }) => open !== null)) return;
  const finals = await readFinals(storage, runId, before);
  await record.decide((state) => (isRunnerAlive(state) ? [] : recoveryDrafts(state, context, finals)));
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
    const event = parseRecordEvent(envelope);
    if (event.type !== 'step:recorded') continue;
    const { step } = event.payload;
    final = event.payload.position === position && step.kind === 'final' ? step : null;
  }
  return final;
}

/** What closes the turns whose end is known, when nobody runs them any more. */
function recoveryDrafts(
  state: LiveState,
  context: RecoveryContext,
  finals: ReadonlyMap<string, FinalStep>,
): readonly Draft[] {
  return [...state.members.values()].flatMap(({ id, open }): readonly Draft[] => {
    if (open === null) return [];
    const final = finals.get(open.position);
    const used = usageDraft(id, open, final?.usage ?? UNKNOWN_USAGE);
    if (open.stopping !== null) return [used, ...cancelledDrafts(state, open)];
    if (final === undefined) return [];
    const { text, data } = final;
    const answer = data === undefined ? { text } : { text, data };
    const told = settlementDrafts(state, context, id, open, { how: 'finished', summary: text });
    return [used, ...told, answerDraft(id, open, answer, { team: context.team(state), state })];
  });
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
