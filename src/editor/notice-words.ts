// What the system says in a room, in words for the person.
import * as vscode from 'vscode';
import type { TeamFile } from '../core/team/team-file.js';
import type { Notice } from '../core/team/transcript.js';
import { dollars } from './money.js';

/** @param team - the team file in force: a member that it does not have any more is called by its id. */
export function noticeWords(notice: Notice, team: Pick<TeamFile, 'members'>): string {
  const { l10n } = vscode;
  const name = (id: string): string => team.members.find((member) => member.id === id)?.name ?? id;
  switch (notice.kind) {
    case 'limited':
      return limitedWords(notice, name);
    case 'cancelled':
      return l10n.t('Chat cancelled.');
    case 'interrupted':
      return l10n.t('{name} was interrupted.', { name: name(notice.member) });
    case 'failed':
      return l10n.t('{name} could not answer: {message}', { name: name(notice.member), message: notice.message });
    case 'skipped':
      return l10n.t('The turn of {name} was skipped.', { name: name(notice.member) });
  }
}

/** C07, C09: the limit, how far the chain came, and who was next. */
function limitedWords(notice: Extract<Notice, { kind: 'limited' }>, name: (id: string) => string): string {
  const { l10n } = vscode;
  const { count, value } = notice;
  const mentions = notice.next.map((id) => `@${name(id)}`);
  const next =
    mentions.length === 1
      ? l10n.t('{next} was next.', { next: mentions.join('') })
      : l10n.t('{next} were next.', { next: mentions.join(', ') });
  switch (notice.limit) {
    case 'hopCap':
      return mentions.length === 1
        ? hopWords(count, mentions.join(''))
        : l10n.t('Stopped after {count} hops: {next} were next.', { count, next: mentions.join(', ') });
    case 'costCeiling': {
      const spent = { ceiling: dollars(value), cost: dollars(count), over: dollars(count - value) };
      // A turn is never cut off for its cost: what was running when the ceiling was reached is paid for.
      const reached =
        count > value
          ? l10n.t('Stopped at the cost ceiling of {ceiling}: this chain has cost {cost}, {over} over it.', spent)
          : l10n.t('Stopped at the cost ceiling of {ceiling}: this chain has cost {cost}.', spent);
      return `${reached} ${next}`;
    }
    case 'turnsPerMember': {
      const member = mentions[0] ?? '';
      return count === 1
        ? l10n.t('{member} has had 1 turn in this chain, the most that a member may have. Its next one waits.', {
            member,
          })
        : l10n.t('{member} has had {count} turns in this chain, the most that a member may have. Its next one waits.', {
            member,
            count,
          });
    }
  }
}

function hopWords(count: number, next: string): string {
  return count === 1
    ? vscode.l10n.t('Stopped after 1 hop: {next} was next.', { next })
    : vscode.l10n.t('Stopped after {count} hops: {next} was next.', { count, next });
}
