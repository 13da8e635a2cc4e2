// How a team behaves: what each event changes, who is next, and what a member is given. Stories of events.
import { describe, expect, test } from 'vitest';
import { canonicalJson, cloneJson, utf8Length, type JsonValue } from '../../src/core/json.js';
import type { TeamMemberState, TeamMessage, TeamState } from '../../src/core/team/team-model.js';
import {
  ANSWERED,
  ASKED,
  bentTeam,
  compileTeam,
  completed,
  decideAfter,
  dispatched,
  FINAL,
  fold,
  inputAfter,
  positionsAfter,
  post,
  QUESTION,
  REPLY,
  said,
  turn,
} from './team-fixture.js';

const team = compileTeam();
const everybodyStarts = bentTeam((definition) => {
  for (const node of definition.nodes) delete node.data.initialTurn;
});
const pair = bentTeam((definition) => {
  definition.data.globalConcurrency = 2;
  for (const node of definition.nodes) delete node.data.initialTurn;
});
const finished = [...ANSWERED, ...turn('writer/2', cloneJson(FINAL))];

describe('a conversation from its beginning to its end', () => {
  const idle: TeamMemberState = {
    status: 'idle',
    turns: 0,
    inFlight: null,
    pauseReason: null,
    failureCode: null,
    result: null,
    queued: false,
    triggers: [],
  };
  const question: TeamMessage = {
    roomId: 'review',
    text: 'Please review: Prepare a release note.',
    mentions: ['reviewer'],
    id: 'team/writer/1/0',
    sender: 'writer',
    position: 'team/writer/1',
  };
  const reply: TeamMessage = {
    roomId: 'review',
    text: 'Reviewed team/writer/1/0: Please review: Prepare a release note.',
    mentions: ['writer'],
    id: 'team/reviewer/1/0',
    sender: 'reviewer',
    position: 'team/reviewer/1',
  };
  const states: readonly TeamState[] = [
    { nodes: { writer: { ...idle, queued: true }, reviewer: idle }, messages: [] },
    {
      nodes: { writer: { ...idle, status: 'in-flight', turns: 1, inFlight: 'team/writer/1' }, reviewer: idle },
      messages: [],
    },
    {
      nodes: {
        writer: { ...idle, turns: 1, result: QUESTION },
        reviewer: { ...idle, queued: true, triggers: ['team/writer/1/0'] },
      },
      messages: [question],
    },
    {
      nodes: {
        writer: { ...idle, turns: 1, result: QUESTION },
        reviewer: { ...idle, status: 'in-flight', turns: 1, inFlight: 'team/reviewer/1' },
      },
      messages: [question],
    },
    {
      nodes: {
        writer: { ...idle, turns: 1, result: QUESTION, queued: true, triggers: ['team/reviewer/1/0'] },
        reviewer: { ...idle, turns: 1, result: REPLY },
      },
      messages: [question, reply],
    },
    {
      nodes: {
        writer: { ...idle, status: 'in-flight', turns: 2, inFlight: 'team/writer/2', result: QUESTION },
        reviewer: { ...idle, turns: 1, result: REPLY },
      },
      messages: [question, reply],
    },
    {
      nodes: { writer: { ...idle, turns: 2, result: FINAL }, reviewer: { ...idle, turns: 1, result: REPLY } },
      messages: [question, reply],
    },
  ];
  const task = 'Prepare a release note.';
  const writer = { task, role: 'writer', brief: 'Draft the release note.' };
  const decisions: readonly (readonly unknown[])[] = [
    [
      {
        kind: 'dispatch',
        nodeId: 'writer',
        position: 'team/writer/1',
        input: { ...writer, result: null, messages: [] },
      },
    ],
    [],
    [
      {
        kind: 'dispatch',
        nodeId: 'reviewer',
        position: 'team/reviewer/1',
        input: { task, role: 'reviewer', brief: 'Check the draft.', result: null, messages: [question] },
      },
    ],
    [],
    [
      {
        kind: 'dispatch',
        nodeId: 'writer',
        position: 'team/writer/2',
        input: { ...writer, result: QUESTION, messages: [question, reply] },
      },
    ],
    [],
    [
      {
        kind: 'complete',
        output: {
          task,
          agents: [
            { name: 'writer', role: 'writer', result: FINAL },
            { name: 'reviewer', role: 'reviewer', result: REPLY },
          ],
        },
      },
    ],
  ];
  test.each(states.map((state, step) => ({ state, step })))('A-17 state and decision after $step events', (row) => {
    const events = finished.slice(0, row.step);
    expect(fold(team, events)).toStrictEqual(row.state);
    expect(decideAfter(team, events)).toStrictEqual(decisions[row.step]);
  });

  test('A-18 the first input has exactly five fields', () => {
    const input = inputAfter(team, [], 'writer');
    expect(Object.keys(input).sort()).toEqual(['brief', 'messages', 'result', 'role', 'task']);
    expect(input).toMatchObject({ result: null, messages: [] });
  });

  test('A-20 the second input of the writer has its own first result, and question and reply in saved order', () => {
    const input = inputAfter(team, ANSWERED, 'writer');
    expect(input.result).toEqual(QUESTION);
    expect(input.messages).toEqual([question, reply]);
  });

  test.each([
    { member: 'writer', events: [], bytes: 112, result: QUESTION, resultBytes: 133 },
    { member: 'reviewer', events: ASKED, bytes: 266, result: REPLY, resultBytes: 154 },
    { member: 'writer', events: ANSWERED, bytes: 590, result: FINAL, resultBytes: 226 },
  ])('vector: an input of $bytes bytes gives a result of $resultBytes bytes', (row) => {
    expect(utf8Length(canonicalJson(inputAfter(team, row.events, row.member)))).toBe(row.bytes);
    expect(utf8Length(canonicalJson(row.result))).toBe(row.resultBytes);
  });
});

