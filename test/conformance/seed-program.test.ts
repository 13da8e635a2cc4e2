// The program that says what a bounded team is: it is run as its reader would run it, and prints what its page shows.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { compileGraph } from '../../src/core/graph/compile.js';
import { canonicalJson, utf8Length, type JsonObject, type JsonValue } from '../../src/core/json.js';
import { teamGraphType } from '../../src/core/team/team-graph.js';
import type { TeamDefinition, TeamTurnInput } from '../../src/core/team/team-model.js';
import { loadRunDefinition } from '../../src/runtime/run-definition.js';
import { projectTeamRooms } from '../../src/runtime/room-files.js';
import { bundled, outputOf } from './bundled.js';
import { bindingOf, RUN } from './run-binding.js';
import { identityOf, never, runLab, runOn, startedRun, STORES, temporaryFolder } from './run-fixture.js';
import { compileTeam, FINAL, QUESTION, releaseTeam, REPLY } from './team-fixture.js';

const PAGE = {
  messages: [
    { sender: 'writer', text: 'Please review: Prepare a release note.' },
    { sender: 'reviewer', text: 'Reviewed team/writer/1/0: Please review: Prepare a release note.' },
  ],
  order: ['writer', 'reviewer', 'writer'],
  answers: [
    {
      name: 'writer',
      summary: 'Finished Prepare a release note.: Reviewed team/writer/1/0: Please review: Prepare a release note.',
    },
    { name: 'reviewer', summary: 'Draft checked.' },
  ],
  projectionRevision: 10,
  replayAddedEvents: false,
  temporaryDirectoryRemoved: true,
};

test.each(['', '1'])(
  'A-48 the program prints the JSON of its page and exits by itself (state dropped: "%s")',
  async (drop) => {
    const program = await bundled('examples/team-conversation.ts', await temporaryFolder());
    const printed = await outputOf(program, { TEAMROOM_DROP_STATE: drop });
    expect(printed).toBe(`${JSON.stringify(PAGE, null, 2)}\n`);
  },
);

/** The members of the release team, answering as the program's do. Each call is noted. */
function members(scratch: string, calls: { nodeId: string; input: TeamTurnInput }[]) {
  const answers: Record<string, JsonValue[]> = { writer: [QUESTION, FINAL], reviewer: [REPLY] };
  const bind = (nodeId: string) =>
    bindingOf(scratch, async ({ input }) => {
      calls.push({ nodeId, input: input as TeamTurnInput });
      return answers[nodeId]?.shift() ?? null;
    });
  return { writer: bind('writer'), reviewer: bind('reviewer') };
}

