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
  | 'RUNS_ELSEWHERE';

export class TeamError extends Error {
  override readonly name = 'TeamError';
  readonly code: TeamErrorCode;
  constructor(code: TeamErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
