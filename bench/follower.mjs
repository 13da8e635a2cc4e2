// A second process that follows a run: says at what time it saw each event, in milliseconds since the epoch.
import '../scripts/from-source.mjs';

const { directory, namespace, policy, runId } = JSON.parse(process.argv[2]);
const { createLocalRunStorage } = await import('../src/storage/sqlite/storage.ts');
const { eventStore, runs } = createLocalRunStorage({ directory, namespace, policy });
const stream = { namespace, streamId: runId };
let revision = await eventStore.head(stream);
let reading = Promise.resolve();
runs.watch(runId, () => {
  reading = reading.then(read);
});
process.send('following');
process.on('disconnect', () => process.exit());

async function read() {
  for await (const event of eventStore.read(stream, revision)) {
    revision = event.revision;
    process.send({ revision, at: performance.timeOrigin + performance.now() });
  }
}
