// How members enter the record: each but the lead is provisioned, then active.
import { randomUUID } from 'node:crypto';
import type { NewRecordEvent } from '../core/record/catalogue.js';
import type { TeamFile } from '../core/team/team-file.js';

/** @param isNew - which members are to be recorded; all when absent. The lead is none of the roster. */
export function rosterEvents(
  runId: string,
  team: TeamFile,
  isNew: (memberId: string) => boolean = () => true,
): readonly NewRecordEvent[] {
  return team.members
    .filter(({ id }) => id !== team.lead && isNew(id))
    .flatMap(({ id, role, engine }): readonly NewRecordEvent[] => {
      const member = {
        id: randomUUID(),
        name: id,
        description: role,
        provider: engine.kind,
        context: 'fresh',
      } as const;
      return [
        { type: 'team/member', payload: { version: 1, teamId: runId, member: { ...member, phase: 'provisioning' } } },
        { type: 'team/member', payload: { version: 1, teamId: runId, member: { ...member, phase: 'active' } } },
      ];
    });
}
