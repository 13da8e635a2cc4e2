// Documents of the extension's own scheme that can be read and not written: rooms, and the reasoning of turns. They are
// made from the record when an editor asks, and nothing of them is on disk.
import * as vscode from 'vscode';

/** At most two changes a second reach the editor, in milliseconds between them. */
const PAUSE_MS = 500;

export interface ShownText {
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch of the last change; 0 when there was none. */
  readonly changedAt: number;
}

/** One kind of documents. */
export interface DocumentSource {
  readonly onDidChange: vscode.Event<vscode.Uri>;
  /** @returns null for an address that is none of this kind. @throws FileSystemError for one that leads nowhere. */
  read(uri: vscode.Uri): Promise<ShownText> | null;
}

export class ReadOnlyDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #sources: readonly DocumentSource[];
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #listening: vscode.Disposable;
  /** Documents with news since the last event, by their address. */
  readonly #news = new Map<string, vscode.Uri>();
  #timer: NodeJS.Timeout | null = null;

  readonly onDidChangeFile = this.#changed.event;

  constructor(sources: readonly DocumentSource[]) {
    this.#sources = sources;
    this.#listening = vscode.Disposable.from(
      ...sources.map((source) =>
        source.onDidChange((uri) => {
          this.#news.set(uri.toString(), uri);
          this.#timer ??= setTimeout(() => this.#tell(), PAUSE_MS);
        }),
      ),
    );
  }

  watch(): vscode.Disposable {
    // Every document is followed anyway.
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, changedAt } = await this.#read(uri);
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: changedAt,
      size: bytes.length,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#read(uri)).bytes;
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
    this.#listening.dispose();
    this.#changed.dispose();
  }

  #read(uri: vscode.Uri): Promise<ShownText> {
    for (const source of this.#sources) {
      const text = source.read(uri);
      if (text !== null) return text;
    }
    throw vscode.FileSystemError.FileNotFound(uri);
  }

  #tell(): void {
    this.#timer = null;
    const changes = [...this.#news.values()].map((uri) => ({ type: vscode.FileChangeType.Changed, uri }));
    this.#news.clear();
    this.#changed.fire(changes);
  }
}
