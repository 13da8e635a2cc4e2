// Two windows on one conversation that have nothing to do for ten seconds, and what they do all the same.
import { counted, forget } from './idle-probe.js';
import { setTimeout as pass } from 'node:timers/promises';
import { Conversation } from '../../src/runtime/conversation.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { HandEngine, host, LIVE_POLICY, post, settled, team } from '../support/live-team.js';

const IDLE_MS = 10_000;
const [directory = ''] = process.argv.slice(2);
const bind = () => createLocalRunStorage({ directory, namespace: 'live', policy: LIVE_POLICY });

const engine = new HandEngine();
const runner = await Conversation.start(host(bind(), engine), team(['ana']), []);
await post(runner, 'hello');
(await engine.begun()).answer('hi');
await settled(runner);
const follower = await Conversation.open(host(bind(), new HandEngine()), runner.runId);
await follower.status();
// What follows an opening (a check of the record, connections that close when idle) is over by then.
await pass(4_000);
forget();
await pass(IDLE_MS);
const { timers, reads } = counted();
process.stdout.write(`${JSON.stringify({ timers: timers.filter((delay) => delay !== IDLE_MS), reads })}\n`);
await follower.close();
await runner.close();
process.exit(0);
