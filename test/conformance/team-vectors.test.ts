// Literal bytes that other programs depend on: ids, digests and room lines of the release team.
import { expect, test } from 'vitest';
import { canonicalJson, digestJson, digestText, utf8Length } from '../../src/core/json.js';
import { attemptId, attemptIdentity, messageId, turnPosition } from '../../src/core/team/identifiers.js';
import { roomLine } from '../../src/core/team/room-line.js';
import { compileTeam, completed, dispatched, fold, QUESTION, REPLY } from './team-fixture.js';

const stream = { namespace: 'team-conversation', streamId: 'release-team-run' };

test.each([
  ['writer', 1, 'sha256:c8392aa54cd1bdad07b0eaeae3c92d45d908df0ae018a1213f5cbf7e70306d4a'],
  ['reviewer', 1, 'sha256:871a3446a082fe6d55ea3d03348752a78879fcc2e3798d1ebf9ef304576964c7'],
  ['writer', 2, 'sha256:93490a168b415c3fa87aab5df4cf49ead7cfba45da3f01c6767a3e10efff86f4'],
] as const)('vector: the attempt of %s in its turn %i', (nodeId, turn, digest) => {
  const place = { ...stream, nodeId, position: turnPosition(nodeId, turn) };
  expect(attemptId(place)).toBe(digest);
  expect(attemptIdentity(place)).toEqual({ schemaVersion: 1, ...place, attemptId: digest });
});

test('positions and message ids', () => {
  expect(turnPosition('a/b', 3)).toBe('team/a/b/3');
  expect(messageId('team/a/b/3', 0)).toBe('team/a/b/3/0');
});

test('vector: the schema of a turn’s result', () => {
  const text = { type: 'string' };
  const schema = {
    type: 'object',
    required: ['summary'],
    properties: {
      summary: text,
      posts: {
        type: 'array',
        items: {
          type: 'object',
          required: ['roomId', 'text', 'mentions'],
          properties: { text, roomId: text, mentions: { type: 'array', items: text } },
        },
      },
      data: {},
    },
  };
  expect(utf8Length(canonicalJson(schema))).toBe(305);
  expect(digestJson(schema)).toBe('sha256:c6abcfbe40e5eb6fc7ebf77acb6ab6239301861eb8092747b15f9e87393d30aa');
});

test('vector: the room file of the release team', () => {
  const { messages } = fold(compileTeam(), [
    dispatched('writer/1'),
    completed('writer/1', QUESTION),
    dispatched('reviewer/1'),
    completed('reviewer/1', REPLY),
  ]);
  const file = messages.map(roomLine).join('');
  expect(file).toBe(
    'writer [team/writer/1/0] @reviewer: Please review: Prepare a release note.\n' +
      'reviewer [team/reviewer/1/0] @writer: Reviewed team/writer/1/0: Please review: Prepare a release note.\n',
  );
  expect(utf8Length(file)).toBe(178);
  expect(digestText(file)).toBe('sha256:b40c294f773d9a9192ed3400604107eee0ad30b0072471deed38e2b82a6ee86c');
});
