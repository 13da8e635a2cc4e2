// The rules that every graph definition keeps, whatever its type. All problems are reported at once, so that an author
// mends a file in one go.
import { cloneJson, digestText, canonicalJson, isJsonObject, JsonValueError, type JsonValue } from '../json.js';
import { GraphValidationError } from './error.js';
import type { GraphIssue, StoredGraphDefinition } from './model.js';
import { isIdentifier, isJsonArray, isPositiveInteger, own } from './shape.js';

/** A definition that passed, with the ids the kernel needs. */
export interface CheckedDefinition {
  readonly stored: StoredGraphDefinition;
  readonly id: string;
  readonly definitionVersion: number;
  readonly nodeIds: readonly string[];
  readonly edges: readonly { readonly id: string; readonly source: string; readonly target: string }[];
}

/**
 * Copies, checks and digests a definition.
 * @param definition - what the author wrote; never changed and not referred to afterwards.
 * @throws GraphValidationError with every problem found. A value that is not JSON is the only problem reported.
 */
export function checkDefinition(definition: unknown): CheckedDefinition {
  const issues: GraphIssue[] = [];
  const value = copyOf(definition, issues);
  const checked = value === undefined ? undefined : readGraph(value, issues);
  if (checked === undefined || issues.length > 0)
    throw new GraphValidationError('Graph definition is invalid.', issues);
  return checked;
}

function copyOf(definition: unknown, issues: GraphIssue[]): JsonValue | undefined {
  try {
    return cloneJson(definition);
  } catch (error) {
    if (!(error instanceof JsonValueError)) throw error;
    issues.push({ code: error.code, path: error.path, message: error.message });
    return undefined;
  }
}

function readGraph(value: JsonValue, issues: GraphIssue[]): CheckedDefinition | undefined {
  if (!isJsonObject(value)) {
    issues.push({ code: 'INVALID_DEFINITION', path: '', message: 'A graph definition is an object.' });
    return undefined;
  }
  const id = readId(own(value, 'id'), '/id', issues);
  const version = own(value, 'definitionVersion');
  if (!isPositiveInteger(version)) {
    issues.push({
      code: 'INVALID_VERSION',
      path: '/definitionVersion',
      message: 'The definition version is a positive whole number.',
    });
  }
  needData(value, '/data', issues);
  const nodeIds = readNodes(own(value, 'nodes'), issues);
  const edges = readEdges(own(value, 'edges'), new Set(nodeIds), issues);
  const text = canonicalJson(value);
  const stored = Object.freeze({ value, canonicalJson: text, digest: digestText(text) });
  return { stored, id, definitionVersion: Number(version), nodeIds, edges };
}

function readNodes(nodes: JsonValue | undefined, issues: GraphIssue[]): readonly string[] {
  if (!isJsonArray(nodes)) {
    issues.push({ code: 'INVALID_DEFINITION', path: '/nodes', message: 'The nodes are a list.' });
    return [];
  }
  const seen = new Set<string>();
  nodes.forEach((node, index) => {
    const path = `/nodes/${index}`;
    if (!isJsonObject(node)) {
      issues.push({ code: 'INVALID_DEFINITION', path, message: 'A node is an object.' });
      return;
    }
    readUniqueId(own(node, 'id'), path, 'DUPLICATE_NODE_ID', seen, issues);
    needData(node, `${path}/data`, issues);
  });
  return [...seen];
}

function readEdges(
  edges: JsonValue | undefined,
  nodeIds: ReadonlySet<string>,
  issues: GraphIssue[],
): CheckedDefinition['edges'] {
  if (!isJsonArray(edges)) {
    issues.push({ code: 'INVALID_DEFINITION', path: '/edges', message: 'The edges are a list.' });
    return [];
  }
  const seen = new Set<string>();
  return edges.flatMap((edge, index) => {
    const path = `/edges/${index}`;
    if (!isJsonObject(edge)) {
      issues.push({ code: 'INVALID_DEFINITION', path, message: 'An edge is an object.' });
      return [];
    }
    const id = readUniqueId(own(edge, 'id'), path, 'DUPLICATE_EDGE_ID', seen, issues);
    const source = readEnd(own(edge, 'source'), `${path}/source`, 'UNKNOWN_SOURCE_NODE', nodeIds, issues);
    const target = readEnd(own(edge, 'target'), `${path}/target`, 'UNKNOWN_TARGET_NODE', nodeIds, issues);
    needData(edge, `${path}/data`, issues);
    return [{ id, source, target }];
  });
}

function readUniqueId(
  value: JsonValue | undefined,
  ownerPath: string,
  duplicateCode: string,
  seen: Set<string>,
  issues: GraphIssue[],
): string {
  const path = `${ownerPath}/id`;
  if (!isIdentifier(value)) return readId(value, path, issues);
  if (seen.has(value)) issues.push({ code: duplicateCode, path, message: `The id "${value}" is used twice.` });
  seen.add(value);
  return value;
}

function readEnd(
  value: JsonValue | undefined,
  path: string,
  unknownCode: string,
  nodeIds: ReadonlySet<string>,
  issues: GraphIssue[],
): string {
  if (isIdentifier(value) && !nodeIds.has(value)) {
    issues.push({ code: unknownCode, path, message: `There is no node "${value}".` });
  }
  return readId(value, path, issues);
}

function readId(value: JsonValue | undefined, path: string, issues: GraphIssue[]): string {
  if (isIdentifier(value)) return value;
  issues.push({
    code: 'INVALID_ID',
    path,
    message: 'An id is text, not empty, without outer white space or control characters.',
  });
  return '';
}

function needData(owner: JsonValue, path: string, issues: GraphIssue[]): void {
  if (isJsonObject(owner) && Object.hasOwn(owner, 'data')) return;
  issues.push({ code: 'INVALID_DEFINITION', path, message: 'The field "data" is missing.' });
}
