// A new member: reserved in the record, its prompt made durable in its own stream, then active. A crash at any step leaves
// something that the next runner can settle without running anything.
import { randomUUID } from 'node:crypto';
import { parseRecordEvent, type NewRecordEvent } from '../core/record/catalogue.js';
import type { MemberSnapshot } from '../core/record/team-schemas.js';
import { checkNewMember, checkRoom } from '../core/team/board/roster.js';
import type { TeamActor } from '../core/team/board/team-state.js';
import { TeamError } from '../core/team/error.js';
import type { LiveState } from '../core/team/live-state.js';
import { isStorageError } from '../storage/error.js';
import type { RunStorage } from '../storage/port.js';
import { memberStreamId } from '../storage/streams.js';
import { newDomainEvent, type Draft, type LiveRecord, type RecordContext } from './live-record.js';
import type { EngineDirectory } from './ports/engines.js';

export interface SpawnRequest {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly context: 'fresh' | 'fork';
  /** Name of an engine. */
  readonly provider: string;
  readonly signal: AbortSignal;
}

export interface SpawnContext extends RecordContext {
  readonly record: LiveRecord;
  readonly engines: EngineDirectory;
  readonly limits: { readonly maxMembers: number };
}

/** How much a prompt may hold, in UTF-16 code units. */
const MAX_PROMPT = 100_000;

/**
 * Spawns a member.
 * @returns the member, active.
 * @throws TeamError in the order of the checks; what went wrong on the way, after the member was recorded as failed.
 */
export async function spawn(context: SpawnContext, caller: TeamActor, request: SpawnRequest): Promise<MemberSnapshot> {
  const { signal } = request;
  if (caller.role !== 'lead') checkNewMember(caller, request);
  signal.throwIfAborted();
  const { name, description, provider } = checkNewMember(caller, request);
  const prompt = request.prompt.toWellFormed();
  if (prompt.trim() === '' || prompt.length > MAX_PROMPT) {
    throw new TeamError('TEAM_INVALID_ARGUMENT', `The prompt has 1 to ${MAX_PROMPT} characters.`);
  }
  const member = { id: randomUUID(), name, description, provider, context: request.context } as const;
  const reserved = await write(context, (state) => {
    checkRoom(state.board, name, context.limits);
    return { ...member, phase: 'provisioning' };
  });
  try {
    signal.throwIfAborted();
    if (context.engines.find(provider) === null) {
      throw new TeamError('TEAM_INVALID_ARGUMENT', `The engine "${provider}" is not available.`);
    }
    await givePrompt(context, reserved, member, prompt);
    await write(context, (state) => settled(state, member.id, { ...member, phase: 'active' }));
    return { ...member, phase: 'active' };
  } catch (error) {
    const failed = { ...member, phase: 'failed', error: messageOf(error) } as const;
    await write(context, (state) => settled(state, member.id, failed));
    throw error;
  }
}

/** Null when somebody settled the member meanwhile: what is there stays. */
function settled(state: LiveState, id: string, member: MemberSnapshot): MemberSnapshot | null {
  return state.board.members.get(id)?.phase === 'provisioning' ? member : null;
}

async function write(
  { record, runId }: Pick<SpawnContext, 'record' | 'runId'>,
  decide: (state: LiveState) => MemberSnapshot | null,
): Promise<LiveState> {
  return record.decide((state) => {
    const member = decide(state);
    return member === null ? [] : [{ event: memberEvent(runId, member) }];
  });
}

function memberEvent(runId: string, member: MemberSnapshot): NewRecordEvent {
  return { type: 'team/member', payload: { version: 1, teamId: runId, member } };
}

async function givePrompt(
  context: SpawnContext,
  state: LiveState,
  member: Omit<MemberSnapshot, 'phase' | 'error'>,
  prompt: string,
): Promise<void> {
  const place = state.spawning.get(member.id);
  if (place === undefined)
    throw new TeamError('TEAM_PROVISIONING_CONFLICT', `${member.name} was settled by somebody else.`);
  const { eventStore, record } = context.storage;
  const stream = { namespace: record.namespace, streamId: memberStreamId(context.runId, place.ordinal) };
  const payload = { member: { ...member, phase: 'provisioning' as const }, prompt };
  const event = newDomainEvent(context, { event: { type: 'prompt:given', payload }, eventId: member.id });
  try {
    await eventStore.append(stream, 0, [event]);
  } catch (error) {
    if (!isStorageError(error, 'DUPLICATE_EVENT_ID')) throw error;
  }
}

/** What a member was asked to do; null when its stream does not say. */
export async function readPrompt(storage: RunStorage, runId: string, ordinal: number): Promise<string | null> {
  return (await readGiven(storage, runId, ordinal))?.prompt ?? null;
}

async function readGiven(storage: RunStorage, runId: string, ordinal: number) {
  const stream = { namespace: storage.record.namespace, streamId: memberStreamId(runId, ordinal) };
  for await (const envelope of storage.eventStore.read(stream)) {
    const event = parseRecordEvent(envelope);
    return event.type === 'prompt:given' ? event.payload : null;
  }
  return null;
}

/** Settles members whose spawning was cut off: active when their prompt is durable, else failed. */
export async function settleProvisioning(
  context: Omit<SpawnContext, 'engines' | 'limits'>,
  state: LiveState,
): Promise<void> {
  for (const [id, { ordinal }] of state.spawning) {
    const member = state.board.members.get(id);
    if (member?.phase !== 'provisioning') continue;
    const outcome = await outcomeOf(context, member, ordinal);
    await context.record.decide((now): readonly Draft[] => {
      const kept = settled(now, id, outcome);
      return kept === null ? [] : [{ event: memberEvent(context.runId, kept) }];
    });
  }
}

async function outcomeOf(
  { storage, runId }: Pick<SpawnContext, 'storage' | 'runId'>,
  member: MemberSnapshot,
  ordinal: number,
): Promise<MemberSnapshot> {
  try {
    const given = await readGiven(storage, runId, ordinal);
    if (given === null) {
      return { ...member, phase: 'failed', error: 'child Session recovery failed: it was never given its prompt.' };
    }
    const isSame = given.member.id === member.id && given.member.provider === member.provider;
    if (isSame) return { ...member, phase: 'active' };
    return { ...member, phase: 'failed', error: 'The stored stream does not match the provisioned continuation.' };
  } catch (error) {
    return { ...member, phase: 'failed', error: `child Session recovery failed: ${messageOf(error)}` };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === 'string' ? error : JSON.stringify(error);
}