describe.each(STORES)('the release team on %s', (store) => {
  test('A-48 ten events are recorded, in their order and with exactly their fields', async () => {
    const lab = await runLab(store);
    const calls: { nodeId: string; input: TeamTurnInput }[] = [];
    const run = await startedRun(lab, compileTeam(), members(lab.scratch, calls));
    const outcome = await (await run.executor()).run(never());

    expect(outcome).toEqual({
      kind: 'complete',
      output: {
        task: 'Prepare a release note.',
        agents: [
          { name: 'writer', role: 'writer', result: FINAL },
          { name: 'reviewer', role: 'reviewer', result: REPLY },
        ],
      },
    });
    const events = await run.events();
    const place = (nodeId: string, turn: number) => ({ nodeId, position: `team/${nodeId}/${turn}` });
    const started = (short: string) => [
      'graph:node-attempt-started',
      { identity: identityOf(short), retrySafe: false },
    ];
    expect(events.slice(1).map(({ type, payload }) => [type, payload])).toEqual([
      ['graph:node-dispatched', place('writer', 1)],
      started('writer/1'),
      ['graph:node-completed', { ...place('writer', 1), result: QUESTION }],
      ['graph:node-dispatched', place('reviewer', 1)],
      started('reviewer/1'),
      ['graph:node-completed', { ...place('reviewer', 1), result: REPLY }],
      ['graph:node-dispatched', place('writer', 2)],
      started('writer/2'),
      ['graph:node-completed', { ...place('writer', 2), result: FINAL }],
    ]);
    expect(events[0]).toMatchObject({ eventId: 'release-team-started', type: 'graph:run-started', revision: 1 });
    for (const [index, event] of events.entries()) {
      expect(event).toMatchObject({ revision: index + 1, version: 1, correlationId: RUN, causationId: null });
      expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      if (index > 0) expect(event.eventId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
    }
    expect(calls.map(({ nodeId }) => nodeId)).toEqual(['writer', 'reviewer', 'writer']);
    expect(calls.map(({ input }) => utf8Length(canonicalJson(input)))).toEqual([112, 266, 590]);
    const results = events
      .map(({ payload }) => (payload as JsonObject)['result'])
      .filter((result) => result !== undefined);
    expect(results.map((result) => utf8Length(canonicalJson(result)))).toEqual([133, 154, 226]);
  });

  test('A-49 a fresh executor on reopened storage gives the same outcome, adds nothing and calls nobody', async () => {
    const lab = await runLab(store);
    const run = await startedRun(lab, compileTeam(), members(lab.scratch, []));
    const outcome = await (await run.executor()).run(never());
    const before = await run.events();

    const calls: { nodeId: string; input: TeamTurnInput }[] = [];
    const storage = lab.open();
    const loaded = await loadRunDefinition(storage, RUN);
    const stored = loaded.record.payload.definition.graphDefinition.value;
    const again = await runOn(storage, compileTeam(stored), members(lab.scratch, calls)).executor();
    expect(await again.run(never())).toEqual(outcome);
    expect(await run.events()).toEqual(before);
    expect(calls).toEqual([]);
  });

  test('A-48 the room file has the bytes of the page', async () => {
    const lab = await runLab(store);
    const run = await startedRun(lab, compileTeam(), members(lab.scratch, []));
    await (await run.executor()).run(never());
    const directory = `${lab.root}/rooms`;
    const { revision, files } = await projectTeamRooms({ storage: run.storage, runId: RUN, directory });
    expect(revision).toBe(10);
    expect(files.map(({ roomId }) => roomId)).toEqual(['review']);
    expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe(
      'writer [team/writer/1/0] @reviewer: Please review: Prepare a release note.\n' +
        'reviewer [team/reviewer/1/0] @writer: Reviewed team/writer/1/0: Please review: Prepare a release note.\n',
    );
  });

  test('the rules, not the page: three members, two at a time, other texts and a private room', async () => {
    const lab = await runLab(store);
    const definition = {
      ...releaseTeam(),
      id: 'menu',
      data: {
        task: 'Plan a dinner.',
        globalConcurrency: 2,
        maxTurnsPerMember: 3,
        communication: {
          rooms: [
            { id: 'kitchen', members: ['cook', 'baker', 'guest'] },
            { id: 'pantry', members: ['cook', 'baker'] },
          ],
          tailMessages: 2,
        },
      },
      nodes: [
        { id: 'cook', data: { role: 'cook', brief: 'Main course.' } },
        { id: 'baker', data: { role: 'baker', brief: 'Dessert.' } },
        { id: 'guest', data: { role: 'guest', brief: 'Taste.', initialTurn: false } },
      ],
    };
    const post = (roomId: string, text: string, ...mentions: string[]) => ({ roomId, text, mentions });
    const answers: Record<string, JsonValue[]> = {
      cook: [
        { summary: 'Soup.', posts: [post('pantry', 'The guest dislikes nuts.', 'baker')] },
        { summary: 'Served.', posts: [post('kitchen', 'Soup is ready.', 'guest')] },
      ],
      baker: [
        { summary: 'Cake.', posts: [post('pantry', 'How many?', 'cook')] },
        { summary: 'No nuts.', posts: [post('kitchen', 'Cake is ready.', 'guest')] },
      ],
      guest: [{ summary: 'Delicious.' }],
    };
    const calls: { nodeId: string; input: TeamTurnInput }[] = [];
    const bind = (nodeId: string) =>
      bindingOf(lab.scratch, async ({ input }) => {
        calls.push({ nodeId, input: input as TeamTurnInput });
        return answers[nodeId]?.shift() ?? null;
      });
    const graph = compileGraph(teamGraphType, definition as unknown as TeamDefinition);
    const nodes = { cook: bind('cook'), baker: bind('baker'), guest: bind('guest') };
    const run = await startedRun(lab, graph, nodes);

    expect(await (await run.executor()).run(never())).toMatchObject({
      kind: 'complete',
      output: { agents: [{ result: { summary: 'Served.' } }, { result: { summary: 'No nuts.' } }, { name: 'guest' }] },
    });
    const story = await run.story();
    expect(story.slice(0, 5)).toEqual([
      'run-started',
      'node-dispatched team/cook/1',
      'node-dispatched team/baker/1',
      'node-attempt-started team/cook/1',
      'node-attempt-started team/baker/1',
    ]);
    // The batch settles before the next one begins, and the next one is again both.
    const second = story.indexOf('node-dispatched team/cook/2');
    expect(story.slice(5, second).toSorted()).toEqual(['node-completed team/baker/1', 'node-completed team/cook/1']);
    expect(story[second + 1]).toBe('node-dispatched team/baker/2');
    const guest = calls.filter(({ nodeId }) => nodeId === 'guest');
    expect(guest.map(({ input }) => input.messages.map(({ text }) => text).toSorted())).toEqual([
      ['Cake is ready.', 'Soup is ready.'],
    ]);

    const directory = `${lab.root}/rooms`;
    const { files } = await projectTeamRooms({ storage: run.storage, runId: RUN, directory });
    const texts = await Promise.all(files.map(({ path }) => readFile(path, 'utf8')));
    expect(texts[0]).not.toContain('nuts');
    expect(texts[1]?.split('\n').toSorted()).toEqual([
      '',
      'baker [team/baker/1/0] @cook: How many?',
      'cook [team/cook/1/0] @baker: The guest dislikes nuts.',
    ]);
  });
});
