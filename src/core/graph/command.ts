// What a graph type may decide, checked command by command.
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import type { GraphCommand } from './model.js';
import { guarded, isIdentifier, isJsonArray, own, readJson, refuse } from './shape.js';

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  dispatch: ['kind', 'nodeId', 'input', 'position'],
  pause: ['kind', 'reason'],
  complete: ['kind', 'output'],
  fail: ['kind', 'code', 'message'],
};

/**
 * Checks what a graph type's `decide` returned.
 * @param commands - anything.
 * @param nodeIds - the declared nodes.
 * @returns a frozen copy.
 * @throws GraphValidationError (INVALID_GRAPH_COMMAND) for a list, field, node, position or combination that is wrong.
 */
export function checkCommands(commands: unknown, nodeIds: ReadonlySet<string>): readonly GraphCommand[] {
  return guarded(
    () => 'Invalid graph command.',
    () => {
      const list = readJson(commands, '/commands');
      if (!isJsonArray(list)) return wrong('/commands', 'A decision is a list of commands');
      const checked = list.map((command, index) => readCommand(command, `/commands/${index}`, nodeIds));
      refuseCompany(checked);
      return Object.freeze(checked);
    },
  );
}

function refuseCompany(commands: readonly GraphCommand[]): void {
  const positions = new Set<string>();
  commands.forEach((command, index) => {
    if (command.kind !== 'dispatch') {
      if (commands.length > 1) wrong(`/commands/${index}`, 'A command that ends the run stands alone');
      return;
    }
    if (positions.has(command.position)) {
      wrong(`/commands/${index}/position`, `The position "${command.position}" is used twice`);
    }
    positions.add(command.position);
  });
}

function readCommand(value: JsonValue, path: string, nodeIds: ReadonlySet<string>): GraphCommand {
  if (!isJsonObject(value)) return wrong(path, 'A command is an object');
  const given = own(value, 'kind');
  const kind: string = typeof given === 'string' ? given : '';
  switch (kind) {
    case 'dispatch': {
      needFields(value, kind, path);
      const nodeId = textField(value, 'nodeId', path);
      if (!nodeIds.has(nodeId)) wrong(`${path}/nodeId`, `There is no node "${nodeId}"`);
      const position = textField(value, 'position', path);
      return Object.freeze({ kind, nodeId, input: own(value, 'input') ?? null, position });
    }
    case 'pause':
      needFields(value, kind, path);
      return Object.freeze({ kind, reason: textField(value, 'reason', path) });
    case 'complete':
      needFields(value, kind, path);
      return Object.freeze({ kind, output: own(value, 'output') ?? null });
    case 'fail':
      needFields(value, kind, path);
      return Object.freeze({
        kind,
        code: textField(value, 'code', path),
        message: textField(value, 'message', path),
      });
    default:
      return wrong(`${path}/kind`, 'A command is dispatch, pause, complete or fail');
  }
}

function needFields(command: JsonObject, kind: string, path: string): void {
  const fields = FIELDS[kind] ?? [];
  const present = Object.keys(command);
  for (const key of present) if (!fields.includes(key)) wrong(path, `A ${kind} command has no field "${key}"`);
  for (const key of fields) if (!present.includes(key)) wrong(path, `A ${kind} command needs the field "${key}"`);
}

function textField(command: JsonObject, key: string, path: string): string {
  const value = own(command, key);
  if (typeof value === 'string' && (key === 'reason' || key === 'message' ? value !== '' : isIdentifier(value))) {
    return value;
  }
  return wrong(`${path}/${key}`, `The field "${key}" is not valid text`);
}

function wrong(path: string, message: string): never {
  return refuse('INVALID_GRAPH_COMMAND', path, message);
}
