// The rooms of a stored conversation as text files: what stands in them, where they stand, and what is left alone. Both
// kinds of conversation, the bounded and the live one, keep the same cases.
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileGraph } from '../../src/core/graph/compile.js';
import type { CompiledGraph } from '../../src/core/graph/model.js';
import { teamGraphType } from '../../src/core/team/team-graph.js';
import type { TeamState } from '../../src/core/team/team-model.js';
import { readRoomLines } from '../../src/runtime/live-room-files.js';
import { projectTeamRooms } from '../../src/runtime/room-files.js';
import type { NewDomainEvent, RunStorage } from '../../src/storage/port.js';
import { RUN } from './run-binding.js';
import {
  codeOf,
  completedEvent,
  dispatchedEvent,
  graphEvent,
  onceGraph,
  runLab,
  startedRun,
  STORES,
  type RunLab,
} from './run-fixture.js';
import { append, KINDS, liveEvent, liveStart, turnEvents, type RoomKind } from './room-kinds.js';
import { bentTeam, QUESTION, releaseTeam, REPLY } from './team-fixture.js';

const said = (text: string, ...mentions: string[]) => ({
  summary: 'Said.',
  posts: [{ roomId: 'review', text, mentions }],
});

const roomsOf = (lab: RunLab) => join(lab.root, 'rooms');
const project = (lab: RunLab, storage: RunStorage) =>
  projectTeamRooms({ storage, runId: RUN, directory: roomsOf(lab) });

/** A team by the rules of a later version. */
function newerTeam(): CompiledGraph<TeamState> {
  const newer: typeof teamGraphType = {
    ...teamGraphType,
    version: 2,
    compile: (definition, kernel) => {
      const program = teamGraphType.compile(definition, kernel);
      const description = program.describe();
      return { ...program, describe: () => ({ ...description, graph: { ...description.graph, typeVersion: 2 } }) };
    },
  };
  return compileGraph(newer, { ...releaseTeam(), edges: [] });
}

async function listed(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => ['(no folder)']);
}

/** A writer's first turn, with what wakes it. */
const firstTurn = ({ opening }: RoomKind, result: Parameters<typeof turnEvents>[1]) => [
  ...opening,
  ...turnEvents('writer/1', result),
];

const CASES = STORES.flatMap((store) => KINDS.map((kind) => [store, kind.kind, kind] as const));

