// How a team behaves: what each event changes and what is decided next, told as stories of events.
import { describe, expect, test } from 'vitest';
import { canonicalJson, cloneJson, jsonEquals, type JsonValue, utf8Length } from '../../src/core/json.js';
import type { TeamMemberState, TeamMessage, TeamState } from '../../src/core/team/team-model.js';
import {
  bentTeam,
  compileTeam,
  completed,
  decideAfter,
  dispatched,
  failed,
  FINAL,
  fold,
  inputAfter,
  paused,
  positionsAfter,
  QUESTION,
  REPLY,
  resumed,
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

const asked = turn('writer/1', cloneJson(QUESTION));
const answered = [...asked, ...turn('reviewer/1', cloneJson(REPLY))];
const finished = [...answered, ...turn('writer/2', cloneJson(FINAL))];
const said = (summary: string, ...posts: JsonValue[]): JsonValue => ({ summary, posts });
const post = (roomId: string, text: string, ...mentions: string[]): JsonValue => ({ roomId, text, mentions });

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
    const input = inputAfter(team, answered, 'writer');
    expect(input.result).toEqual(QUESTION);
    expect(input.messages).toEqual([question, reply]);
  });

  test.each([
    { member: 'writer', events: [], bytes: 112, result: QUESTION, resultBytes: 133 },
    { member: 'reviewer', events: asked, bytes: 266, result: REPLY, resultBytes: 154 },
    { member: 'writer', events: answered, bytes: 590, result: FINAL, resultBytes: 226 },
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

describe('pauses and failures', () => {
  const both = [dispatched('writer/1'), dispatched('reviewer/1')];
  const writerFailed = [{ kind: 'fail', code: 'TEAM_NODE_FAILED', message: 'Failed team members: writer.' }];
  const held = [dispatched('writer/1'), paused('writer/1', 'Waiting for a person.')];

  test('A-27 a paused member pauses the run, with its reason', () => {
    expect(decideAfter(team, held)).toEqual([{ kind: 'pause', reason: 'Waiting for a person.' }]);
  });

  test('A-28 a completion while paused changes nothing', () => {
    const before = fold(team, held);
    expect(team.reduce(before, completed('writer/1', cloneJson(QUESTION)))).toEqual(before);
  });

  test('A-29 a resumed turn runs on, and a mention that came meanwhile gives the next one', () => {
    const events = [
      ...both,
      paused('writer/1', 'Waiting.'),
      completed('reviewer/1', cloneJson(REPLY)),
      resumed('writer/1'),
    ];
    expect(decideAfter(pair, events)).toEqual([]);
    expect(positionsAfter(pair, [...events, completed('writer/1', said('Done.'))])).toEqual(['team/writer/2']);
  });

  test('A-30 a failure, then a pause in one batch: failed', () => {
    expect(decideAfter(pair, [...both, failed('writer/1', 'TIMEOUT'), paused('reviewer/1', 'Wait.')])).toEqual(
      writerFailed,
    );
  });

  test('A-31 a pause, then a failure: failed, and the same after a replay by a fresh graph', () => {
    const events = [...both, paused('reviewer/1', 'Wait.'), failed('writer/1', 'ENGINE_UNAVAILABLE')];
    expect(decideAfter(pair, events)).toEqual(writerFailed);
    const replayed = fold(compileTeam(pair.definition.value), events);
    expect(replayed).toEqual(fold(pair, events));
    expect(replayed.nodes['writer']).toMatchObject({ status: 'failed', failureCode: 'ENGINE_UNAVAILABLE' });
  });

  test.each([
    ['a failure', failed('writer/1', 'TIMEOUT')],
    ['a pause', paused('writer/1', 'Wait.')],
  ])('A-32 between %s and the end of the batch nothing is decided', (_title, first) => {
    expect(decideAfter(pair, [...both, first])).toEqual([]);
  });

  test('A-33 a completion after the failure changes nothing', () => {
    const events = [dispatched('writer/1'), failed('writer/1', 'TIMEOUT')];
    const before = fold(team, events);
    expect(team.reduce(before, completed('writer/1', cloneJson(QUESTION)))).toEqual(before);
    expect(decideAfter(team, [...events, completed('writer/1', cloneJson(QUESTION))])).toEqual(writerFailed);
  });

  test('A-34 a late completion of turn 1 does not end turn 2', () => {
    const events = [...answered, dispatched('writer/2')];
    const before = fold(team, events);
    const after = team.reduce(before, completed('writer/1', cloneJson(FINAL)));
    expect(after).toEqual(before);
    expect(team.decide(after)).toEqual([]);
  });

  test('all failed members are named in the order of declaration', () => {
    expect(decideAfter(pair, [...both, failed('reviewer/1', 'TIMEOUT'), failed('writer/1', 'DENIED')])).toMatchObject([
      { message: 'Failed team members: writer, reviewer.' },
    ]);
  });

  test.each([
    ['a dispatch of a later turn', dispatched('writer/2')],
    ['a dispatch of nobody', dispatched('stranger/1')],
    ['a dispatch of a member that is not queued', dispatched('reviewer/1')],
    ['a failure of a turn that is not open', failed('writer/1', 'TIMEOUT')],
    ['a resumption of what is not paused', resumed('writer/1')],
    ['an unknown event', { ...dispatched('writer/1'), type: 'node-attempt-started' }],
    ['another version of an event', { ...dispatched('writer/1'), version: 2 }],
    ['an inherited name as a member', { ...dispatched('writer/1'), payload: { nodeId: 'toString', position: 'x' } }],
  ])('%s changes nothing', (_title, event) => {
    const before = team.initialState();
    expect(team.reduce(before, event)).toBe(before);
  });
});

describe('a result that breaks the rules', () => {
  const good = post('review', 'A good one.', 'reviewer');
  const withPost = (change: Record<string, JsonValue>): JsonValue =>
    said('Text.', { roomId: 'review', text: 'x', mentions: [], ...change });
  const shapes: readonly (readonly [title: string, result: JsonValue, path: string])[] = [
    ['null', null, ''],
    ['a list', [], ''],
    ['text', 'answer', ''],
    ['no summary', {}, '/summary'],
    ['a summary of another type', { summary: 1 }, '/summary'],
    ['posts null', { summary: 'a', posts: null }, '/posts'],
    ['posts of another type', { summary: 'a', posts: {} }, '/posts'],
    ['a post that is null', said('a', null), '/posts/0'],
    ['a room of another type', withPost({ roomId: 1 }), '/posts/0/roomId'],
    ['text of another type', withPost({ text: 1 }), '/posts/0/text'],
    ['mentions of another type', withPost({ mentions: 'reviewer' }), '/posts/0/mentions'],
    ['a mention of another type', withPost({ mentions: [1] }), '/posts/0/mentions'],
  ];
  const open = [...answered, dispatched('writer/2')];

  test.each(shapes)('A-37 %s fails the turn and keeps all that was', (_title, result, path) => {
    const before = fold(team, open);
    const copy = structuredClone(before);
    const after = team.reduce(before, completed('writer/2', result));
    expect(after.nodes['writer']).toMatchObject({
      status: 'failed',
      failureCode: 'RESULT_INVALID',
      inFlight: null,
      pauseReason: null,
      result: QUESTION,
    });
    expect(after.messages).toEqual(before.messages);
    expect(team.decide(after)).toMatchObject([{ kind: 'fail', code: 'TEAM_NODE_FAILED' }]);
    expect(team.validateNodeResult?.('writer', result)).toMatchObject({
      code: 'INVALID_TEAM',
      path: `/event/payload/result${path}`,
    });
    expect(before).toStrictEqual(copy);
  });

  test.each(shapes)('A-38 %s at another position changes nothing', (_title, result) => {
    const before = fold(team, open);
    expect(team.reduce(before, completed('writer/1', result))).toEqual(before);
  });

  const threeWithDesk = bentTeam((definition) => {
    definition.nodes.push({ id: 'editor', data: { role: 'editor', brief: 'Edit.', initialTurn: false } });
    definition.data.communication?.rooms.push({ id: 'desk', members: ['reviewer', 'editor'] });
  });
  const silent = bentTeam((definition) => {
    delete definition.data.communication;
  });
  test.each([
    [
      'A-40 a mention of a member that is not in the room',
      threeWithDesk,
      [good, post('review', 'x', 'editor')],
      '/1/mentions',
    ],
    ['A-41 a mention of nobody', threeWithDesk, [good, post('review', 'x', 'stranger')], '/1/mentions'],
    ['a room the sender is not in', threeWithDesk, [good, post('desk', 'x')], '/1/roomId'],
    ['a room that is not there', threeWithDesk, [good, post('hall', 'x')], '/1/roomId'],
    ['A-42 posts of a team without communication', silent, [good], ''],
    ['A-42 even an empty list of posts', silent, [], ''],
  ] as const)('%s: none of the posts is sent', (_title, graph, posts, path) => {
    const after = fold(graph, turn('writer/1', said('Text.', ...posts)));
    expect(after.nodes['writer']).toMatchObject({ status: 'failed', failureCode: 'RESULT_INVALID', result: null });
    expect(after.nodes['reviewer']).toMatchObject({ queued: false, triggers: [] });
    expect(after.messages).toEqual([]);
    expect(graph.validateNodeResult?.('writer', said('Text.', ...posts))).toMatchObject({
      code: 'INVALID_TEAM',
      path: `/event/payload/result/posts${path}`,
    });
  });

  test('A-44 a bad reply fails the reviewer and keeps the question', () => {
    const events = [...asked, ...turn('reviewer/1', said('Bad.', post('review', 'x', 'stranger')))];
    expect(fold(team, events).messages.map(({ id }) => id)).toEqual(['team/writer/1/0']);
    expect(decideAfter(team, events)).toEqual([
      { kind: 'fail', code: 'TEAM_NODE_FAILED', message: 'Failed team members: reviewer.' },
    ]);
  });

  test('extra fields stay in a result and are dropped from a message; empty texts and repeated mentions are fine', () => {
    const result = {
      summary: '',
      note: 'kept',
      posts: [{ roomId: 'review', text: '', mentions: ['reviewer', 'reviewer'], tone: 'dropped' }],
    };
    expect(team.validateNodeResult?.('writer', result)).toBeNull();
    const state = fold(team, turn('writer/1', result));
    expect(state.nodes['writer']?.result).toEqual(result);
    expect(state.nodes['reviewer']?.triggers).toEqual(['team/writer/1/0']);
    expect(Object.keys(state.messages[0] ?? {}).sort()).toEqual([
      'id',
      'mentions',
      'position',
      'roomId',
      'sender',
      'text',
    ]);
    expect(state.messages[0]?.mentions).toEqual(['reviewer', 'reviewer']);
  });
});

describe('the same rules in another team: three members, two at a time, a private room', () => {
  const garden = compileTeam({
    id: 'garden/2',
    definitionVersion: 7,
    data: {
      task: 'Plan the beds 🌱',
      globalConcurrency: 2,
      maxTurnsPerMember: 3,
      communication: {
        rooms: [
          { id: 'the shed', members: ['ida', 'bo', 'élan'] },
          { id: 'private', members: ['bo', 'élan'] },
        ],
        tailMessages: 1,
      },
    },
    nodes: [
      { id: 'ida', data: { role: 'planner', brief: 'Plan.' } },
      { id: 'bo', data: { role: 'digger', brief: 'Dig.' } },
      { id: 'élan', data: { role: 'critic', brief: 'Doubt.', initialTurn: false } },
    ],
    edges: [],
  });
  const story = [
    dispatched('ida/1'),
    dispatched('bo/1'),
    completed('bo/1', said('Dug.', post('private', 'Too wet?', 'élan'), post('the shed', 'Bed one is dug.', 'ida'))),
    completed('ida/1', said('Planned.', post('the shed', 'Roses first.', 'bo', 'élan'))),
  ];

  test('a full run keeps batches, rooms, tails and triggers apart', () => {
    expect(positionsAfter(garden, [])).toEqual(['team/ida/1', 'team/bo/1']);
    expect(decideAfter(garden, story.slice(0, 3))).toEqual([]);
    // Three are asked, two go; the order is that of the declaration, not that of asking.
    expect(positionsAfter(garden, story)).toEqual(['team/ida/2', 'team/bo/2']);
    expect(inputAfter(garden, story, 'ida').messages.map(({ text }) => text)).toEqual([
      'Bed one is dug.',
      'Roses first.',
    ]);
    expect(inputAfter(garden, story, 'bo').messages.map(({ text }) => text)).toEqual(['Too wet?', 'Roses first.']);
    const second = [
      dispatched('ida/2'),
      dispatched('bo/2'),
      completed('ida/2', said('Planned again.')),
      completed('bo/2', said('Dug again.', post('private', 'Dry now.'))),
    ];
    const beforeLast = [...story, ...second];
    const critic = inputAfter(garden, beforeLast, 'élan');
    expect(critic.messages.map(({ id }) => id)).toEqual(['team/bo/1/0', 'team/ida/1/0', 'team/bo/2/0']);
    expect(critic).toMatchObject({ task: 'Plan the beds 🌱', role: 'critic', brief: 'Doubt.', result: null });
    expect(decideAfter(garden, [...beforeLast, ...turn('élan/1', said('No doubt.'))])).toMatchObject([
      {
        kind: 'complete',
        output: {
          agents: [
            { name: 'ida', result: { summary: 'Planned again.' } },
            { name: 'bo', result: { summary: 'Dug again.' } },
            { name: 'élan', result: { summary: 'No doubt.' } },
          ],
        },
      },
    ]);
  });

  test('who is not in the private room can neither read it nor post in it', () => {
    expect(canonicalJson(inputAfter(garden, story, 'ida'))).not.toContain('Too wet?');
    expect(garden.validateNodeResult?.('ida', said('Psst.', post('private', 'Hello?')))).toMatchObject({
      path: '/event/payload/result/posts/0/roomId',
    });
    expect(garden.validateNodeResult?.('bo', said('Psst.', post('private', 'Hello?')))).toBeNull();
  });

  test('a state that went through text decides the same', () => {
    for (let step = 0; step <= story.length; step += 1) {
      const state = fold(garden, story.slice(0, step));
      const restored = JSON.parse(JSON.stringify(state)) as TeamState;
      expect(jsonEquals(garden.decide(restored), garden.decide(state))).toBe(true);
    }
  });
});
