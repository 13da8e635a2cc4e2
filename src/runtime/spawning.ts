// A new member: reserved in the record, its prompt made durable in its own stream, then active. A crash at any step leaves
// something that the next runner can settle without running anything.
// Rules: docs/rules.md § The team service.
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { parseRecordEvent, type NewRecordEvent, type RecordPayload } from '../core/record/catalogue.js';
import type { MemberSnapshot } from '../core/record/team-schemas.js';
import { forkedPosts } from '../core/team/board/forked-posts.js';
import { checkNewMember, checkRoom } from '../core/team/board/roster.js';
import type { TeamActor } from '../core/team/board/team-state.js';
import { TeamError } from '../core/team/error.js';
import type { LiveState } from '../core/team/live-state.js';
import { isStorageError } from '../storage/error.js';
import type { RunStorage } from '../storage/port.js';
import { memberStreamId } from '../storage/streams.js';
import { newDomainEvent, type LiveRecord, type RecordContext } from './live-record.js';
import type { EngineDirectory } from './ports/engines.js';
import { command } from './team-command.js';

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
  /** Ids and names of everybody in the team. */
  readonly names: (state: LiveState) => readonly string[];
}

/** How much a prompt may hold, in UTF-16 code units. */
const MAX_PROMPT = 100_000;

type Reserved = Omit<MemberSnapshot, 'phase' | 'error'>;

/**
 * Spawns a member.
 * @returns the member, active.
 * @throws TeamError in the order of the checks; what went wrong on the way, after the member was recorded as failed;
 * AggregateError when it could not be recorded so.
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
  const member: Reserved = { id: randomUUID(), name, description, provider, context: request.context };
  const reserved = await write(context, (state) => {
    checkRoom(state.board, name, context.names(state), context.limits);
    return { ...member, phase: 'provisioning' };
  });
  try {
    checkAbort(signal);
    if (context.engines.find(provider) === null) {
      throw new TeamError('TEAM_INVALID_ARGUMENT', `The engine "${provider}" is not available.`);
    }
    await givePrompt(context, reserved, member, prompt);
    checkAbort(signal);
  } catch (error) {
    throw await failed(context, member, error);
  }
  const after = await write(context, (state) => {
    // SP-11: a Stop that came first is final, and a member that joins has a turn to take.
    const end: MemberSnapshot = signal.aborted
      ? { ...member, phase: 'failed', error: messageOf(signal.reason) }
      : { ...member, phase: 'active' };
    return settled(state, member.id, end);
  });
  const settledAs = after.board.members.get(member.id);
  if (settledAs?.phase === 'active') return settledAs;
  checkAbort(signal);
  throw new TeamError('TEAM_PROVISIONING_CONFLICT', `${name} was settled as failed by another window meanwhile.`);
}

/** An Error stays what it is; anything else says no more than that the team is not to go on with this. */
function checkAbort({ aborted, reason }: AbortSignal): void {
  if (!aborted) return;
  throw reason instanceof Error ? reason : new TeamError('TEAM_DISPOSED', 'The spawning was cut off.', reason);
}

/** Records the member as failed. @returns what is to be thrown: the error itself, unless there is more to say. */
async function failed(context: SpawnContext, member: Reserved, error: unknown): Promise<unknown> {
  const outcome = { ...member, phase: 'failed', error: messageOf(error) } as const;
  try {
    const state = await write(context, (now) => settled(now, member.id, outcome));
    if (state.board.members.get(member.id)?.phase !== 'active') return error;
    const conflict = new TeamError('TEAM_PROVISIONING_CONFLICT', `${member.name} was settled as active meanwhile.`);
    return new AggregateError([error, conflict], conflict.message);
  } catch (second) {
    return new AggregateError([error, second], `${member.name} could not be recorded as failed.`);
  }
}

/** Null when somebody settled the member meanwhile: what is there stays. */
function settled(state: LiveState, id: string, member: MemberSnapshot): MemberSnapshot | null {
  return state.board.members.get(id)?.phase === 'provisioning' ? member : null;
}

