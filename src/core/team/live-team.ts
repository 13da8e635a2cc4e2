// The part of a conversation's team file that the rules of the live conversation read.
import type { LiveTeam } from './live-state.js';
import { parseTeamFile } from './team-file.js';

/** @throws TeamFileError when the text is no team file of that id. */
export function readLiveTeam(text: string, teamId: string): LiveTeam {
  const team = parseTeamFile(text, teamId);
  return {
    id: team.id,
    lead: team.lead,
    members: team.members.map(({ id }) => id),
    rooms: team.rooms.map(({ id, name, kind, members }) => ({ id, name, kind, members })),
  };
}
