// A program for A-81: runs the release team until the writer's question is stored, says so, and goes no further.
// Arguments: the storage folder and the scratch folder.
import { compileGraph, createGraphExecutor, loadRunDefinition, teamGraphType } from 'teamroom/runtime';
import type { EventStore, TeamDefinition } from 'teamroom/runtime';
import { createLocalRunStorage } from 'teamroom/runtime/storage/local';
import { bindingOf, NAMESPACE, POLICY, RUN } from './run-binding.js';
import { QUESTION } from './team-fixture.js';

const [, , directory = '', scratch = ''] = process.argv;
const storage = createLocalRunStorage({ directory, namespace: NAMESPACE, policy: POLICY });
const eventStore: EventStore = {
  ...storage.eventStore,
  append: async (stream, revision, events) => {
    const end = await storage.eventStore.append(stream, revision, events);
    if (!events.some(({ type }) => type === 'graph:node-completed')) return end;
    process.stdout.write('saved\n');
    setInterval(() => undefined, 1_000);
    return new Promise(() => undefined);
  },
};
const { record } = await loadRunDefinition(storage, RUN);
const graph = compileGraph(teamGraphType, record.payload.definition.graphDefinition.value as TeamDefinition);
const nodes = { writer: bindingOf(scratch, async () => QUESTION) };
const executor = await createGraphExecutor({
  runId: RUN,
  graph,
  storage: { ...storage, eventStore },
  nodes,
  engines: [],
});
await executor.run(new AbortController().signal);