describe.each(CASES)('room files on %s of kind %s', (store, _, kind) => {
  test('A-121 every room has a file of its own inside the folder, however long its id', async () => {
    const lab = await runLab(store);
    const ids = kind.kind === 'team' ? ['../outside.txt', 'x'.repeat(305), 'review'] : ['x'.repeat(64), 'review'];
    const outside = join(lab.root, 'outside.txt');
    await writeFile(outside, 'mine');
    const rooms = ids.map((id) => ({ id, members: ['writer'] }));
    const { files } = await project(lab, await kind.stored(lab, [], { rooms }));
    expect(files.map(({ roomId }) => roomId)).toEqual(ids);
    expect(new Set(files.map(({ path }) => path)).size).toBe(ids.length);
    for (const { path } of files) {
      expect(dirname(path)).toBe(roomsOf(lab));
      expect(basename(path)).toMatch(/^teamroom-room-[0-9a-f]{64}\.txt$/);
      expect((await lstat(path)).mode & 0o777).toBe(0o600);
    }
    expect(await readFile(outside, 'utf8')).toBe('mine');
    expect(await listed(roomsOf(lab))).toHaveLength(ids.length);
  });

  test('A-122 a text with line ends and control characters stays on one line', async () => {
    const lab = await runLab(store);
    const text = 'a\nb\rc\td\u001be\u007ff\u0085g\u2028h\u2029i\\j';
    const storage = await kind.stored(lab, firstTurn(kind, said(text, 'reviewer', 'reviewer')));
    const { files } = await project(lab, storage);
    expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe(
      kind.openingLine +
        'writer [team/writer/1/0] @reviewer @reviewer: ' +
        'a\\nb\\rc\\td\\u001be\\u007ff\\u0085g\\u2028h\\u2029i\\\\j\n',
    );
  });

  test('A-123 a link in the place of a file is replaced, its target and other files stay as they are', async () => {
    const lab = await runLab(store);
    const storage = await kind.stored(lab, firstTurn(kind, QUESTION));
    const { files } = await project(lab, storage);
    const path = files[0]?.path ?? '';
    const target = join(lab.root, 'target');
    const foreign = [join(roomsOf(lab), 'picture.bin'), `${path}.mine.tmp`];
    await writeFile(target, 'target');
    for (const file of foreign) await writeFile(file, new Uint8Array([0, 255, 10]));
    await rm(path);
    await symlink(target, path);

    await project(lab, storage);
    expect((await lstat(path)).isFile()).toBe(true);
    expect(await readFile(path, 'utf8')).toContain('Please review');
    expect(await readFile(target, 'utf8')).toBe('target');
    for (const file of foreign) expect([...(await readFile(file))]).toEqual([0, 255, 10]);
    expect(await listed(roomsOf(lab))).toHaveLength(3);
  });

  test('A-123 rebuilding gives the same bytes, and brings a deleted file back', async () => {
    const lab = await runLab(store);
    const storage = await kind.stored(lab, [...firstTurn(kind, QUESTION), ...turnEvents('reviewer/1', REPLY)]);
    const first = await project(lab, storage);
    const path = first.files[0]?.path ?? '';
    const bytes = await readFile(path);
    await rm(path);
    expect(await project(lab, lab.open())).toEqual(first);
    expect(await readFile(path)).toEqual(bytes);
  });

  test('A-125 a room where nobody has said anything is an empty file', async () => {
    const lab = await runLab(store);
    const { revision, files } = await project(lab, await kind.stored(lab, []));
    expect(revision).toBe(1);
    expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe('');
  });

  test('A-125 the revision counts every event, also those that say nothing in a room', async () => {
    const lab = await runLab(store);
    const { revision } = await project(lab, await kind.stored(lab, [kind.silent]));
    expect(revision).toBe(2);
  });

  test('A-126 A-127 runs of other namespaces and other stores have files of their own in one folder', async () => {
    const lab = await runLab(store);
    const directory = roomsOf(lab);
    const other = await runLab(store === 'memory' ? 'sqlite' : 'memory');
    const saying = (text: string) => firstTurn(kind, said(text, 'reviewer'));
    const storages = [
      await kind.stored(lab, saying('one')),
      await kind.stored(lab, saying('two'), { namespace: 'elsewhere' }),
      await kind.stored(other, saying('three')),
    ];
    const paths: string[] = [];
    for (const storage of storages) {
      const { files } = await projectTeamRooms({ storage, runId: RUN, directory });
      paths.push(...files.map(({ path }) => path));
    }
    expect(new Set(paths).size).toBe(3);
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    expect(texts.map((text) => text.slice(text.lastIndexOf(' ')).trim())).toEqual(['one', 'two', 'three']);
  });

  test.each<[string, NewDomainEvent]>([
    ['A-129 a completion of version 2', { ...completedEvent('writer/1', QUESTION), version: 2 }],
    [
      'a completion with another field',
      graphEvent('node-completed', { nodeId: 'writer', position: 'team/writer/1', result: null, more: 1 }),
    ],
    ['a completion of an undeclared node', completedEvent('stranger/1', null)],
    ['a failure of an undeclared node', graphEvent('node-failed', { nodeId: 'stranger', position: 'p', code: 'X' })],
    ['a failure without a code', graphEvent('node-failed', { nodeId: 'writer', position: 'team/writer/1' })],
    ['a dispatch of version 2', { ...dispatchedEvent('reviewer/1'), version: 2 }],
  ])('%s is refused, and no file is written', async (__, event) => {
    const lab = await runLab(store);
    const storage = await kind.stored(lab, [...kind.opening, dispatchedEvent('writer/1'), event]);
    expect(await codeOf(() => project(lab, storage))).toBe('INVALID_EVENT');
    expect(await listed(roomsOf(lab))).toEqual(['(no folder)']);
  });

  const badPosts = { roomId: 'nowhere', text: '', mentions: [] };
  test.each<[string, Parameters<typeof turnEvents>[1]]>([
    ['to a room that is not there', { summary: 'Bad.', posts: [...(REPLY.posts ?? []), badPosts] }],
    ['that mentions nobody of the team', said('Hello.', 'stranger')],
    ['that is none', { summary: 'Bad.', posts: [null] }],
    ['whose text is a number', { summary: 'Bad.', posts: [{ roomId: 'review', text: 1, mentions: [] }] }],
    ['and no summary', { posts: [] }],
    ['and nothing else', null],
  ])('A-130 a completion with a post %s leaves the earlier messages, and nothing of its own', async (__, bad) => {
    const lab = await runLab(store);
    const storage = await kind.stored(lab, [...firstTurn(kind, QUESTION), ...turnEvents('reviewer/1', bad)]);
    const { revision, files } = await project(lab, storage);
    expect(revision).toBe(5 + kind.opening.length);
    expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe(
      `${kind.openingLine}writer [team/writer/1/0] @reviewer: Please review: Prepare a release note.\n`,
    );
  });

  test.each([[''], [' \t'], [undefined]])('A-131 the folder %j is a TypeError', async (directory) => {
    const lab = await runLab(store);
    const storage = await kind.stored(lab, []);
    const projecting = projectTeamRooms({ storage, runId: RUN, directory: directory as string });
    await expect(projecting).rejects.toThrow(TypeError);
  });

  test('a file that cannot be replaced is an error, and no half-made file stays', async () => {
    const lab = await runLab(store);
    const storage = await kind.stored(lab, firstTurn(kind, QUESTION));
    const { files } = await project(lab, storage);
    const path = files[0]?.path ?? '';
    await rm(path);
    await mkdir(join(path, 'inside'), { recursive: true });
    await expect(project(lab, storage)).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(await listed(roomsOf(lab))).toEqual([basename(path)]);
  });
});

