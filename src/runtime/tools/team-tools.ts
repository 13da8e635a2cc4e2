// The team's tools: mail, roster, waiting, spawning, and the task board. One set for everybody; who may do what is
// checked by the service.
// Rules: docs/rules.md § Tools.
import * as v from 'valibot';
import type { JsonObject, JsonValue } from '../../core/json.js';
import { TASK_ACTIONS, type TaskUpdate } from '../../core/team/board/task-commands.js';
import { TeamError } from '../../core/team/error.js';
import type { LiveState } from '../../core/team/live-state.js';
import type { ToolOutcome, ToolSpec } from '../ports/tools.js';
import type { TeamHandle, TeamService } from '../team-service.js';
import { checkTimeout } from '../team-wait.js';
import { refusal, type TeamTool, type ToolCaller } from './team-tool.js';

export interface TeamToolsOptions {
  readonly service: TeamService;
  readonly state: () => Promise<LiveState>;
  /** Gives the slot of a turn back while it waits. */
  readonly rest: (position: string) => Disposable;
  /** Engine of new members: what the spawner has. */
  readonly engineOf: (state: LiveState, memberId: string) => string;
}

const text = v.string();
const texts = v.array(text);

/** What a tool takes, as its schema for models and for us, and what it does. */
interface Definition<Schema extends v.GenericSchema> {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required?: readonly string[];
  readonly input: Schema;
  readonly run: (input: v.InferOutput<Schema>, handle: TeamHandle, caller: ToolCaller) => Promise<JsonValue>;
}

/** Makes the tools of one conversation. */
export function teamTools(options: TeamToolsOptions): readonly TeamTool[] {
  const { service } = options;
  const tool = <Schema extends v.GenericSchema>(definition: Definition<Schema>): TeamTool => ({
    spec: specOf(definition),
    run: (input, caller) => run(definition, input, caller, options),
  });
  const send = (name: string, description: string, delivery: 'quiet' | 'wakeup'): TeamTool =>
    tool({
      name,
      description,
      properties: { target: nameOf('Name of the member, or "lead".'), message: { type: 'string' } },
      required: ['target', 'message'],
      input: v.strictObject({ target: text, message: text }),
      run: async ({ target, message }, handle, { signal }) =>
        service.sendMessage(handle, { target, content: [{ type: 'text', text: message }], delivery, signal }),
    });
  return [
    tool({
      name: 'spawn_teammate',
      description: 'Creates a teammate. For the lead, and only when the person asked for a team.',
      properties: {
        name: nameOf('Lower-case letters and digits, joined by hyphens. Never used again.'),
        description: { type: 'string', description: 'What the teammate is for, in a few words.' },
        prompt: { type: 'string', description: 'Its first task, complete: it knows nothing else.' },
        context: { type: 'string', enum: ['fresh', 'fork'], description: '"fork": it knows what the room has said.' },
      },
      required: ['name', 'description', 'prompt'],
      input: v.strictObject({
        name: text,
        description: text,
        prompt: text,
        context: v.optional(v.picklist(['fresh', 'fork']), 'fresh'),
      }),
      run: async (request, handle, { memberId, signal }) => {
        const provider = options.engineOf(await options.state(), memberId);
        return { member: plain(await service.spawnTeammate(handle, { ...request, provider, signal })) };
      },
    }),
    send('send_message', 'Sends a member a message that it reads in its next step or turn. Wakes nobody.', 'quiet'),
    send('followup_task', 'Sends a member a message that wakes it. Its answer comes back as mail.', 'wakeup'),
    tool({
      name: 'list_agents',
      description: 'Lists the members of the team, the lead first, with what each is doing.',
      properties: {},
      input: v.strictObject({}),
      run: async (_input, handle) => (await service.listMembers(handle)).map(plain),
    }),
    tool({
      name: 'wait_agent',
      description:
        'Waits until something happens in the team: mail, a task, a member that begins or ends. Sees later changes only, ' +
        'and wakes nobody: wake whom you need with followup_task first.',
      properties: { timeout_ms: { type: 'integer', description: '10000 to 3600000; 30000 when absent.' } },
      input: v.strictObject({ timeout_ms: v.optional(v.number(), 30_000) }),
      run: async ({ timeout_ms: timeout }, handle, caller) => wait(options, timeout, handle, caller),
    }),
    tool({
      name: 'interrupt_agent',
      description: 'Ends the running turn of a teammate. For the lead. Its mail and its tasks stay.',
      properties: { target: nameOf('Name of the teammate.') },
      required: ['target'],
      input: v.strictObject({ target: text }),
      run: async ({ target }, handle) => service.interrupt(handle, target),
    }),
    ...taskTools(service, tool),
  ];
}

