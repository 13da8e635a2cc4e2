// What a member's turn may give. One bad post refuses the whole turn, so that nothing is half said.
// Rules: docs/rules.md § Turn results.
import { isJsonObject, type JsonValue } from '../json.js';
import type { GraphIssue } from '../graph/model.js';
import { isIdentifier, isJsonArray, own } from '../graph/shape.js';
import type { Team } from './team-definition.js';
import type { TeamPost, TeamTurnResult } from './team-model.js';

const ROOT = '/event/payload/result';

/** A turn's result that keeps the rules, or the first rule it breaks. */
export type TurnReading =
  | { readonly issue: null; readonly result: TeamTurnResult; readonly posts: readonly TeamPost[] }
  | { readonly issue: GraphIssue };

/**
 * Reads what a turn gave.
 * @param sender - the member whose turn it was: it has to be in every room it posts to.
 * @returns the result as given (extra fields stay) and its posts (extra fields dropped), or the issue.
 */
export function readTurnResult(team: Pick<Team, 'rooms'>, sender: string, value: JsonValue): TurnReading {
  if (!isJsonObject(value)) return wrong(ROOT, 'The result of a turn is an object.');
  if (typeof own(value, 'summary') !== 'string') return wrong(`${ROOT}/summary`, 'The summary is text.');
  const list = own(value, 'posts');
  const posts: TeamPost[] = [];
  if (list !== undefined) {
    if (team.rooms === null) return wrong(`${ROOT}/posts`, 'This team has no rooms to post in.');
    if (!isJsonArray(list)) return wrong(`${ROOT}/posts`, 'The posts are a list.');
    for (const [index, item] of list.entries()) {
      const post = readPost(item, `${ROOT}/posts/${index}`, sender, team.rooms);
      if ('code' in post) return { issue: post };
      posts.push(post);
    }
  }
  // Every field that TeamTurnResult names has been read above.
  return { issue: null, result: value as TeamTurnResult, posts };
}

function readPost(
  value: JsonValue,
  path: string,
  sender: string,
  rooms: ReadonlyMap<string, ReadonlySet<string>>,
): TeamPost | GraphIssue {
  if (!isJsonObject(value)) return problem(path, 'A post is an object.');
  const roomId = own(value, 'roomId');
  if (!isIdentifier(roomId)) return problem(`${path}/roomId`, 'The room of a post is its id.');
  const members = rooms.get(roomId);
  if (members?.has(sender) !== true) {
    return problem(`${path}/roomId`, `"${sender}" is not a member of a room "${roomId}".`);
  }
  const text = own(value, 'text');
  if (typeof text !== 'string') return problem(`${path}/text`, 'The text of a post is text.');
  const list = own(value, 'mentions');
  if (!isJsonArray(list)) return problem(`${path}/mentions`, 'The mentions are a list of member ids.');
  const mentions: string[] = [];
  for (const mention of list) {
    if (typeof mention !== 'string' || !members.has(mention)) {
      return problem(`${path}/mentions`, `${JSON.stringify(mention)} is not a member of the room "${roomId}".`);
    }
    mentions.push(mention);
  }
  return { roomId, text, mentions };
}

function wrong(path: string, message: string): TurnReading {
  return { issue: problem(path, message) };
}

function problem(path: string, message: string): GraphIssue {
  return { code: 'INVALID_TEAM', path, message };
}
