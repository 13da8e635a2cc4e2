// The rules of a team definition, in the order in which they are checked. The first one broken is the one reported.
// Rules: docs/rules.md § Teams.
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../json.js';
import { GraphValidationError } from '../graph/error.js';
import { readLane } from '../graph/description.js';
import type { ExecutionLaneDeclaration } from '../graph/model.js';
import { guarded, isIdentifier, isJsonArray, isPositiveInteger, own, refuse } from '../graph/shape.js';

export interface TeamMember {
  readonly id: string;
  readonly role: string;
  readonly brief: string;
  readonly initialTurn: boolean;
  readonly lane: ExecutionLaneDeclaration | null;
}

/** A checked team, as the rules use it. */
export interface Team {
  readonly task: string;
  readonly concurrency: number;
  readonly maxTurns: number;
  /** In the order of declaration. */
  readonly members: readonly TeamMember[];
  /** Room id → its members; null when the team does not communicate. */
  readonly rooms: ReadonlyMap<string, ReadonlySet<string>> | null;
  readonly tailMessages: number;
}

/**
 * Reads a team out of a definition that passed the generic checks.
 * @throws GraphValidationError with exactly one issue, code INVALID_TEAM. Paths name a node by its id.
 */
export function readTeam(definition: JsonValue): Team {
  try {
    return guarded(
      () => 'Invalid team graph.',
      () => read(definition),
    );
  } catch (error) {
    if (!(error instanceof GraphValidationError)) throw error;
    // A lane is read by the kernel's own reader, whose codes are finer than this form of graph promises.
    throw new GraphValidationError(
      error.message,
      error.issues.map((issue) => ({ ...issue, code: 'INVALID_TEAM' })),
    );
  }
}

function read(definition: JsonValue): Team {
  const graph = objectAt(definition, '');
  const data = objectAt(own(graph, 'data'), '/data');
  const nodes = listAt(own(graph, 'nodes'), '/nodes');
  const task = textAt(own(data, 'task'), '/data/task');
  const concurrency = limitAt(own(data, 'globalConcurrency'), '/data/globalConcurrency');
  const maxTurns = limitAt(own(data, 'maxTurnsPerMember'), '/data/maxTurnsPerMember');
  if (!Number.isSafeInteger(nodes.length * maxTurns)) {
    refuseTeam('/data/maxTurnsPerMember', 'All turns of all members together have to be a safe integer');
  }
  if (listAt(own(graph, 'edges'), '/edges').length > 0) {
    refuseTeam('/edges', 'A team has no edges: messages ask for turns');
  }
  const members = readMembers(nodes);
  const communication = own(data, 'communication');
  const talk = communication === undefined ? null : readCommunication(communication, members);
  return { task, concurrency, maxTurns, members, rooms: talk?.rooms ?? null, tailMessages: talk?.tailMessages ?? 0 };
}

function readMembers(nodes: readonly JsonValue[]): readonly TeamMember[] {
  const lanes = new Map<string, JsonValue>();
  return nodes.map((value, index) => {
    const node = objectAt(value, `/nodes/${index}`);
    const id = textAt(own(node, 'id'), `/nodes/${index}/id`);
    const path = `/nodes/${id}/data`;
    const data = objectAt(own(node, 'data'), path);
    const role = textAt(own(data, 'role'), `${path}/role`);
    const brief = textAt(own(data, 'brief'), `${path}/brief`);
    const initial = own(data, 'initialTurn');
    if (initial !== undefined && typeof initial !== 'boolean') {
      return refuseTeam(`${path}/initialTurn`, 'It is true or false');
    }
    const lane = own(data, 'lane');
    return {
      id,
      role,
      brief,
      initialTurn: initial !== false,
      lane: lane === undefined ? null : readMemberLane(objectAt(lane, `${path}/lane`), `${path}/lane`, lanes),
    };
  });
}

function readMemberLane(value: JsonObject, path: string, lanes: Map<string, JsonValue>): ExecutionLaneDeclaration {
  const lane = readLane(value, path);
  const earlier = lanes.get(lane.id);
  if (earlier !== undefined && !jsonEquals(earlier, value)) {
    refuseTeam(path, `The lane "${lane.id}" is declared in two ways`);
  }
  lanes.set(lane.id, value);
  return lane;
}

function readCommunication(
  value: JsonValue,
  members: readonly TeamMember[],
): { readonly rooms: ReadonlyMap<string, ReadonlySet<string>>; readonly tailMessages: number } {
  const path = '/data/communication';
  const communication = objectAt(value, path);
  const tailMessages = limitAt(own(communication, 'tailMessages'), `${path}/tailMessages`);
  const declared = new Set(members.map(({ id }) => id));
  const rooms = new Map<string, ReadonlySet<string>>();
  listAt(own(communication, 'rooms'), `${path}/rooms`).forEach((item, index) => {
    const place = `${path}/rooms/${index}`;
    const room = objectAt(item, place);
    const id = own(room, 'id');
    if (!isIdentifier(id)) return refuseTeam(`${place}/id`, 'A room id is text without outer white space or controls');
    if (rooms.has(id)) refuseTeam(`${place}/id`, `The room "${id}" is declared twice`);
    rooms.set(id, readRoomMembers(listAt(own(room, 'members'), `${place}/members`), `${place}/members`, declared));
  });
  return { rooms, tailMessages };
}

function readRoomMembers(
  values: readonly JsonValue[],
  path: string,
  declared: ReadonlySet<string>,
): ReadonlySet<string> {
  const members = new Set<string>();
  for (const value of values) {
    if (!isIdentifier(value) || !declared.has(value)) {
      return refuseTeam(path, `There is no member ${JSON.stringify(value)}`);
    }
    if (members.has(value)) refuseTeam(path, `The member "${value}" is listed twice`);
    members.add(value);
  }
  return members;
}

function objectAt(value: JsonValue | undefined, path: string): JsonObject {
  return isJsonObject(value) ? value : refuseTeam(path, 'An object is needed here');
}

function listAt(value: JsonValue | undefined, path: string): readonly JsonValue[] {
  return isJsonArray(value) ? value : refuseTeam(path, 'A list is needed here');
}

function textAt(value: JsonValue | undefined, path: string): string {
  return typeof value === 'string' ? value : refuseTeam(path, 'Text is needed here');
}

function limitAt(value: JsonValue | undefined, path: string): number {
  return isPositiveInteger(value) ? value : refuseTeam(path, 'A limit is a positive safe integer');
}

function refuseTeam(path: string, message: string): never {
  return refuse('INVALID_TEAM', path, message);
}
