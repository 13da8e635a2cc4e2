// Conversations as files that the person chooses: Markdown to read, JSON lines to keep.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import { PERSON } from '../../core/team/live-state.js';
import { parseTeamFile, type TeamFile } from '../../core/team/team-file.js';
import type { TranscriptPost } from '../../core/team/transcript.js';
import type { ListedConversation } from '../../runtime/conversation-list.js';
import { exportMarkdown, type MarkdownWords } from '../../runtime/export-markdown.js';
import { readStoredState } from '../../runtime/stored-state.js';
import { isStorageError } from '../../storage/error.js';
import type { LocalRunStorage } from '../../storage/port.js';
import { exportRun, salvageRun } from '../../storage/sqlite/transfer.js';
import { messageOf } from '../errors.js';
import { safeNodes } from '../markdown/safe-nodes.js';
import { noticeWords } from '../notice-words.js';
import { NAMESPACE, type WorkspaceStorage } from '../workspace-storage.js';
import { markdownText, plainMarkdown } from './markdown-text.js';

/** Writes all that was said into a Markdown file. */
export async function exportAsMarkdown(storage: LocalRunStorage, item: ListedConversation): Promise<void> {
  const state = await readStoredState(storage, item.runId);
  const team = parseTeamFile(state.team, state.teamId);
  const target = await chooseFile(item, 'md', { Markdown: ['md'] });
  if (target === undefined) return;
  const text = exportMarkdown({ storage, state, team, words: wordsOf(item, team) });
  await writeWhole(target, (path) => pipeline(Readable.from(text), createWriteStream(path, { flags: 'wx' })));
  await offerToOpen(target);
}

/** Writes the record, with reasoning and artifacts, into a file of JSON lines. */
export async function exportRecord(
  { directory }: WorkspaceStorage,
  item: ListedConversation,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const target = await chooseFile(item, 'jsonl', { 'JSON Lines': ['jsonl'] });
  if (target === undefined) return;
  const place = { directory, namespace: NAMESPACE, runId: item.runId };
  try {
    await writeWhole(target, (path) => exportRun(place, path));
  } catch (error) {
    if (!isStorageError(error, 'CORRUPT_EVENT_STREAM')) throw error;
    log.warn(messageOf(error));
    const save = vscode.l10n.t('Save What Can Be Read');
    const message = vscode.l10n.t('This conversation is damaged and cannot be exported as a whole.');
    if ((await vscode.window.showWarningMessage(message, save)) !== save) return;
    await writeWhole(target, (path) => salvageRun(place, path));
  }
  await offerToOpen(target);
}

/** The dialog itself asks before a file is overwritten. */
function chooseFile(item: ListedConversation, extension: string, filters: Record<string, string[]>) {
  const name = `${slug(item.title ?? '')}.${extension}`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const defaultUri = folder === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name);
  return vscode.window.showSaveDialog({ defaultUri, filters, title: vscode.l10n.t('Export Conversation') });
}

/** Half a file never has the chosen name. */
async function writeWhole(target: vscode.Uri, write: (path: string) => Promise<unknown>): Promise<void> {
  const isHere = target.scheme === 'file';
  const unfinished = `${isHere ? target.fsPath : join(tmpdir(), 'teamroom-export')}.${randomUUID()}.tmp`;
  try {
    await write(unfinished);
    if (isHere) await rename(unfinished, target.fsPath);
    else await vscode.workspace.fs.copy(vscode.Uri.file(unfinished), target, { overwrite: true });
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function offerToOpen(target: vscode.Uri): Promise<void> {
  const open = vscode.l10n.t('Open');
  const message = vscode.l10n.t('The conversation was exported to {path}.', { path: target.fsPath });
  if ((await vscode.window.showInformationMessage(message, open)) === open) {
    await vscode.commands.executeCommand('vscode.open', target);
  }
}

function wordsOf({ title, runId }: ListedConversation, team: TeamFile): MarkdownWords {
  const { l10n } = vscode;
  const now = timeWords(new Date().toISOString());
  return {
    title: title ?? l10n.t('Conversation'),
    about: [
      l10n.t('Team: {team}', { team: team.name }),
      l10n.t('Conversation {id}, exported {time}', { id: runId, time: now }),
    ],
    membersHeading: l10n.t('Members'),
    roomEmpty: l10n.t('Nothing was said in this room.'),
    head: (post) => headWords(post, team),
    notice: (notice, at) => `${timeWords(at)}: ${noticeWords(notice, team)}`,
    body: ({ text }) => markdownText(safeNodes(text, { mentions: [], roster: { lead: team.lead, members: [] } })),
    plain: plainMarkdown,
  };
}

function headWords({ sender, at, hop, isInherited }: TranscriptPost, team: TeamFile): string {
  const { l10n } = vscode;
  const name = team.members.find(({ id }) => id === sender)?.name ?? sender;
  return [
    sender === PERSON ? l10n.t('You') : name,
    timeWords(at),
    ...(hop === null ? [] : [l10n.t('hop {hop} of {cap}', { hop: hop.hop, cap: hop.cap })]),
    ...(isInherited ? [l10n.t('before the fork')] : []),
  ].join(' · ');
}

/** The same wherever it is read: `2026-01-31 23:59:58 UTC`. */
function timeWords(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

/** A file's name of the words of a title. */
function slug(title: string): string {
  const words =
    title
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const name = words.join('-').slice(0, 60).toWellFormed().replace(/-+$/, '');
  return name === '' ? 'conversation' : name;
}
