// A chain of scripted turns, each woken by the one before, and posts to conversations of different lengths.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseTeamFile } from '../src/core/team/team-file.ts';
import { createScriptedEngine } from '../src/engines/scripted/engine.ts';
import { Conversation } from '../src/runtime/conversation.ts';
import { newDomainEvent } from '../src/runtime/live-record.ts';
import { createLocalRunStorage } from '../src/storage/sqlite/storage.ts';
import { LIVE } from './live.mjs';
import { inTurn, median } from './median.mjs';
import { durableCommits } from './yardsticks/durable-commits.mjs';

const TURNS = 1_000;

function member(id, other) {
  const script = [{ say: `@${other} have a look at the next part, please` }];
  return { id, data: { role: id, brief: 'Hand it on.', script } };
}

/** Two members who hand the work to each other until the cap. */
function relay(hopCap) {
  const limits = { hopCap, turnsPerMember: hopCap };
  const file = {
    id: 'relay',
    lead: 'ana',
    data: {},
    nodes: [member('ana', 'ben'), member('ben', 'ana')],
    edges: [],
    limits,
  };
  return parseTeamFile(JSON.stringify(file), 'relay');
}

function host(storage, hopCap) {
  const engine = createScriptedEngine({ pauseMs: 0 });
  return {
    storage,
    engines: { find: () => engine },
    runnerId: randomUUID(),
    settings: () => ({ limits: { user: { hopCap, turnsPerMember: hopCap } }, acknowledgements: 'quiet' }),
    onError: (error) => {
      throw error;
    },
  };
}

/** The storage, with the size of every row of every commit. */
function counted(storage, commits) {
  const { eventStore } = storage;
  const append = (stream, expected, events) => {
    commits.push(events.map((event) => Buffer.byteLength(JSON.stringify(event)) + 120));
    return eventStore.append(stream, expected, events);
  };
  const proxy = { append, read: eventStore.read, preflightAppend: eventStore.preflightAppend, head: eventStore.head };
  return { ...storage, eventStore: proxy };
}

/** @returns when each turn of the chain ended, in milliseconds from its beginning, and what was committed. */
export async function runChain(directory) {
  const commits = [];
  const storage = counted(createLocalRunStorage({ directory, ...LIVE }), commits);
  const conversation = await Conversation.start(host(storage, TURNS), relay(TURNS), []);
  const { promise: limited, resolve } = Promise.withResolvers();
  const ends = [];
  const began = performance.now();
  conversation.onDidChange(({ events }) => {
    for (const { type } of events) {
      if (type === 'graph:node-completed') ends.push(performance.now() - began);
      if (type === 'conversation:limited') resolve();
    }
  });
  await conversation.post({ requestId: 'begin', roomId: conversation.team.rooms[0].id, text: 'Begin.' });
  await limited;
  await conversation.close();
  return { ends, commits };
}

/** Turns per second against the same commits alone, and whether a late turn costs more than an early one. */
export async function measureTurns(place) {
  const runs = [];
  const { ratio, ours, yardstick } = await inTurn(
    async (round) => {
      const run = await runChain(join(place, `chain-${round}`));
      runs.push(run);
      return run.ends.at(-1);
    },
    (round) => durableCommits(join(place, `commits-${round}.db`), runs[round].commits),
  );
  // Ten turns around the tenth and around the last: a single one is a matter of luck.
  const span = (ends, from, to) => (ends[to] - ends[from]) / (to - from);
  const growth = median(runs.map(({ ends }) => span(ends, ends.length - 51, ends.length - 1) / span(ends, 5, 55)));
  return {
    ratio: 1 / ratio,
    perSecond: (runs[0].ends.length / ours) * 1000,
    commitsPerTurn: runs[0].commits.length / runs[0].ends.length,
    bare: (runs[0].commits.length / yardstick) * 1000,
    growth,
  };
}

/** Milliseconds of posting and routing one more, in conversations of two lengths in turn. */
export async function measurePosts(place) {
  const lengths = [100, 10_000];
  const stores = [];
  for (const length of lengths) {
    const storage = createLocalRunStorage({ directory: join(place, `posts-${length}`), ...LIVE });
    const conversation = await Conversation.start(host(storage, 0), relay(0), []);
    const roomId = conversation.team.rooms[0].id;
    const stream = { namespace: LIVE.namespace, streamId: conversation.runId };
    let revision = await storage.eventStore.head(stream);
    for (let made = 0; made < length; made += 100) {
      const batch = Array.from({ length: 100 }, (_, index) => past(conversation.runId, roomId, made + index));
      revision = await storage.eventStore.append(stream, revision, batch);
    }
    await conversation.status();
    stores.push({ conversation, roomId });
  }
  const times = [[], []];
  for (let round = 0; round < 120; round += 1) {
    for (const [index, { conversation, roomId }] of stores.entries()) {
      const began = performance.now();
      await conversation.post({ requestId: `more-${round}`, roomId, text: 'One more.' });
      if (round >= 20) times[index].push(performance.now() - began);
    }
  }
  for (const { conversation } of stores) await conversation.close();
  const fifths = (of) => Array.from({ length: 5 }, (_, part) => median(of.slice(part * 20, part * 20 + 20)));
  const [short, long] = times.map(fifths);
  return { ratio: median(long.map((value, index) => value / short[index])), short: median(short), long: median(long) };
}

function past(runId, roomId, index) {
  const at = new Date(1_700_000_000_000 + index * 1_000).toISOString();
  const payload = {
    id: `past/${index + 1}`,
    sender: 'you',
    roomId,
    text: `Post ${index}`,
    mentions: [],
    unresolved: [],
    at,
    position: null,
  };
  return newDomainEvent({ runId, clock: { now: () => Date.now() } }, { event: { type: 'post:inherited', payload } });
}