type MakeTool = <Schema extends v.GenericSchema>(definition: Definition<Schema>) => TeamTool;

function taskTools(service: TeamService, tool: MakeTool): readonly TeamTool[] {
  const list = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
  return [
    tool({
      name: 'team_task_create',
      description: 'Puts a task on the board. Nobody is started by it.',
      properties: {
        subject: { type: 'string' },
        description: { type: 'string' },
        blocked_by: list('Ids of tasks that must be completed first.'),
        write_scopes: list('Paths that it will write to, such as "src/api". Advice to the others, no lock.'),
      },
      required: ['subject', 'description'],
      input: v.strictObject({
        subject: text,
        description: text,
        blocked_by: v.optional(texts),
        write_scopes: v.optional(texts),
      }),
      run: async ({ subject, description, blocked_by: blockedBy, write_scopes: writeScopes }, handle, { signal }) =>
        plain(
          await service.createTask(
            handle,
            {
              subject,
              description,
              ...(blockedBy === undefined ? {} : { blockedBy }),
              ...(writeScopes === undefined ? {} : { writeScopes }),
            },
            signal,
          ),
        ),
    }),
    tool({
      name: 'team_task_list',
      description: 'Lists tasks that are not deleted, in the order of their making.',
      properties: {
        status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
        owner: { type: 'string', description: 'A name, or "unowned".' },
        ready: { type: 'boolean', description: 'Whether it can be begun now.' },
        cursor: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: '50 when absent.' },
      },
      input: v.strictObject({
        status: v.optional(v.picklist(['pending', 'in_progress', 'completed'])),
        owner: v.optional(text),
        ready: v.optional(v.boolean()),
        cursor: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0),
        limit: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(100)), 50),
      }),
      run: async ({ cursor, limit, status, owner, ready }, handle) => {
        const filter = {
          ...(status === undefined ? {} : { status }),
          ...(owner === undefined ? {} : { owner }),
          ...(ready === undefined ? {} : { ready }),
        };
        const all = await service.listTasks(handle, filter);
        const next = cursor + limit;
        const tasks = all.slice(cursor, next).map(plain);
        return { tasks, total: all.length, ...(next < all.length ? { nextCursor: next } : {}) };
      },
    }),
    tool({
      name: 'team_task_get',
      description: 'Reads one task, a deleted one too.',
      properties: { task_id: { type: 'string' } },
      required: ['task_id'],
      input: v.strictObject({ task_id: text }),
      run: async ({ task_id: id }, handle) => plain(await service.getTask(handle, id)),
    }),
    tool({
      name: 'team_task_update',
      description:
        'Changes a task at the revision that you have read; when it has changed since, read it again. ' +
        'claim before you work on it, complete when it is done.',
      properties: {
        task_id: { type: 'string' },
        expected_revision: { type: 'integer' },
        action: { type: 'string', enum: [...TASK_ACTIONS] },
        subject: { type: 'string' },
        description: { type: 'string' },
        blocked_by: list('For set_dependencies: the whole list.'),
        write_scopes: list('For edit.'),
        owner: { type: 'string', description: 'For reassign: a name; nobody when absent.' },
        result: { description: 'For complete: what came of it, any JSON. Kept with the task.' },
      },
      required: ['task_id', 'expected_revision', 'action'],
      input: v.strictObject({
        task_id: text,
        expected_revision: v.pipe(v.number(), v.safeInteger()),
        action: v.picklist(TASK_ACTIONS),
        subject: v.optional(text),
        description: v.optional(text),
        blocked_by: v.optional(texts),
        write_scopes: v.optional(texts),
        owner: v.optional(text),
        // The input was read as JSON before the schema sees it.
        result: v.optional(v.custom<JsonValue>(() => true)),
      }),
      run: async (input, handle, { signal }) => plain(await service.updateTask(handle, updateOf(input), signal)),
    }),
  ];
}

