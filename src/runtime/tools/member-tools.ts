// All tools that the members of a conversation have, whatever their engines.
import type { ReadRoomChannelOptions } from './read-room-channel.js';
import { readRoomChannel } from './read-room-channel.js';
import type { TeamTool } from './team-tool.js';
import { teamTools, type TeamToolsOptions } from './team-tools.js';

export function memberTools(options: ReadRoomChannelOptions & TeamToolsOptions): readonly TeamTool[] {
  return [readRoomChannel(options), ...teamTools(options)];
}