describe.each(STORES)('what only one kind has, on %s', (store) => {
  test('A-125 a bounded team without rooms has no files and gets no folder', async () => {
    const lab = await runLab(store);
    const graph = bentTeam((team) => delete team.data.communication);
    const run = await startedRun(lab, graph, {});
    await run.record(...turnEvents('writer/1', { summary: 'Done.' }), liveEvent('host:looked', {}));
    expect(await project(lab, run.storage)).toEqual({ revision: 4, files: [] });
    expect(await listed(roomsOf(lab))).toEqual(['(no folder)']);
  });

  test('A-121 a live conversation whose record names rooms that no team file may have is refused', async () => {
    const lab = await runLab(store);
    const storage = await append(lab.open(), [liveStart([{ id: '../outside.txt', members: ['writer'] }])]);
    expect(await codeOf(() => project(lab, storage))).toBe('INVALID_EVENT');
    expect(await listed(roomsOf(lab))).toEqual(['(no folder)']);
  });

  test('a live room’s file has the bytes that its editor tab has', async () => {
    const lab = await runLab(store);
    const live = KINDS.find(({ kind }) => kind === 'team-live');
    const events = [...(live?.opening ?? []), ...turnEvents('writer/1', QUESTION), ...turnEvents('reviewer/1', REPLY)];
    const storage = await append(lab.open(), [liveStart(), ...events]);
    const { files } = await project(lab, storage);
    const text = await readFile(files[0]?.path ?? '', 'utf8');
    expect(text.split('\n')).toHaveLength(4);
    expect(text).toBe((await readRoomLines(storage, RUN, 'review')).lines.join(''));
  });

  test.each<[string, (lab: RunLab) => Promise<RunStorage>, string]>([
    [
      'a graph of another kind',
      async (lab) => (await startedRun(lab, onceGraph(['a']), {})).storage,
      'STORED_GRAPH_MISMATCH',
    ],
    [
      'a team of another version',
      async (lab) => (await startedRun(lab, newerTeam(), {})).storage,
      'STORED_GRAPH_MISMATCH',
    ],
    [
      'a live conversation of another version',
      (lab) => append(lab.open(), [{ ...liveStart(), version: 99 }]),
      'STORED_GRAPH_MISMATCH',
    ],
    [
      'a stream that begins with something else',
      (lab) => append(lab.open(), [liveEvent('host:looked', {})]),
      'INVALID_STORED_VALUE',
    ],
    ['nothing', async (lab) => lab.open(), 'INVALID_STORED_VALUE'],
  ])('A-128 %s is refused, and no folder is made', async (_, stored, code) => {
    const lab = await runLab(store);
    const storage = await stored(lab);
    expect(await codeOf(() => project(lab, storage))).toBe(code);
    expect(await listed(roomsOf(lab))).toEqual(['(no folder)']);
  });
});
