// "Open as document": the whole reasoning of one turn as a read-only editor tab, which grows while the turn runs. It is
// read from the member's stream when the tab is shown; only this workspace's owner has that, and no file is written.
import * as vscode from 'vscode';
import { ancestorPosition, turnNumber, turnPosition } from '../core/team/identifiers.js';
import type { LocalRunStorage } from '../storage/port.js';
import {
  findReasoning,
  readReasoning,
  type ReasoningPage,
  type ReasoningPiece,
  type ReasoningPlace,
} from '../runtime/reasoning.js';
import { ROOM_SCHEME } from './contributions.js';
import type { DocumentSource, ShownText } from './read-only-documents.js';
import { isTurnRunning } from './reasoning-desk.js';
import { reasoningText } from './reasoning-text.js';
import type { TeamSession } from './team-session.js';

/** How many documents are kept to be continued; others are read again. */
const KEPT = 8;

export interface ReasoningDocumentsOptions {
  readonly session: TeamSession;
  readonly storage: () => Promise<LocalRunStorage>;
}

/** What is known of a document that was shown. */
interface Kept {
  readonly uri: vscode.Uri;
  readonly place: ReasoningPlace;
  pieces: readonly ReasoningPiece[];
  isWhole: boolean;
  isRunning: boolean;
}

export class ReasoningDocuments implements DocumentSource, vscode.Disposable {
  readonly #options: ReasoningDocumentsOptions;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #following: vscode.Disposable;
  /** By address; the one that was read last stands last. */
  readonly #kept = new Map<string, Kept>();
  #watch: { readonly runId: string; readonly handle: Disposable } | null = null;
  #queue: Promise<unknown> = Promise.resolve();

  readonly onDidChange = this.#changed.event;

  constructor(options: ReasoningDocumentsOptions) {
    this.#options = options;
    this.#following = options.session.onDidChange(() => this.#tell());
  }

  /** Opens the reasoning of a turn of the open conversation. */
  async show(position: string): Promise<void> {
    const { conversation } = await this.#options.session.open();
    const { state } = await conversation.status();
    const name = memberName(position, conversation.team.members, [...state.members.keys()]);
    const title = vscode.l10n.t('{member}, turn {turn}', { member: name, turn: turnNumber(position) ?? '?' });
    const uri = reasoningUri(conversation.runId, position, title);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  read(uri: vscode.Uri): Promise<ShownText> | null {
    const address = addressOf(uri);
    if (address === null) return null;
    const text = this.#queue.then(() => this.#text(uri, address));
    this.#queue = text.catch(() => undefined);
    return text;
  }

  dispose(): void {
    this.#watch?.handle[Symbol.dispose]();
    this.#following.dispose();
    this.#changed.dispose();
  }

  async #text(uri: vscode.Uri, { runId, position }: ReasoningAddress): Promise<ShownText> {
    const { session } = this.#options;
    const { conversation } = await session.open();
    const storage = await this.#options.storage();
    const { state, runner } = await conversation.status();
    const isOpen = conversation.runId === runId;
    const ordinals = [...state.members.values()].map(({ ordinal }) => ordinal);
    const kept = this.#kept.get(uri.toString()) ?? (await find(storage, uri, { runId, position }, ordinals));
    kept.isRunning = isOpen && isTurnRunning(state, runner, position);
    for (let page: ReasoningPage | null = null; page?.hasMore !== false;) {
      page = await readReasoning(storage, kept.place, kept.pieces.at(-1)?.sequence ?? null);
      kept.pieces = [...kept.pieces, ...page.pieces];
      kept.isWhole = page.isWhole;
    }
    this.#keep(kept);
    if (isOpen && kept.isRunning) this.#follow(storage, runId);
    const text = reasoningText({
      member: memberName(position, conversation.team.members, [...state.members.keys()]),
      turn: turnNumber(position) ?? 0,
      ...kept,
    });
    const at = Date.parse(kept.pieces.at(-1)?.at ?? '');
    return { bytes: new TextEncoder().encode(text), changedAt: Number.isNaN(at) ? 0 : at };
  }

  #keep(kept: Kept): void {
    const key = kept.uri.toString();
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  #follow(storage: LocalRunStorage, runId: string): void {
    if (this.#watch?.runId === runId) return;
    this.#watch?.handle[Symbol.dispose]();
    this.#watch = { runId, handle: storage.runs.watch(runId, () => this.#tell()) };
  }

  /** Something was recorded: the documents of turns that run may be longer now. */
  #tell(): void {
    const running = [...this.#kept.values()].filter(({ isRunning }) => isRunning);
    for (const { uri } of running) this.#changed.fire(uri);
    if (running.length > 0) return;
    this.#watch?.handle[Symbol.dispose]();
    this.#watch = null;
  }
}

async function find(
  storage: LocalRunStorage,
  uri: vscode.Uri,
  { runId, position }: ReasoningAddress,
  ordinals: readonly number[],
): Promise<Kept> {
  const place = await findReasoning(storage, runId, position, ordinals);
  if (place === 'deleted') {
    throw vscode.FileSystemError.FileNotFound(vscode.l10n.t('The conversation that this was said in was deleted.'));
  }
  if (place === null) throw vscode.FileSystemError.FileNotFound(vscode.l10n.t('Nothing was recorded of this turn.'));
  return { uri, place, pieces: [], isWhole: false, isRunning: false };
}

interface ReasoningAddress {
  readonly runId: string;
  readonly position: string;
}

/** `teamroom:/<run id>/reasoning/<position>/<title>.md`: the title is what the tab shows. */
function reasoningUri(runId: string, position: string, title: string): vscode.Uri {
  const key = Buffer.from(position).toString('base64url');
  const name = title.replaceAll(/[/\\]/g, '-');
  return vscode.Uri.from({ scheme: ROOM_SCHEME, path: `/${runId}/reasoning/${key}/${name}.md` });
}

function addressOf({ path }: vscode.Uri): ReasoningAddress | null {
  const [, runId, key] = /^\/([^/]+)\/reasoning\/([\w-]+)\/[^/]+\.md$/.exec(path) ?? [];
  if (runId === undefined || key === undefined) return null;
  return { runId, position: Buffer.from(key, 'base64url').toString() };
}

function memberName(
  position: string,
  members: readonly { readonly id: string; readonly name: string }[],
  ids: readonly string[],
): string {
  let own = position;
  for (let above = ancestorPosition(own); above !== null; above = ancestorPosition(own)) own = above;
  const number = turnNumber(own) ?? 0;
  const id = [...members.map((member) => member.id), ...ids].find((one) => turnPosition(one, number) === own);
  return members.find((member) => member.id === id)?.name ?? id ?? own;
}
