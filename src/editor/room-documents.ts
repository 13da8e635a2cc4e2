// Rooms as read-only editor tabs: `teamroom:/<run id>/<room id>.txt` has the bytes of the room's file (of a
// very long one its newest posts), straight from the record, and follows new posts.
import * as vscode from 'vscode';
import { transcriptOf } from '../core/team/transcript.js';
import type { RecordChange } from '../runtime/live-record.js';
import { ROOM_SCHEME } from './contributions.js';
import type { DocumentSource, ShownText } from './read-only-documents.js';
import { RoomTexts } from './room-texts.js';
import type { TeamSession } from './team-session.js';

export function roomUri(runId: string, roomId: string): vscode.Uri {
  return vscode.Uri.from({ scheme: ROOM_SCHEME, path: `/${runId}/${roomId}.txt` });
}

export class RoomDocuments implements DocumentSource, vscode.Disposable {
  readonly #session: TeamSession;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #follow: vscode.Disposable;
  readonly #texts: RoomTexts;

  readonly onDidChange = this.#changed.event;

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

  read(uri: vscode.Uri): Promise<ShownText> | null {
    const [, runId, roomId] = /^\/([^/]+)\/([^/]+)\.txt$/.exec(uri.path) ?? [];
    return runId === undefined || roomId === undefined ? null : this.#text(runId, roomId);
  }

  dispose(): void {
    this.#follow.dispose();
    this.#changed.dispose();
  }

  async #text(runId: string, roomId: string): Promise<ShownText> {
    // The document follows the conversation that is open in this window.
    await this.#session.open();
    const rooms = await this.#session.roomsOf(runId);
    if (rooms === null) {
      const message = vscode.l10n.t('There is no conversation {run} in this workspace.', { run: runId });
      throw vscode.FileSystemError.FileNotFound(message);
    }
    if (!rooms.has(roomId)) {
      throw vscode.FileSystemError.FileNotFound(
        vscode.l10n.t('There is no room "{room}" in this conversation. Its rooms are: {rooms}.', {
          room: roomId,
          rooms: [...rooms.keys()].join(', '),
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
      if (entry.kind === 'post') this.#changed.fire(roomUri(runId, entry.roomId));
    }
  }
}