describe('who is next', () => {
  test('A-21 without initialTurn both begin, one after the other', () => {
    expect(positionsAfter(everybodyStarts, [])).toEqual(['team/writer/1']);
    expect(positionsAfter(everybodyStarts, turn('writer/1', said('Nothing to ask.')))).toEqual(['team/reviewer/1']);
  });

  test('A-22 a reviewer that nobody mentions never runs', () => {
    expect(decideAfter(team, turn('writer/1', { summary: 'Done alone.' }))).toMatchObject([
      {
        kind: 'complete',
        output: { agents: [{ result: { summary: 'Done alone.' } }, { name: 'reviewer', result: null }] },
      },
    ]);
  });

  test('A-24 a batch settles whole before its free slot is used', () => {
    const three = bentTeam((definition) => {
      definition.data.globalConcurrency = 2;
      definition.nodes = ['writer', 'reviewer', 'editor'].map((id) => ({ id, data: { role: id, brief: '' } }));
    });
    const batch = [dispatched('writer/1'), dispatched('reviewer/1')];
    expect(positionsAfter(three, [])).toEqual(['team/writer/1', 'team/reviewer/1']);
    expect(decideAfter(three, [...batch, completed('writer/1', said('First.'))])).toEqual([]);
    expect(
      positionsAfter(three, [
        ...batch,
        completed('writer/1', said('First.')),
        completed('reviewer/1', said('Second.')),
      ]),
    ).toEqual(['team/editor/1']);
  });

  test('A-25 a mention of a member that is running gives it a later turn with that message', () => {
    const events = [
      dispatched('writer/1'),
      dispatched('reviewer/1'),
      completed('writer/1', cloneJson(QUESTION)),
      completed('reviewer/1', said('Looked already.')),
    ];
    expect(fold(pair, events.slice(0, 3)).nodes['reviewer']).toMatchObject({ status: 'in-flight', queued: true });
    expect(positionsAfter(pair, events)).toEqual(['team/reviewer/2']);
    expect(inputAfter(pair, events, 'reviewer').messages.map(({ id }) => id)).toEqual(['team/writer/1/0']);
  });

  test('A-45 who mentions itself has another turn', () => {
    const again = turn('writer/1', said('More to do.', post('review', 'Go on.', 'writer', 'writer')));
    expect(fold(team, again).nodes['writer']).toMatchObject({ queued: true, triggers: ['team/writer/1/0'] });
    expect(positionsAfter(team, again)).toEqual(['team/writer/2']);
  });

  test('A-46 a team of nobody is complete at once', () => {
    const nobody = bentTeam((definition) => {
      definition.nodes = [];
      delete definition.data.communication;
    });
    expect(nobody.decide(nobody.initialState())).toEqual([
      { kind: 'complete', output: { task: 'Prepare a release note.', agents: [] } },
    ]);
  });

  test('A-36 two who keep mentioning each other reach the cap, and the run fails', () => {
    const ping = (to: string): JsonValue => said('Again.', post('review', 'And you?', to));
    const events = ['writer/1', 'reviewer/1', 'writer/2', 'reviewer/2'].flatMap((at) =>
      turn(at, ping(at.startsWith('writer') ? 'reviewer' : 'writer')),
    );
    expect(team.describe().bounds.dispatches.max).toEqual({ kind: 'known', value: 4 });
    expect(decideAfter(team, events.slice(0, -2))).toMatchObject([{ kind: 'dispatch', position: 'team/reviewer/2' }]);
    expect(decideAfter(team, events)).toEqual([
      { kind: 'fail', code: 'TEAM_TURN_LIMIT', message: 'Member "writer" reached maxTurnsPerMember.' },
    ]);
  });

  test('the cap is looked at before anybody is dispatched', () => {
    const capOne = bentTeam((definition) => {
      definition.data.maxTurnsPerMember = 1;
      delete definition.nodes[1]?.data.initialTurn;
    });
    const again = turn('writer/1', said('More.', post('review', 'Me again.', 'writer')));
    expect(decideAfter(capOne, again)).toMatchObject([{ kind: 'fail', code: 'TEAM_TURN_LIMIT' }]);
  });
});

