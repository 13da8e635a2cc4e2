// What a changed team file or changed settings become in the record of a running conversation.
import { canonicalJson } from '../core/json.js';
import type { NewRecordEvent } from '../core/record/catalogue.js';
import { TeamError } from '../core/team/error.js';
import { effectiveLimits } from '../core/team/limits.js';
import type { LiveState } from '../core/team/live-state.js';
import type { TeamFile } from '../core/team/team-file.js';
import type { ConversationSettings } from './conversation-start.js';
import { rosterEvents } from './roster-events.js';

/**
 * @param team - the team file that is to be in force, which may be the one that is.
 * @returns nothing when neither the team nor a limit changes.
 * @throws TeamError `MEMBER_BUSY` when a member that is to leave has a turn.
 */
export function decideTeamChange(
  state: LiveState,
  team: TeamFile,
  settings: ConversationSettings,
  runId: string,
): readonly NewRecordEvent[] {
  const events: NewRecordEvent[] = [];
  if (team.canonicalText !== state.team) {
    const staying = new Set(team.members.map(({ id }) => id));
    const busy = [...state.members.values()].find(({ id, open }) => open !== null && !staying.has(id));
    if (busy !== undefined) {
      throw new TeamError(
        'MEMBER_BUSY',
        `${busy.id} has an open turn. Stop it, or let it end, before it leaves the team.`,
      );
    }
    events.push({ type: 'team:changed', payload: { team: team.canonicalText } });
    events.push(...rosterEvents(runId, team, (id) => !state.members.has(id)));
  }
  const { limits, sources: limitSources } = effectiveLimits({ ...settings.limits, team: team.limits });
  const { acknowledgements } = settings;
  const before = [state.limits, state.limitSources, state.acknowledgements];
  if (canonicalJson([limits, limitSources, acknowledgements]) !== canonicalJson(before)) {
    events.push({ type: 'limits:changed', payload: { limits, limitSources, policies: { acknowledgements } } });
  }
  return events;
}
