// How a team stops: pauses, failures, late events, results that break the rules.
import { describe, expect, test } from 'vitest';
import { cloneJson, type JsonValue } from '../../src/core/json.js';
import {
  ANSWERED,
  ASKED,
  bentTeam,
  compileTeam,
  completed,
  decideAfter,
  dispatched,
  failed,
  FINAL,
  fold,
  paused,
  positionsAfter,
  post,
  QUESTION,
  REPLY,
  resumed,
  said,
  turn,
} from './team-fixture.js';

const team = compileTeam();
const pair = bentTeam((definition) => {
  definition.data.globalConcurrency = 2;
  for (const node of definition.nodes) delete node.data.initialTurn;
});

describe('pauses and failures', () => {
  const both = [dispatched('writer/1'), dispatched('reviewer/1')];
  const writerFailed = [{ kind: 'fail', code: 'TEAM_NODE_FAILED', message: 'Failed team members: writer.' }];
  const held = [dispatched('writer/1'), paused('writer/1', 'Waiting for a person.')];

  test('a paused member pauses the run, with its reason', () => {
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
    const events = [...ANSWERED, dispatched('writer/2')];
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
  const open = [...ANSWERED, dispatched('writer/2')];

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
    const events = [...ASKED, ...turn('reviewer/1', said('Bad.', post('review', 'x', 'stranger')))];
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