function updateOf(input: {
  readonly task_id: string;
  readonly expected_revision: number;
  readonly action: TaskUpdate['action'];
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly blocked_by?: string[] | undefined;
  readonly write_scopes?: string[] | undefined;
  readonly owner?: string | undefined;
  readonly result?: JsonValue | undefined;
}): TaskUpdate {
  const { task_id: taskId, expected_revision: expectedRevision, action } = input;
  return {
    taskId,
    expectedRevision,
    action,
    ...(input.subject === undefined ? {} : { subject: input.subject }),
    ...(input.description === undefined ? {} : { description: input.description }),
    ...(input.blocked_by === undefined ? {} : { blockedBy: input.blocked_by }),
    ...(input.write_scopes === undefined ? {} : { writeScopes: input.write_scopes }),
    ...(input.owner === undefined ? {} : { owner: input.owner }),
    ...(input.result === undefined ? {} : { result: input.result }),
  };
}

/** A wait gives the turn's slot back; one that nobody could end says so at once. */
async function wait(
  { service, rest }: TeamToolsOptions,
  timeoutMs: number,
  handle: TeamHandle,
  { position, signal }: ToolCaller,
): Promise<JsonValue> {
  checkTimeout(timeoutMs);
  // It listens before it looks: what happens in between must not be missed.
  const quit = new AbortController();
  const waiting = service.waitForChange(handle, timeoutMs, AbortSignal.any([signal, quit.signal]));
  waiting.catch(() => undefined);
  const members = await service.listMembers(handle).catch((error: unknown) => {
    quit.abort();
    throw error;
  });
  // The lead is a peer too while it runs; a teammate also while it waits for its turn.
  const isActive = members.some(({ id, role, status }) => {
    if (id === handle.id) return false;
    return status === 'running' || status === 'provisioning' || (role === 'teammate' && status === 'idle');
  });
  if (!isActive) {
    quit.abort();
    const message =
      'No other member is at work, so waiting would change nothing. List them, and wake one with followup_task.';
    return { timedOut: false, noProgress: { reason: 'no-active-peer', message } };
  }
  using _slot = rest(position);
  return { ...(await waiting) };
}

async function run<Schema extends v.GenericSchema>(
  definition: Definition<Schema>,
  input: JsonValue,
  caller: ToolCaller,
  { service, state }: TeamToolsOptions,
): Promise<ToolOutcome> {
  const parsed = v.safeParse(definition.input, input ?? {});
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return refusal('INVALID_INPUT', `At "${v.getDotPath(issue) ?? ''}": ${issue.message}`);
  }
  try {
    const handle = service.handle(await state(), caller.memberId);
    return { text: JSON.stringify(await definition.run(parsed.output, handle, caller)), isError: false };
  } catch (error) {
    if (error instanceof TeamError) return refusal(error.code, error.message);
    throw error;
  }
}

function specOf({
  name,
  description,
  properties,
  required = [],
}: Omit<Definition<v.GenericSchema>, 'input' | 'run'>): ToolSpec {
  const inputSchema = { type: 'object', properties, required: [...required], additionalProperties: false };
  return { name, description, inputSchema };
}

function nameOf(description: string): JsonObject {
  return { type: 'string', description };
}

/** A view as plain JSON: what is absent stays absent. */
function plain(view: object): JsonValue {
  return JSON.parse(JSON.stringify(view)) as JsonValue;
}
