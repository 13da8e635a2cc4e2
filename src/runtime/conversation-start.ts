// How a conversation begins, and what is found again in one that has begun.
import { parseRecordEvent, type NewRecordEvent } from '../core/record/catalogue.js';
import { effectiveLimits, type LimitLevels } from '../core/team/limits.js';
import { parseTeamFile, type TeamFile } from '../core/team/team-file.js';
import { StorageError } from '../storage/error.js';
import type { LocalRunStorage } from '../storage/port.js';

/** What the person's settings say, read when a conversation begins and when the person changes them. */
export interface ConversationSettings {
  readonly limits: Omit<LimitLevels, 'team'>;
  readonly acknowledgements: 'quiet' | 'wake';
}

export const NO_SETTINGS: ConversationSettings = { limits: {}, acknowledgements: 'quiet' };

/** How a fresh conversation begins. */
export function startEvent(
  { settings = () => NO_SETTINGS }: { readonly settings?: () => ConversationSettings },
  team: TeamFile,
  folders: readonly string[],
): NewRecordEvent & { readonly type: 'conversation:started' } {
  const { limits: levels, acknowledgements } = settings();
  const { limits, sources } = effectiveLimits({ ...levels, team: team.limits });
  return {
    type: 'conversation:started',
    payload: {
      teamId: team.id,
      team: team.canonicalText,
      limits,
      limitSources: sources,
      policies: { acknowledgements },
      folders: [...folders],
      forkOf: null,
    },
  };
}

/** Reads the team file that a conversation was started with. */
export async function readTeamOf(storage: LocalRunStorage, runId: string): Promise<TeamFile> {
  const stream = { namespace: storage.record.namespace, streamId: runId };
  for await (const envelope of storage.eventStore.read(stream)) {
    const event = parseRecordEvent(envelope);
    if (event.type === 'conversation:started') return parseTeamFile(event.payload.team, event.payload.teamId);
    break;
  }
  throw new StorageError('INVALID_STORED_VALUE', `The stored run ${runId} is not a conversation.`, { path: '/runId' });
}

/** The id of the post that was written under an event id; null when there is none. */
export async function findPost(storage: LocalRunStorage, runId: string, eventId: string): Promise<string | null> {
  const stream = { namespace: storage.record.namespace, streamId: runId };
  for await (const envelope of storage.eventStore.read(stream)) {
    if (envelope.eventId !== eventId) continue;
    const event = parseRecordEvent(envelope);
    return event.type === 'post:written' ? event.payload.id : null;
  }
  return null;
}
