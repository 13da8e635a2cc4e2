// A conversation as one Markdown text: its team, and room by room what was said. Written piece by piece, so that a long
// conversation is never in memory as a whole.
import type { LiveState } from '../core/team/live-state.js';
import type { TeamFile } from '../core/team/team-file.js';
import type { Notice, TranscriptPost } from '../core/team/transcript.js';
import type { RunStorage } from '../storage/port.js';
import { readTranscript } from './transcript-pages.js';

/** The words around what was said, made where the language of the person is known. All but `body` are plain text. */
export interface MarkdownWords {
  readonly title: string;
  /** Lines under the title. */
  readonly about: readonly string[];
  readonly membersHeading: string;
  readonly roomEmpty: string;
  /** Sender, time, hop and the like: one line. */
  readonly head: (post: TranscriptPost) => string;
  readonly notice: (notice: Notice, at: string) => string;
  /** The text of a post as Markdown that shows what was written, loads nothing and holds no HTML. */
  readonly body: (post: TranscriptPost) => string;
  /** Plain text as Markdown that shows it. */
  readonly plain: (text: string) => string;
}

export interface MarkdownExport {
  readonly storage: RunStorage;
  /** The conversation as of the last event that is exported. */
  readonly state: LiveState;
  readonly team: TeamFile;
  readonly words: MarkdownWords;
}

/**
 * @returns the text in pieces, each of whole lines.
 * @throws StorageError or RecordError where the record cannot be read.
 */
export async function* exportMarkdown({ storage, state, team, words }: MarkdownExport): AsyncIterable<string> {
  const { plain } = words;
  yield `# ${plain(words.title)}\n\n`;
  for (const line of words.about) yield `${plain(line)}\n\n`;
  yield `## ${plain(words.membersHeading)}\n\n`;
  yield `${team.members.map(({ name, role }) => `- **${plain(name)}**: ${plain(role)}\n`).join('')}\n`;
  for (const room of state.rooms.values()) {
    yield `## ${plain(room.name)}\n\n`;
    if (room.isEmpty) yield `${plain(words.roomEmpty)}\n\n`;
    for await (const entry of readTranscript(storage, state.runId, room.id)) {
      if (entry.revision > state.revision) break;
      if (entry.kind === 'notice') yield `*${plain(words.notice(entry.notice, entry.at))}*\n\n`;
      else yield `### ${plain(words.head(entry))}\n\n${ended(words.body(entry))}`;
    }
  }
}

function ended(body: string): string {
  return body === '' ? '' : `${body}\n\n`;
}
