// Pages of a room's transcript, newest first to be asked for, read straight from the record, backwards in windows of
// events until the page is full. A page of a busy room costs what it shows, however long the conversation is; that of a
// room in which little is said can cost the whole record, and lets others work between two windows.
import { setImmediate as turn } from 'node:timers/promises';
import { parseRecordEvent } from '../core/record/catalogue.js';
import { transcriptOf, type TranscriptEntry } from '../core/team/transcript.js';
import type { RunStorage } from '../storage/port.js';

/** A place in the transcript. */
export interface TranscriptPlace {
  readonly revision: number;
  readonly index: number;
}

export interface TranscriptPage {
  /** Oldest first. */
  readonly entries: readonly TranscriptEntry[];
  readonly hasOlder: boolean;
}

/** How many events one step back reads. */
const WINDOW = 256;

/**
 * Reads the newest entries of a room that stand before a place.
 * @param before - exclusive; pass `{revision: head + 1, index: 0}` for the newest page.
 * @param limit - how many entries at most.
 */
export async function readTranscriptPage(
  storage: RunStorage,
  runId: string,
  query: { readonly roomId: string; readonly before: TranscriptPlace; readonly limit: number },
): Promise<TranscriptPage> {
  const { roomId, before, limit } = query;
  let found: readonly TranscriptEntry[] = [];
  // The event at `before.revision` itself may hold earlier entries of the page.
  let upTo = before.revision;
  while (upTo > 0 && found.length <= limit) {
    const after = Math.max(0, upTo - WINDOW);
    const window = await readEntries(storage, runId, after, upTo);
    found = [...window.filter((entry) => entry.roomId === roomId && isBefore(entry, before)), ...found];
    upTo = after;
    await turn();
  }
  return { entries: found.slice(-limit), hasOlder: found.length > limit };
}

/** The whole transcript of a room, oldest first. Others may work after each window of events. */
export async function* readTranscript(
  storage: RunStorage,
  runId: string,
  roomId: string,
): AsyncIterable<TranscriptEntry> {
  for await (const { entries } of readRecord(storage, runId)) {
    for (const entry of entries) if (entry.roomId === roomId) yield entry;
  }
}

/**
 * All that people read of a conversation, event by event, events that say nothing included: the last revision is that
 * of the record as it was read. Others may work after each window of events.
 */
export async function* readRecord(
  storage: RunStorage,
  runId: string,
): AsyncIterable<{ readonly revision: number; readonly entries: readonly TranscriptEntry[] }> {
  for await (const envelope of storage.eventStore.read(streamOf(storage, runId))) {
    const { revision } = envelope;
    yield { revision, entries: transcriptOf(parseRecordEvent(envelope)) };
    if (revision % WINDOW === 0) await turn();
  }
}

async function readEntries(storage: RunStorage, runId: string, after: number, upTo: number) {
  const entries: TranscriptEntry[] = [];
  for await (const envelope of storage.eventStore.read(streamOf(storage, runId), after)) {
    if (envelope.revision > upTo) break;
    entries.push(...transcriptOf(parseRecordEvent(envelope)));
  }
  return entries;
}

function isBefore(entry: TranscriptPlace, place: TranscriptPlace): boolean {
  return entry.revision < place.revision || (entry.revision === place.revision && entry.index < place.index);
}

function streamOf(storage: RunStorage, runId: string) {
  return { namespace: storage.record.namespace, streamId: runId };
}
