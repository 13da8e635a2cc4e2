// What a changed team file or changed settings become in the record of a running conversation.
import { canonicalJson } from '../core/json.js';
import type { NewRecordEvent } from '../core/record/catalogue.js';
import { TeamError } from '../core/team/error.js';
import { effectiveLimits } from '../core/team/limits.js';
import type { LiveState } from '../core/team/live-state.js';
import { memberNamed } from '../core/team/board/team-state.js';
import { parseTeamFile, type TeamFile } from '../core/team/team-file.js';
import type { ConversationSettings } from './conversation-start.js';
import { rosterEvents } from './roster-events.js';

/**
 * @param team - the team file that is to be in force, which may be the one that is.
 * @returns nothing when neither the team nor a limit changes.
 * @throws TeamError `MEMBER_BUSY` when a member that is to leave has a turn, `TEAM_MEMBER_NAME_TAKEN` for an id that
 * belonged to a teammate which could not be made.
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
    const { members: declared } = parseTeamFile(state.team, state.teamId);
    const leaving = declared.map(({ id }) => id).filter((id) => !staying.has(id));
    const busy = leaving.map((id) => state.members.get(id)).find((member) => (member?.open ?? null) !== null);
    if (busy !== undefined) {
      throw new TeamError(
        'MEMBER_BUSY',
        `${busy.id} has an open turn. Stop it, or let it end, before it leaves the team.`,
      );
    }
    events.push({ type: 'team:changed', payload: { team: team.canonicalText } });
    events.push(...rosterEvents(runId, team, (id) => isNew(state, id)));
  }
  const { limits, sources: limitSources } = effectiveLimits({ ...settings.limits, team: team.limits });
  const { acknowledgements } = settings;
  const before = [state.limits, state.limitSources, state.acknowledgements];
  if (canonicalJson([limits, limitSources, acknowledgements]) !== canonicalJson(before)) {
    events.push({ type: 'limits:changed', payload: { limits, limitSources, policies: { acknowledgements } } });
  }
  return events;
}

/** True for who is not on the roster yet: also a lead that is not the lead any more, which was never on it. */
function isNew(state: LiveState, id: string): boolean {
  const member = state.members.get(id) ?? state.former.get(id);
  if (member !== undefined && member.handleId !== null) return false;
  if (memberNamed(state.board, id) === null) return true;
  throw new TeamError(
    'TEAM_MEMBER_NAME_TAKEN',
    `There was a teammate "${id}" in this conversation already. Give the member another id, or begin a new conversation.`,
  );
}
