// read_room_channel: the whole of a room's posts on demand, for the members that are in it.
// Rules: docs/rules.md § Tools.
import * as v from 'valibot';
import type { JsonValue } from '../../core/json.js';
import type { LiveState } from '../../core/team/live-state.js';
import type { TranscriptPost } from '../../core/team/transcript.js';
import type { RunStorage } from '../../storage/port.js';
import type { ToolOutcome } from '../ports/tools.js';
import { readTranscriptPage, type TranscriptPlace } from '../transcript-pages.js';
import { refusal, type TeamTool, type ToolCaller } from './team-tool.js';

const MAX_POSTS = 200;
const DEFAULT_POSTS = 50;

const Input = v.strictObject({
  room: v.optional(v.string()),
  before: v.optional(v.string()),
  limit: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MAX_POSTS))),
});

export interface ReadRoomChannelOptions {
  readonly storage: RunStorage;
  readonly runId: string;
  readonly state: () => Promise<LiveState>;
}

/** Makes the tool for one conversation. */
export function readRoomChannel(options: ReadRoomChannelOptions): TeamTool {
  return {
    spec: {
      name: 'read_room_channel',
      description:
        'Reads posts of a room that you are in, oldest first, the newest page when "before" is not given. ' +
        'Use it when the posts that you were given do not tell you enough.',
      inputSchema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          room: { type: 'string', description: 'Id of the room; the room of this turn when absent.' },
          before: { type: 'string', description: 'Id of a post: only posts before it are read.' },
          limit: { type: 'integer', minimum: 1, maximum: MAX_POSTS, description: `${DEFAULT_POSTS} when absent.` },
        },
      },
    },
    run: (input, caller) => read(input, caller, options),
  };
}

async function read(input: JsonValue, caller: ToolCaller, options: ReadRoomChannelOptions): Promise<ToolOutcome> {
  const parsed = v.safeParse(Input, input ?? {});
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return refusal('INVALID_INPUT', `At "${v.getDotPath(issue) ?? ''}": ${issue.message}`);
  }
  const { before, limit = DEFAULT_POSTS } = parsed.output;
  const roomId = parsed.output.room ?? caller.roomId;
  if (roomId === null) return refusal('INVALID_INPUT', 'This turn has no room. Name one as "room".');
  const state = await options.state();
  // C20: a room that is not there and one that the member is not in are the same to it.
  if (state.rooms.get(roomId)?.members.includes(caller.memberId) !== true) {
    return refusal('ROOM_NOT_MEMBER', `You are not in a room "${roomId}".`);
  }
  const head = { revision: state.revision + 1, index: 0 };
  const place = before === undefined ? head : await placeOf(options, roomId, before, head);
  if (place === null) return refusal('POST_NOT_FOUND', `There is no post "${before ?? ''}" in the room "${roomId}".`);
  const { posts, hasOlder } = await pageOf(options, roomId, place, limit);
  return { text: JSON.stringify({ room: roomId, hasOlder, posts: posts.map(shown) }), isError: false };
}

function shown({ id, sender, at, text, mentions }: TranscriptPost) {
  return { id, sender, at, mentions, text };
}

/** Posts only: what the system says is for people. */
async function pageOf(
  { storage, runId }: ReadRoomChannelOptions,
  roomId: string,
  from: TranscriptPlace,
  limit: number,
) {
  let posts: readonly TranscriptPost[] = [];
  let before = from;
  let hasOlder = true;
  while (hasOlder && posts.length <= limit) {
    const page = await readTranscriptPage(storage, runId, { roomId, before, limit });
    const [first] = page.entries;
    posts = [...page.entries.filter((entry) => entry.kind === 'post'), ...posts];
    hasOlder = page.hasOlder && first !== undefined;
    if (first !== undefined) before = { revision: first.revision, index: first.index };
  }
  return { posts: posts.slice(-limit), hasOlder: hasOlder || posts.length > limit };
}

async function placeOf(
  { storage, runId }: ReadRoomChannelOptions,
  roomId: string,
  postId: string,
  head: TranscriptPlace,
): Promise<TranscriptPlace | null> {
  for (let before = head; ;) {
    const { entries, hasOlder } = await readTranscriptPage(storage, runId, { roomId, before, limit: MAX_POSTS });
    const found = entries.find(({ id }) => id === postId);
    if (found !== undefined) return { revision: found.revision, index: found.index };
    const [first] = entries;
    if (!hasOlder || first === undefined) return null;
    before = { revision: first.revision, index: first.index };
  }
}
