// A team of scripted members as a file of the workspace.
import type { JsonValue } from '../../../src/core/json.js';

export interface ScriptedMember {
  readonly id: string;
  /** Default: the id with a capital. */
  readonly name?: string;
  readonly role?: string;
  /** Rules of the scripted engine; the first that fits a post answers it. */
  readonly script: readonly JsonValue[];
}

export interface ScriptedTeam {
  readonly id: string;
  readonly name?: string;
  /** The first one leads. */
  readonly members: readonly [ScriptedMember, ...ScriptedMember[]];
  readonly room: { readonly id: string; readonly name: string };
  readonly limits?: Readonly<Record<string, number>>;
  readonly suggestion?: string;
}

/** @returns the workspace's files: the team file, by its path */
export function scriptedTeam({ id, name, members, room, limits, suggestion }: ScriptedTeam): Record<string, string> {
  const file = {
    id,
    ...(name === undefined ? {} : { name }),
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(limits === undefined ? {} : { limits }),
    lead: members[0].id,
    data: { communication: { rooms: [{ ...room, members: members.map((member) => member.id) }] } },
    nodes: members.map((member) => ({
      id: member.id,
      data: {
        role: member.role ?? 'Helps',
        brief: 'Plays a script.',
        engine: 'scripted',
        script: member.script,
        ...(member.name === undefined ? {} : { name: member.name }),
      },
    })),
    edges: [],
  };
  return { [`.vscode/teams/${id}.team.json`]: JSON.stringify(file, null, 2) };
}
