// A conversation whose members act through the team's service: the lead is called ana, alpha and beta are its teammates.
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import { TeamError } from '../../src/core/team/error.js';
import { readLiveTeam } from '../../src/core/team/live-team.js';
import { Conversation, type ConversationHost } from '../../src/runtime/conversation.js';
import { LiveRecord } from '../../src/runtime/live-record.js';
import { systemClock } from '../../src/runtime/system-clock.js';
import type { TeamHandle } from '../../src/runtime/team-service.js';
import type { LocalRunStorage } from '../../src/storage/port.js';
import { beginChat, stateOf } from './chat.js';
import { HandEngine, host, team } from './live-team.js';

export type Actor = 'lead' | 'alpha' | 'beta' | 'you';

/** Begins a conversation of the three. */
export function beginTeam(more: Partial<ConversationHost> = {}, members: readonly string[] = ['ana', 'alpha', 'beta']) {
  return beginChat(team(members), more);
}

/** The same on a storage of the case's own, run by this window. */
export async function beginTeamOn(storage: LocalRunStorage, more: Partial<ConversationHost> = {}) {
  const engine = new HandEngine();
  const window = { ...host(storage, engine), ...more };
  const conversation = await Conversation.start(window, team(['ana', 'alpha', 'beta']), []);
  onTestFinished(() => conversation.close());
  await conversation.resumeTeam();
  return { window, engine, conversation, runId: conversation.runId };
}

/** The record of a conversation, read and written beside it. */
export function recordOf(storage: LocalRunStorage, runId: string): LiveRecord {
  const onError = (error: unknown): never => {
    throw error;
  };
  const readTeam = readLiveTeam;
  return new LiveRecord({ storage, runId, clock: systemClock, dropState: false, readTeam, onError });
}

/** The handle of one of them, as the service gives it out. */
export async function handleOf(conversation: Conversation, actor: string): Promise<TeamHandle> {
  const { service } = conversation;
  if (actor === 'you') return service.person;
  return service.handle(await stateOf(conversation), actor === 'lead' ? 'ana' : actor);
}

/** What a call gave: its value, or the code of what it was refused with. Anything else that is thrown is a failure. */
export async function outcomeOf<Value>(call: Promise<Value>): Promise<Value | string> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof TeamError) return error.code;
    throw error;
  }
}

/** A view in which an absent key is told from one that is there. */
export function keyed(view: object): JsonObject {
  return { owner: null, ...('ownerName' in view ? { owner: view.ownerName as string } : {}), ...view };
}

/** Texts as the blocks of a message. */
export function blocks(...texts: readonly string[]) {
  return texts.map((text) => ({ type: 'text', text }));
}
