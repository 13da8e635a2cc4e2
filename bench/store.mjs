// The store and what is built on it: durable appends, folds, steps, openings, verification, and how soon others see.
import { fork } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../scripts/paths.mjs';
import { verifyRunHere } from '../src/storage/sqlite/maintenance.ts';
import { runFile } from '../src/storage/sqlite/files.ts';
import { createLocalRunStorage } from '../src/storage/sqlite/storage.ts';
import { boundedStep, growRun } from './bounded.mjs';
import { inTurn, median } from './median.mjs';
import { growConversation, lengthen, LIVE, openFolded, stepTime } from './live.mjs';
import { bareInsert } from './yardsticks/bare-insert.mjs';
import { rawSync } from './yardsticks/raw-sync.mjs';
import { readParseChecksum } from './yardsticks/read-parse-checksum.mjs';

const LENGTHS = [100, 10_000, 100_000];
/** The team of a bounded run copies what was said at each turn: ten times as long takes a hundred times to make. */
const BOUNDED_LENGTHS = [100, 1_000, 10_000];

/** @returns {Promise<{ name: string, value: number, unit: string, goal: string | null, ok: boolean }[]>} */
export async function measure() {
  const place = mkdtempSync(join(root, 'out', 'bench-'));
  try {
    return [
      ...(await appends(place)),
      ...(await conversations(place)),
      ...(await boundedRuns(place)),
      ...(await following(place)),
    ];
  } finally {
    rmSync(place, { recursive: true });
  }
}

async function appends(place) {
  const metrics = [];
  for (const batch of [1, 10]) {
    const count = 1_500 * batch;
    const events = Array.from({ length: count }, newPost);
    const rows = events.map((event, index) => {
      const body = JSON.stringify({ ...event, envelopeVersion: 1, streamId: 'run', revision: index + 1 });
      return [event.eventId, body, hash('sha256', body, 'hex')];
    });
    const { ratio, ours, yardstick } = await inTurn(
      (round) => appendAll(join(place, `append-${batch}-${round}`), events, batch),
      (round) => bareInsert(join(place, `bare-${batch}-${round}.db`), rows, batch),
    );
    metrics.push(
      atLeast(`durable append, batch ${batch}, against a bare INSERT`, ratio, '×', 0.8),
      figure(`  events appended, batch ${batch}`, ours, '/s'),
      figure(`  rows inserted, batch ${batch}`, yardstick, '/s'),
    );
  }
  metrics.push(figure('  raw 512 byte write and fdatasync', rawSync(join(place, 'raw'), 512, 1_500), '/s'));
  return metrics;
}

async function appendAll(directory, events, batch) {
  const { eventStore } = createLocalRunStorage({ directory, ...LIVE });
  const stream = { namespace: LIVE.namespace, streamId: 'run' };
  // Makes the file, as the yardstick makes its table before it is measured.
  let revision = await eventStore.append(stream, 0, [newPost()]);
  const began = performance.now();
  for (let at = 0; at < events.length; at += batch) {
    revision = await eventStore.append(stream, revision, events.slice(at, at + batch));
  }
  return (events.length / (performance.now() - began)) * 1000;
}

async function conversations(place) {
  const grown = await growConversation();
  const { runId } = grown;
  const directories = LENGTHS.map((length) => join(place, `live-${length}`));
  for (const [index, directory] of directories.entries()) {
    await lengthen(grown, LENGTHS[index], directory);
    // Opened once, so that the snapshot is there.
    await openFolded(directory, runId, true);
  }
  // In turn, so that a slow moment of the machine is not one of a length.
  const opens = await mediansInTurn(directories, (directory) => openFolded(directory, runId, true));
  const steps = await mediansInTurn(directories, (directory) => stepTime(directory, runId));
  const longest = directories.at(-1);
  const file = runFile(longest, LIVE.namespace, runId);
  const verification = await inTurn(
    () => {
      const began = performance.now();
      const report = verifyRunHere({ directory: longest, namespace: LIVE.namespace, runId });
      if (!report.isWhole) throw new Error('The record that was measured is damaged.');
      return performance.now() - began;
    },
    () => readParseChecksum(file),
  );
  // The conversation's own stream is what a fold reads; those of its members lie behind it.
  const fold = await inTurn(
    () => openFolded(longest, runId, false),
    () => readParseChecksum(file, 1),
  );
  const last = LENGTHS.at(-1);
  return [
    figure('fold of 100 000 events', (last / fold.ours) * 1000, '/s'),
    ...LENGTHS.map((length, index) =>
      figure(`  one step of the live scheduler at ${length} events`, steps[index], 'ms'),
    ),
    atMost('one step, at 100 000 events against 100', steps.at(-1) / steps[0], '×', 1.2),
    ...LENGTHS.map((length, index) => figure(`  opening at ${length} events`, opens[index], 'ms')),
    atMost('opening, at 100 000 events against 100', opens.at(-1) / opens[0], '×', 1.5),
    atMost('verification, against read, parse, checksum', verification.ratio, '×', 1.5),
    figure('  verification, all streams', verification.ours, 'ms'),
    figure('  read, parse, checksum of the same rows', verification.yardstick, 'ms'),
    atMost('fold (verified), against read, parse, checksum', fold.ratio, '×', 1.5),
    figure('  fold of 100 000 events', fold.ours, 'ms'),
    figure('  read, parse, checksum of the same rows', fold.yardstick, 'ms'),
  ];
}

async function boundedRuns(place) {
  const metrics = [];
  for (const length of BOUNDED_LENGTHS) {
    const folder = join(place, `bounded-${length}`);
    await growRun(folder, length);
    metrics.push(figure(`one step of the bounded executor at ${length} events`, await boundedStep(folder), 'ms'));
  }
  return metrics;
}

async function following(place) {
  const directory = join(place, 'followed');
  const { eventStore } = createLocalRunStorage({ directory, ...LIVE });
  const stream = { namespace: LIVE.namespace, streamId: 'run' };
  let revision = await eventStore.append(stream, 0, [newPost()]);
  const program = fileURLToPath(new URL('follower.mjs', import.meta.url));
  const child = fork(program, [JSON.stringify({ directory, ...LIVE, runId: 'run' })]);
  await once(child, 'message');
  const delays = [];
  for (let round = 0; round < 40; round += 1) {
    const seen = once(child, 'message');
    revision = await eventStore.append(stream, revision, [newPost()]);
    const committed = performance.timeOrigin + performance.now();
    const [{ at }] = await seen;
    delays.push(at - committed);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.disconnect();
  return [
    figure('a follower in another process shows an append after', median(delays), 'ms'),
    figure('  the slowest of 40', Math.max(...delays), 'ms'),
  ];
}

async function mediansInTurn(items, work) {
  const values = items.map(() => []);
  for (let round = 0; round < 5; round += 1) {
    for (const [index, item] of items.entries()) values[index].push(await work(item, round));
  }
  return values.map(median);
}

function newPost() {
  const payload = { id: 'post', sender: 'you', roomId: 'room', text: 'y'.repeat(180), mentions: ['a'], unresolved: [] };
  return {
    eventId: randomUUID(),
    type: 'post:written',
    version: 1,
    timestamp: new Date().toISOString(),
    correlationId: 'chain',
    causationId: null,
    payload,
  };
}

function figure(name, value, unit) {
  return { name, value, unit, goal: null, ok: true };
}

function atLeast(name, value, unit, limit) {
  return { name, value, unit, goal: `≥ ${limit}`, ok: value >= limit };
}

function atMost(name, value, unit, limit) {
  return { name, value, unit, goal: `≤ ${limit}`, ok: value <= limit };
}
