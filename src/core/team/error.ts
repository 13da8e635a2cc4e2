// What a team refuses, with a code to act on and a message for the person.

export type TeamErrorCode =
  | 'ROOM_NOT_FOUND'
  | 'ROOM_NOT_MEMBER'
  | 'ROOM_EXISTS'
  | 'POST_EMPTY'
  | 'POST_TOO_LONG'
  | 'POST_NOT_FOUND'
  | 'TURN_NOT_INTERRUPTED'
  | 'TURN_NOT_RUNNING'
  | 'TURN_NOT_LEFT'
  | 'CHAIN_NOT_LIMITED'
  | 'MEMBER_NOT_FOUND'
  | 'MEMBER_BUSY'
  | 'NAME_INVALID'
  | 'CONVERSATION_CLOSED'
  | 'RUNS_ELSEWHERE'
  | TeamServiceCode;

/** What the team service refuses with. */
export type TeamServiceCode =
  | 'TEAM_INVALID_CONFIG'
  | 'TEAM_NOT_MEMBER'
  | 'TEAM_LEAD_REQUIRED'
  | 'TEAM_INVALID_MEMBER_NAME'
  | 'TEAM_MEMBER_NAME_TAKEN'
  | 'TEAM_MEMBER_LIMIT'
  | 'TEAM_MEMBER_NOT_FOUND'
  | 'TEAM_PROVISIONING_CONFLICT'
  | 'TEAM_INVALID_ARGUMENT'
  | 'TEAM_INVALID_WRITE_SCOPE'
  | 'TEAM_TASK_LIMIT'
  | 'TEAM_TASK_NOT_FOUND'
  | 'TEAM_TASK_STALE_REVISION'
  | 'TEAM_TASK_DELETED'
  | 'TEAM_TASK_UNAUTHORIZED'
  | 'TEAM_TASK_ALREADY_CLAIMED'
  | 'TEAM_TASK_BLOCKED'
  | 'TEAM_TASK_INVALID_TRANSITION'
  | 'TEAM_TASK_DEPENDENCY_CYCLE'
  | 'TEAM_TASK_HAS_DEPENDENTS'
  | 'TEAM_SELF_MESSAGE'
  | 'TEAM_MAILBOX_FULL'
  | 'TEAM_MESSAGE_TOO_LARGE'
  | 'TEAM_INVALID_TARGET'
  | 'TEAM_INVALID_TIMEOUT'
  | 'TEAM_WAIT_ABORTED'
  | 'TEAM_DISPOSED'
  | 'TEAM_DISPOSAL_TIMEOUT'
  | 'TEAM_BUSY';

export class TeamError extends Error {
  override readonly name = 'TeamError';
  readonly code: TeamErrorCode;
  constructor(code: TeamErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
