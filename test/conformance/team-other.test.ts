// The rules of a team, not the team of the page: other members, other texts, two at a time, a private room.
import { describe, expect, test } from 'vitest';
import { canonicalJson, jsonEquals } from '../../src/core/json.js';
import type { TeamState } from '../../src/core/team/team-model.js';
import {
  compileTeam,
  completed,
  decideAfter,
  dispatched,
  fold,
  inputAfter,
  positionsAfter,
  post,
  said,
  turn,
} from './team-fixture.js';

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
