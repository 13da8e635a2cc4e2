// The rooms of a stored run as text files: what stands in them, where they stand, and what is left alone.
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.js';
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
  type OpenOptions,
  type RunLab,
} from './run-fixture.js';
import { bentTeam, compileTeam, QUESTION, REPLY } from './team-fixture.js';

const turn = (short: string, result: JsonValue): NewDomainEvent[] => [
  dispatchedEvent(short),
  completedEvent(short, result),
];
const said = (text: string, ...mentions: string[]) => ({
  summary: 'Said.',
  posts: [{ roomId: 'review', text, mentions }],
});

/** A stored run of a team with these events. */
async function teamRun(lab: RunLab, events: readonly NewDomainEvent[], graph = compileTeam(), open: OpenOptions = {}) {
  const run = await startedRun(lab, graph, {}, open);
  for (const event of events) await run.record(event);
  return run.storage;
}

const roomsOf = (lab: RunLab) => join(lab.root, 'rooms');
const project = (lab: RunLab, storage: RunStorage) =>
  projectTeamRooms({ storage, runId: RUN, directory: roomsOf(lab) });

async function listed(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => ['(no folder)']);
}

describe.each(STORES)('room files on %s', (store) => {
  test('A-121 rooms whose ids are paths or very long get files of their own inside the folder', async () => {
    const lab = await runLab(store);
    const ids = ['../outside.txt', 'x'.repeat(305), 'review'];
    const graph = bentTeam((team) => {
      team.data.communication = { rooms: ids.map((id) => ({ id, members: ['writer'] })), tailMessages: 1 };
    });
    const outside = join(lab.root, 'outside.txt');
    await writeFile(outside, 'mine');
    const { files } = await project(lab, await teamRun(lab, [], graph));
    expect(files.map(({ roomId }) => roomId)).toEqual(ids);
    expect(new Set(files.map(({ path }) => path)).size).toBe(3);
    for (const { path } of files) {
      expect(dirname(path)).toBe(roomsOf(lab));
      expect(basename(path)).toMatch(/^teamroom-room-[0-9a-f]{64}\.txt$/);
      expect((await lstat(path)).mode & 0o777).toBe(0o600);
    }
    expect(await readFile(outside, 'utf8')).toBe('mine');
    expect(await listed(roomsOf(lab))).toHaveLength(3);
  });

  test('A-122 a text with line ends and control characters stays on one line', async () => {
    const lab = await runLab(store);
    const text = 'a\nb\rc\td\u001be\u007ff\u0085g\u2028h\u2029i\\j';
    const storage = await teamRun(lab, turn('writer/1', said(text, 'reviewer', 'reviewer')));
    const { files } = await project(lab, storage);
    expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe(
      'writer [team/writer/1/0] @reviewer @reviewer: ' + 'a\\nb\\rc\\td\\u001be\\u007ff\\u0085g\\u2028h\\u2029i\\\\j\n',
    );
  });

  test('A-123 a link in the place of a file is replaced, its target and other files stay as they are', async () => {
    const lab = await runLab(store);
    const storage = await teamRun(lab, turn('writer/1', QUESTION));
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
    const storage = await teamRun(lab, [...turn('writer/1', QUESTION), ...turn('reviewer/1', REPLY)]);
    const first = await project(lab, storage);
    const path = first.files[0]?.path ?? '';
    const bytes = await readFile(path);
    await rm(path);
    expect(await project(lab, lab.open())).toEqual(first);
    expect(await readFile(path)).toEqual(bytes);
  });

  test('A-125 a room where nobody has said anything is an empty file', async () => {
    const lab = await runLab(store);
    const { revision, files } = await project(lab, await teamRun(lab, []));
    expect(revision).toBe(1);
    expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe('');
  });

  test('A-125 a team without rooms has no files and gets no folder; the revision counts every event', async () => {
    const lab = await runLab(store);
    const graph = bentTeam((team) => delete team.data.communication);
    const host = { ...graphEvent('x', {}), type: 'host:looked' };
    const storage = await teamRun(lab, [...turn('writer/1', { summary: 'Done.' }), host], graph);
    expect(await project(lab, storage)).toEqual({ revision: 4, files: [] });
    expect(await listed(roomsOf(lab))).toEqual(['(no folder)']);
  });

  test('A-126 A-127 runs of other namespaces and other stores have files of their own in one folder', async () => {
    const lab = await runLab(store);
    const directory = roomsOf(lab);
    const other = await runLab(store === 'memory' ? 'sqlite' : 'memory');
    const storages = [
      await teamRun(lab, turn('writer/1', said('one', 'reviewer'))),
      await teamRun(lab, turn('writer/1', said('two', 'reviewer')), compileTeam(), { namespace: 'elsewhere' }),
      await teamRun(other, turn('writer/1', said('three', 'reviewer'))),
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

  test('A-128 a run that is not a team’s is refused, and no folder is made', async () => {
    const lab = await runLab(store);
    const storage = (await startedRun(lab, onceGraph(['a']), {})).storage;
    expect(await codeOf(() => project(lab, storage))).toBe('STORED_GRAPH_MISMATCH');
    expect(await listed(roomsOf(lab))).toEqual(['(no folder)']);
  });

  test.each<[string, NewDomainEvent]>([
    ['A-129 a completion of version 2', { ...completedEvent('writer/1', QUESTION), version: 2 }],
    [
      'a completion with another field',
      graphEvent('node-completed', { nodeId: 'writer', position: 'team/writer/1', result: null, more: 1 }),
    ],
    ['a failure of an undeclared node', graphEvent('node-failed', { nodeId: 'stranger', position: 'p', code: 'X' })],
  ])('%s is refused, and no file is written', async (_, event) => {
    const lab = await runLab(store);
    const storage = await teamRun(lab, [dispatchedEvent('writer/1'), event]);
    expect(await codeOf(() => project(lab, storage))).toBe('INVALID_EVENT');
    expect(await listed(roomsOf(lab))).toEqual(['(no folder)']);
  });

  test('A-130 a completion with a bad post leaves the earlier messages, and nothing of its own', async () => {
    const lab = await runLab(store);
    const bad = { summary: 'Bad.', posts: [...(REPLY.posts ?? []), { roomId: 'nowhere', text: '', mentions: [] }] };
    const storage = await teamRun(lab, [...turn('writer/1', QUESTION), ...turn('reviewer/1', bad)]);
    const { revision, files } = await project(lab, storage);
    expect(revision).toBe(5);
    expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe(
      'writer [team/writer/1/0] @reviewer: Please review: Prepare a release note.\n',
    );
  });

  test.each([[''], [' \t'], [undefined]])('A-131 the folder %j is a TypeError', async (directory) => {
    const lab = await runLab(store);
    const storage = await teamRun(lab, []);
    const projecting = projectTeamRooms({ storage, runId: RUN, directory: directory as string });
    await expect(projecting).rejects.toThrow(TypeError);
  });

  test('a file that cannot be replaced is an error, and no half-made file stays', async () => {
    const lab = await runLab(store);
    const storage = await teamRun(lab, turn('writer/1', QUESTION));
    const { files } = await project(lab, storage);
    const path = files[0]?.path ?? '';
    await rm(path);
    await mkdir(join(path, 'inside'), { recursive: true });
    await expect(project(lab, storage)).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(await listed(roomsOf(lab))).toEqual([basename(path)]);
  });
});
