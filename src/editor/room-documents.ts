// Rooms as read-only editor tabs: `teamroom:/<run id>/<room id>.txt` has the bytes of the room's file (of a
// very long one its newest posts), straight from the record, and follows new posts.
import * as vscode from 'vscode';
import { transcriptOf } from '../core/team/transcript.js';
import type { RecordChange } from '../runtime/live-record.js';
import { ROOM_SCHEME } from './contributions.js';
import { RoomTexts, type ShownText } from './room-texts.js';
import type { TeamSession } from './team-session.js';

/** At most two changes a second reach the editor, in milliseconds between them. */
const PAUSE_MS = 500;

export function roomUri(runId: string, roomId: string): vscode.Uri {
  return vscode.Uri.from({ scheme: ROOM_SCHEME, path: `/${runId}/${roomId}.txt` });
}

export class RoomDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #session: TeamSession;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #follow: vscode.Disposable;
  readonly #texts: RoomTexts;
  /** Rooms with news since the last event, by their document's address. */
  readonly #news = new Map<string, vscode.Uri>();
  #timer: NodeJS.Timeout | null = null;

  readonly onDidChangeFile = this.#changed.event;

  constructor(session: TeamSession) {
    this.#session = session;
    this.#texts = new RoomTexts({
      read: (runId, roomId) => session.roomLines(runId, roomId),
      earlier: (count) =>
        vscode.l10n.t('… {count} earlier posts: Reveal Room File shows the file with all of them.', { count }),
    });
    this.#follow = vscode.Disposable.from(
      session.onDidOpen(({ conversation }) => this.#texts.follow(conversation.runId)),
      session.onDidChange((change) => this.#hear(change)),
    );
  }

  watch(): vscode.Disposable {
    // Every room is followed anyway.
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, changedAt } = await this.#text(uri);
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: changedAt,
      size: bytes.length,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#text(uri)).bytes;
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#follow.dispose();
    this.#changed.dispose();
  }

  async #text(uri: vscode.Uri): Promise<ShownText> {
    const [, runId, roomId] = /^\/([^/]+)\/([^/]+)\.txt$/.exec(uri.path) ?? [];
    if (runId === undefined || roomId === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    // The document follows the conversation that is open in this window.
    await this.#session.open();
    const team = await this.#session.teamOf(runId);
    if (team === null) {
      const message = vscode.l10n.t('There is no conversation {run} in this workspace.', { run: runId });
      throw vscode.FileSystemError.FileNotFound(message);
    }
    if (!team.rooms.some(({ id }) => id === roomId)) {
      const rooms = team.rooms.map(({ id }) => id).join(', ');
      throw vscode.FileSystemError.FileNotFound(
        vscode.l10n.t('There is no room "{room}" in this conversation. Its rooms are: {rooms}.', {
          room: roomId,
          rooms,
        }),
      );
    }
    return this.#texts.get(runId, roomId);
  }

  #hear(change: RecordChange): void {
    this.#texts.hear(change);
    const runId = this.#session.current?.conversation.runId;
    if (runId === undefined) return;
    for (const entry of change.events.flatMap(transcriptOf)) {
      if (entry.kind !== 'post') continue;
      const uri = roomUri(runId, entry.roomId);
      this.#news.set(uri.toString(), uri);
    }
    if (this.#news.size > 0) this.#timer ??= setTimeout(() => this.#tell(), PAUSE_MS);
  }

  #tell(): void {
    this.#timer = null;
    const changes = [...this.#news.values()].map((uri) => ({ type: vscode.FileChangeType.Changed, uri }));
    this.#news.clear();
    this.#changed.fire(changes);
  }
}
