// Words for the screen that more than one part says.
import type { MemberView, PostView } from '../src/protocol/view.js';
import type { MemberFace } from './store/views.js';

export const STATUS_WORDS: Readonly<Record<MemberView['status'], string>> = {
  idle: 'Idle',
  queued: 'Queued',
  running: 'Running',
  stopping: 'Stopping',
  interrupted: 'Interrupted',
  stopped: 'Stopped',
  failed: 'Failed',
};

/** @returns the names one after the other: "Ada", "Ada and Bo", "Ada, Bo and Cy" */
export function listOf(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** @returns the name that a post is shown under */
export function senderName(post: PostView, members: ReadonlyMap<string, MemberFace>): string {
  switch (post.sender.kind) {
    case 'person':
      return 'You';
    case 'notice':
      return 'Notice';
    case 'member':
      return members.get(post.sender.id)?.name ?? post.sender.id;
  }
}

/** @returns a member's place in the roster, which is its tint; -1 for somebody unknown */
export function tintOf(id: string, members: ReadonlyMap<string, MemberFace>): number {
  return [...members.keys()].indexOf(id);
}
