// One turn of a scripted member: what it is given, and everything that it reports.
import type { JsonValue } from '../../src/core/json.js';
import { parseTeamFile, type TeamFile } from '../../src/core/team/team-file.js';
import type { EngineStep, EngineTurn, GivenPost, TurnInput, TurnResult } from '../../src/runtime/ports/engine.js';
import type { TeamTool } from '../../src/runtime/tools/team-tool.js';
import { TurnTools } from '../../src/runtime/tools/turn-tools.js';

/** A team of two whose first member plays a script. */
export function scriptedTeam(script: JsonValue): TeamFile {
  const node = (id: string) => ({
    id,
    data: { role: `the ${id}`, brief: 'Answer.', script: id === 'ana' ? script : [] },
  });
  const nodes = [node('ana'), node('ben')];
  return parseTeamFile(JSON.stringify({ id: 'duo', lead: 'ana', data: {}, nodes, edges: [] }), 'duo');
}

export function givenPost(text: string, sender = 'you', id = 'you/1/0'): GivenPost {
  return { id, sender, text, mentions: [] };
}

/** What a turn that posts woke has besides. */
const NO_MAIL = { mail: [], prompt: null, readyTasks: [] };

export function turnInput(
  team: TeamFile,
  id: string,
  triggers: readonly GivenPost[],
  previous: TurnResult | null = null,
  position = `team/${id}/1`,
): TurnInput {
  const member = team.members.find((candidate) => candidate.id === id);
  if (member === undefined) throw new Error(`There is no member ${id}.`);
  return {
    position,
    member,
    team,
    roomId: 'release',
    triggers,
    messages: triggers,
    previous,
    retried: null,
    ...NO_MAIL,
  };
}

/** A turn to run in: its steps, and a signal that the test aborts. */
export interface OpenStage extends EngineTurn {
  readonly steps: readonly EngineStep[];
  readonly stop: () => void;
}

/** @param tools - what the team has; their calls are reported as in a conversation. */
export function stage(tools: readonly TeamTool[] = []): OpenStage {
  const steps: EngineStep[] = [];
  const abort = new AbortController();
  const { signal } = abort;
  const step = (what: EngineStep): void => void steps.push(what);
  const mail = { takeMail: () => Promise.resolve([]) };
  const caller = { memberId: 'ana', position: 'team/ana/1', roomId: 'release', signal };
  return {
    ...mail,
    steps,
    step,
    signal,
    stop: () => abort.abort(),
    tools: new TurnTools({ tools, policy: '', caller, step, signal, onLoop: () => abort.abort() }),
  };
}
