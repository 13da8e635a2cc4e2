// A conversation for the cases of a team's chat: begun, watched and opened again.
import { onTestFinished } from 'vitest';
import type { LiveState } from '../../src/core/team/live-state.js';
import type { TeamFile } from '../../src/core/team/team-file.js';
import { Conversation, type ConversationHost } from '../../src/runtime/conversation.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';
import type { LocalRunStorage, NewDomainEvent, StreamId } from '../../src/storage/port.js';
import { events, HandEngine, host, memoryStorage, team } from './live-team.js';

export const CHAT_TEAM = ['ana', 'legal', 'tech'];

/** Begins a conversation that is closed when the test ends; `reopen` is a reload. */
export async function beginChat(file: TeamFile = team(CHAT_TEAM), more: Partial<ConversationHost> = {}) {
  const disk = new MemoryDisk();
  const storage = memoryStorage(disk);
  const engine = new HandEngine();
  const window = { ...host(storage, engine), ...more };
  const conversation = await Conversation.start(window, file, []);
  onTestFinished(() => conversation.close());
  const { runId } = conversation;
  const reopen = async () => {
    await conversation.close();
    const next = new HandEngine();
    const again = await Conversation.open(host(memoryStorage(disk), next), runId);
    onTestFinished(() => again.close());
    return { conversation: again, engine: next };
  };
  return { disk, storage, engine, conversation, runId, window, reopen };
}

export async function stateOf(conversation: Conversation): Promise<LiveState> {
  return (await conversation.status()).state;
}

/** What the events of one type say, in order. */
export async function payloads(storage: LocalRunStorage, runId: string, type: string) {
  return (await events(storage, runId)).filter((event) => event.type === type).map(({ payload }) => payload);
}

export function isIdle({ members }: LiveState): boolean {
  return [...members.values()].every(({ open, queue }) => open === null && queue.length === 0);
}

/** A storage whose appends are seen first; one for which `see` returns a promise waits for it. */
export function tapped(
  whole: LocalRunStorage,
  see: (stream: StreamId, batch: readonly NewDomainEvent[]) => Promise<never> | undefined,
): LocalRunStorage {
  return {
    ...whole,
    eventStore: {
      ...whole.eventStore,
      append: async (stream, expected, batch) => {
        await see(stream, batch);
        return whole.eventStore.append(stream, expected, batch);
      },
    },
  };
}
