// The team's own records as a store hands them over, valid unless a case bends them.
import type { JsonObject, JsonValue } from '../../src/core/json.js';
import type { StoredTeamRecord } from '../../src/core/team/board/team-fold.js';

export const TEAM = 'team-1';
export const OTHER = 'team-2';

const MEMBER = {
  id: 'm-1',
  name: 'alpha',
  description: 'd',
  provider: 'hand',
  context: 'fresh',
  phase: 'provisioning',
};
const TASK = { id: 'task-1', revision: 1, subject: 's', description: 'd', status: 'pending' };
const MESSAGE = { id: 'message-1', senderId: TEAM, senderName: 'lead', targetId: 'm-1', delivery: 'quiet' };

export function record(type: string, payload: JsonValue): StoredTeamRecord {
  return { type, payload };
}

export function member(fields: JsonObject = {}, head: JsonObject = {}): StoredTeamRecord {
  return record('team/member', { version: 1, teamId: TEAM, ...head, member: { ...MEMBER, ...fields } });
}

export function task(fields: JsonObject = {}, head: JsonObject = {}): StoredTeamRecord {
  const whole = { ...TASK, blockedBy: [], writeScopes: [], ...fields };
  return record('team/task', { version: 1, teamId: TEAM, ...head, task: whole });
}

export function queued(fields: JsonObject = {}, head: JsonObject = {}): StoredTeamRecord {
  const message = { ...MESSAGE, content: [{ type: 'text', text: 'hello' }], ...fields };
  return record('team/message/queued', { version: 1, teamId: TEAM, ...head, message });
}

export function delivered(fields: JsonObject = {}): StoredTeamRecord {
  const payload = { version: 1, teamId: TEAM, messageId: 'message-1', targetId: 'm-1', ...fields };
  return record('team/message/delivered', payload);
}
