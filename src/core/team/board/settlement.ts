// What becomes of a turn that somebody's mail, prompt or tasks woke: whoever did is told, by mail that wakes the lead
// and nobody else.
// Rules: docs/rules.md § Mail.
import type { ContentBlock } from '../../record/team-schemas.js';
import { PERSON, type LiveState, type OpenTurn } from '../live-state.js';
import { LEAD_NAME } from './team-state.js';

/** How much of an answer goes into the message, in UTF-16 code units. */
const MAX_SUMMARY = 16_000;

export interface SettlementMail {
  readonly target: string;
  readonly content: readonly ContentBlock[];
  readonly delivery: 'quiet' | 'wakeup';
}

/**
 * The messages that a turn leaves.
 * @param end - how it ended, and with which words.
 */
export function settlementMail(
  state: LiveState,
  memberId: string,
  turn: Pick<OpenTurn, 'triggers'>,
  end: { readonly how: 'finished' | 'failed'; readonly summary: string },
): readonly SettlementMail[] {
  const senders = turn.triggers.flatMap(({ cause }) => (cause.kind === 'post' ? [] : [cause.sender]));
  const targets = [...new Set(senders)].filter((sender) => sender !== PERSON && sender !== memberId);
  const summary =
    end.summary.length > MAX_SUMMARY ? `${end.summary.slice(0, MAX_SUMMARY).toWellFormed()}…` : end.summary;
  const name = memberId === state.lead ? LEAD_NAME : memberId;
  const text = summary.trim() === '' ? `${name} ${end.how}.` : `${name} ${end.how}: ${summary}`;
  return targets.map((target) => ({
    target: target === state.lead ? LEAD_NAME : target,
    content: [{ type: 'text', text }],
    delivery: target === state.lead ? 'wakeup' : 'quiet',
  }));
}
