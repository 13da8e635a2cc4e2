// A conversation whose members act through the team's service: the lead is called ana, alpha and beta are its teammates.
import type { JsonObject } from '../../src/core/json.js';
import { TeamError } from '../../src/core/team/error.js';
import type { ConversationHost, Conversation } from '../../src/runtime/conversation.js';
import type { TeamHandle } from '../../src/runtime/team-service.js';
import { beginChat, stateOf } from './chat.js';
import { team } from './live-team.js';

export type Actor = 'lead' | 'alpha' | 'beta' | 'you';

/** Begins a conversation of the three. */
export function beginTeam(more: Partial<ConversationHost> = {}, members: readonly string[] = ['ana', 'alpha', 'beta']) {
  return beginChat(team(members), more);
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