async function write(
  { record, runId, clock }: Pick<SpawnContext, 'record' | 'runId' | 'clock'>,
  decide: (state: LiveState) => MemberSnapshot | null,
): Promise<LiveState> {
  return command({ record, clock }, (state) => {
    const member = decide(state);
    return member === null ? [] : [{ event: memberEvent(runId, member) }];
  });
}

function memberEvent(runId: string, member: MemberSnapshot): NewRecordEvent {
  return { type: 'team/member', payload: { version: 1, teamId: runId, member } };
}

/** @throws TeamError `TEAM_PROVISIONING_CONFLICT` when the member's stream begins with something else. */
async function givePrompt(context: SpawnContext, state: LiveState, member: Reserved, prompt: string): Promise<void> {
  const place = state.spawning.get(member.id);
  if (place === undefined) {
    throw new TeamError('TEAM_PROVISIONING_CONFLICT', `${member.name} was settled by somebody else.`);
  }
  const { eventStore, record } = context.storage;
  const stream = { namespace: record.namespace, streamId: memberStreamId(context.runId, place.ordinal) };
  const posts = member.context === 'fork' ? forkedPosts(state) : [];
  const payload = { member: { ...member, phase: 'provisioning' as const }, prompt, posts };
  const event = newDomainEvent(context, { event: { type: 'prompt:given', payload }, eventId: member.id });
  try {
    await eventStore.append(stream, 0, [event]);
  } catch (error) {
    if (isStorageError(error, 'DUPLICATE_EVENT_ID')) return;
    if (!isStorageError(error, 'REVISION_CONFLICT')) throw error;
    const given = await readGiven(context.storage, context.runId, place.ordinal);
    if (given?.member.id === member.id) return;
    throw new TeamError(
      'TEAM_PROVISIONING_CONFLICT',
      `The stream of ${member.name} begins with something else.`,
      error,
    );
  }
}

/** What a member was asked to do, with the posts that it knows; null when its stream does not say. */
export async function readPrompt(storage: RunStorage, runId: string, ordinal: number): Promise<GivenPrompt | null> {
  const given = await readGiven(storage, runId, ordinal);
  return given === null || given === undefined ? null : { text: given.prompt, posts: given.posts };
}

export interface GivenPrompt {
  readonly text: string;
  readonly posts: RecordPayload<'prompt:given'>['posts'];
}

/** Undefined for a stream that is empty, null for one that begins with something else. */
async function readGiven(
  storage: RunStorage,
  runId: string,
  ordinal: number,
): Promise<RecordPayload<'prompt:given'> | null | undefined> {
  const stream = { namespace: storage.record.namespace, streamId: memberStreamId(runId, ordinal) };
  for await (const envelope of storage.eventStore.read(stream)) {
    const event = parseRecordEvent(envelope);
    return event.type === 'prompt:given' ? event.payload : null;
  }
  return undefined;
}

/** Settles members whose spawning was cut off: active when their prompt is durable, else failed. */
export async function settleProvisioning(
  context: Pick<SpawnContext, 'storage' | 'runId' | 'clock' | 'record'>,
  state: LiveState,
): Promise<void> {
  for (const [id, { ordinal }] of state.spawning) {
    const member = state.board.members.get(id);
    if (member?.phase !== 'provisioning') continue;
    const outcome = await outcomeOf(context, member, ordinal);
    await write(context, (now) => settled(now, id, outcome));
  }
}

async function outcomeOf(
  { storage, runId }: Pick<SpawnContext, 'storage' | 'runId'>,
  member: MemberSnapshot,
  ordinal: number,
): Promise<MemberSnapshot> {
  try {
    const given = await readGiven(storage, runId, ordinal);
    if (given === undefined) {
      return { ...member, phase: 'failed', error: 'child Session recovery failed: it was never given its prompt.' };
    }
    const isSame = given?.member.id === member.id && given.member.provider === member.provider;
    if (isSame) return { ...member, phase: 'active' };
    return { ...member, phase: 'failed', error: 'The stored stream does not match the provisioned continuation.' };
  } catch (error) {
    return { ...member, phase: 'failed', error: `child Session recovery failed: ${messageOf(error)}` };
  }
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : inspect(error, { breakLength: Infinity });
}