describe('what a member is given', () => {
  test('A-26 nothing of a private room, nothing of another member’s result', () => {
    const withDesk = bentTeam((definition) => {
      definition.data.communication = {
        rooms: [
          { id: 'all', members: ['writer', 'reviewer', 'editor'] },
          { id: 'desk', members: ['writer', 'editor'] },
        ],
        tailMessages: 5,
      };
      definition.nodes.push({ id: 'editor', data: { role: 'editor', brief: 'Edit.', initialTurn: false } });
    });
    const events = turn('writer/1', {
      summary: 'secret summary',
      data: 'secret data',
      posts: [post('desk', 'secret text', 'editor'), post('all', 'open text', 'reviewer')],
    });
    const outsider = inputAfter(withDesk, events, 'reviewer');
    expect(outsider.messages.map(({ text }) => text)).toEqual(['open text']);
    expect(canonicalJson(outsider)).not.toContain('secret');
    const insider = [...events, ...turn('reviewer/1', said('Fine.'))];
    expect(inputAfter(withDesk, insider, 'editor').messages.map(({ text }) => text)).toEqual([
      'secret text',
      'open text',
    ]);
  });

  test('the tail is per room; what asked for the turn comes along even when it is older', () => {
    const short = bentTeam((definition) => {
      if (definition.data.communication !== undefined) definition.data.communication.tailMessages = 2;
    });
    const posts = [
      post('review', 'one'),
      post('review', 'two', 'reviewer'),
      post('review', 'three', 'reviewer'),
      post('review', 'four'),
      post('review', 'five'),
    ];
    const texts = inputAfter(short, turn('writer/1', said('Five.', ...posts)), 'reviewer').messages.map(
      ({ text }) => text,
    );
    expect(texts).toEqual(['two', 'three', 'four', 'five']);
  });
});
