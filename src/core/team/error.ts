// What a team refuses, with a code to act on and a message for the person.

export type TeamErrorCode =
  'ROOM_NOT_FOUND' | 'POST_EMPTY' | 'POST_TOO_LONG' | 'TURN_NOT_INTERRUPTED' | 'CONVERSATION_CLOSED' | 'RUNS_ELSEWHERE';

export class TeamError extends Error {
  override readonly name = 'TeamError';
  readonly code: TeamErrorCode;
  constructor(code: TeamErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
