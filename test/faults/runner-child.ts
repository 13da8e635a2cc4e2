// A window in a process of its own: runs a conversation whose member answers when it is told to, by a line on stdin.
import { createInterface } from 'node:readline';
import { Conversation } from '../../src/runtime/conversation.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { HandEngine, host, LIVE_POLICY, post, team } from '../support/live-team.js';

const [directory = ''] = process.argv.slice(2);
const say = (what: unknown): void => void process.stdout.write(`${JSON.stringify(what)}\n`);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const storage = createLocalRunStorage({ directory, namespace: 'live', policy: LIVE_POLICY });
const engine = new HandEngine();
const conversation = await Conversation.start(host(storage, engine), team(['ana', 'legal']), []);
await post(conversation, '@legal look');
const turn = await engine.begun();
say(conversation.runId);

await lines.next();
turn.answer('too late');
const { state } = await conversation.status();
say({ runsHere: conversation.runnerPlace() === 'here', epoch: state.runner?.epoch });
await lines.next();
await conversation.close();
process.exit(0);
