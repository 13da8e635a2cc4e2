// Reasoning on demand: what is read when, page by page, and what is pushed while a turn runs.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inheritedPosition, turnPosition } from '../../src/core/team/identifiers.js';
import { ReasoningDesk } from '../../src/editor/reasoning-desk.js';
import { parseHostMessage, type HostMessage } from '../../src/protocol/messages.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { forkConversation } from '../../src/runtime/fork.js';
import { findReasoning, PAGE_PIECES, readForkOf, readReasoning } from '../../src/runtime/reasoning.js';
import { readTranscript } from '../../src/runtime/transcript-pages.js';
import type { LocalRunStorage, StreamId } from '../../src/storage/port.js';
import { beginChat } from '../support/chat.js';
import { HandClock } from '../support/hand-clock.js';
import { post, settled, until } from '../support/live-team.js';

vi.mock('vscode', () => import('../support/vscode-words.js'));

type Answer = Extract<HostMessage, { type: 'reasoning' }>;

/** A storage that tells which streams are read, and how many events of them. */
function counted(whole: LocalRunStorage) {
  const reads: { readonly stream: string; events: number }[] = [];
  const storage: LocalRunStorage = {
    ...whole,
    eventStore: {
      ...whole.eventStore,
      append: (...all) => whole.eventStore.append(...all),
      head: (stream) => whole.eventStore.head(stream),
      preflightAppend: (...all) => whole.eventStore.preflightAppend(...all),
      read: (stream: StreamId, after?: number) => {
        const entry = { stream: stream.streamId, events: 0 };
        reads.push(entry);
        return passed(whole.eventStore.read(stream, after), () => (entry.events += 1));
      },
    },
  };
  const own = () => reads.filter(({ stream }) => stream.includes('.m.'));
  return { storage, own, forget: () => reads.splice(0) };
}

async function* passed<Value>(values: AsyncIterable<Value>, see: () => void): AsyncIterable<Value> {
  for await (const value of values) {
    see();
    yield value;
  }
}

/** A panel's desk on a conversation; `heard` has what the panel would get. */
function desk(conversation: Conversation, storage: LocalRunStorage) {
  const heard: Answer[] = [];
  const waiting: (() => void)[] = [];
  const errors: unknown[] = [];
  const clock = new HandClock();
  const opened = new ReasoningDesk({
    storage: () => Promise.resolve(storage),
    conversation: () => Promise.resolve(conversation),
    send: (message) => {
      heard.push(message);
      for (const tell of waiting.splice(0)) tell();
    },
    clock,
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => opened[Symbol.dispose]());
  conversation.onDidChange(() => opened.changed());
  /** Lets time go on until `isSo` of what was heard. */
  const until = async (isSo: (answers: readonly Answer[]) => boolean): Promise<void> => {
    while (!isSo(heard)) {
      const told = new Promise<void>((resolve) => waiting.push(resolve));
      if (clock.isSet) clock.fire();
      else await Promise.race([told, clock.nextTimer()]);
    }
  };
  return { desk: opened, heard, until, errors };
}

async function turnOf(steps: number) {
  const chat = await beginChat();
  const asked = await post(chat.conversation, '@tech look');
  const turn = await chat.engine.begun();
  for (let step = 0; step < steps; step += 1) turn.step(`thought ${step}`);
  return { ...chat, asked, turn, position: turnPosition('tech', 1) };
}

function thoughts(answers: readonly Answer[]): string[] {
  return answers.flatMap(({ steps }) => steps.map(({ step }) => ('text' in step ? step.text : step.kind)));
}

describe('Reasoning on demand', () => {
  test('C18 Nothing of a member is read before its reasoning is asked for, and one page after', async () => {
    const { conversation, storage: whole, turn, position } = await turnOf(500);
    turn.answer('Done.');
    await settled(conversation);
    const { storage, own, forget } = counted(whole);
    const { desk: opened, heard } = desk(conversation, storage);
    await conversation.status();
    expect(own()).toEqual([]);

    await opened.ask(position, null);
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({ isPush: false, after: null, hasMore: true, isRunning: false, isPartial: false });
    expect(thoughts(heard)).toEqual(Array.from({ length: PAGE_PIECES }, (_, index) => `thought ${index}`));
    // The page is one reading; what comes before it looks at single events, a handful of them.
    const [page, ...looks] = own().toSorted((a, b) => b.events - a.events);
    expect(page?.events).toBeLessThanOrEqual(PAGE_PIECES + 2);
    expect(looks.every(({ events }) => events <= 1)).toBe(true);
    expect(looks.length).toBeLessThan(20);
    expect(Buffer.byteLength(JSON.stringify(heard))).toBeLessThan(16_384);
    expect(parseHostMessage(JSON.parse(JSON.stringify(heard[0])))).not.toBeNull();

    forget();
    await opened.ask(position, heard[0]?.steps.at(-1)?.sequence ?? null);
    expect(thoughts(heard.slice(1))[0]).toBe(`thought ${PAGE_PIECES}`);
    expect(own()).toEqual([expect.objectContaining({ events: PAGE_PIECES + 1 })]);
  });

  test('C18 All pages together are the whole reasoning, each step once and in order', async () => {
    const { conversation, storage, turn, position } = await turnOf(120);
    turn.answer('Done.');
    await settled(conversation);
    const { desk: opened, heard } = desk(conversation, storage);
    await opened.ask(position, null);
    while (heard.at(-1)?.hasMore === true) await opened.ask(position, heard.at(-1)?.steps.at(-1)?.sequence ?? null);
    expect(thoughts(heard)).toEqual(Array.from({ length: 120 }, (_, index) => `thought ${index}`));
    expect(heard.at(-1)).toMatchObject({ isPartial: false, problem: null });
  });

  test('C18 What a turn used is the last of its reasoning, and nothing is said of it where nothing is known', async () => {
    for (const known of [true, false]) {
      const { conversation, storage, turn, position } = await turnOf(1);
      turn.answer('Done.', known ? { inputTokens: 1200, outputTokens: 80, reportedCost: 0.5, model: 'm' } : undefined);
      await settled(conversation);
      const { desk: opened, heard } = desk(conversation, storage);
      await opened.ask(position, null);
      const used = { kind: 'usage', inputTokens: 1200, outputTokens: 80, cost: 0.5, model: 'm' };
      expect(heard[0]?.steps.slice(1).map(({ step }) => step)).toEqual(known ? [used] : []);
      expect(heard[0]).toMatchObject({ hasMore: false, isPartial: false });
    }
  });

  test('A page of large steps ends early, and a single step larger than a page comes all the same', async () => {
    const { conversation, storage, turn, position } = await turnOf(0);
    for (let step = 0; step < 40; step += 1) turn.step('x'.repeat(9_000));
    turn.answer('Done.');
    await settled(conversation);
    const { desk: opened, heard } = desk(conversation, storage);
    await opened.ask(position, null);
    expect(heard[0]?.hasMore).toBe(true);
    expect(heard[0]?.steps.length).toBe(29);
  });

  test('The reasoning of one turn is not that of the turn before or after it', async () => {
    const { conversation, storage, engine, turn } = await turnOf(3);
    turn.answer('First.');
    await settled(conversation);
    for (let number = 2; number <= 9; number += 1) {
      await post(conversation, '@tech again');
      const next = await engine.begun();
      for (let step = 0; step < number; step += 1) next.step(`turn ${number}`);
      next.answer('Again.');
      await settled(conversation);
    }
    const { desk: opened, heard } = desk(conversation, storage);
    for (const number of [9, 1, 5, 2]) await opened.ask(turnPosition('tech', number), null);
    expect(heard.map((answer) => thoughts([answer]))).toEqual([
      Array.from({ length: 9 }, () => 'turn 9'),
      ['thought 0', 'thought 1', 'thought 2'],
      Array.from({ length: 5 }, () => 'turn 5'),
      ['turn 2', 'turn 2'],
    ]);
  });

  test('What a running turn adds is pushed, and its end with it', async () => {
    const { conversation, storage, turn, position } = await turnOf(2);
    const { desk: opened, heard, until: hears, errors } = desk(conversation, storage);
    await opened.ask(position, null);
    expect(heard[0]).toMatchObject({ isRunning: true, hasMore: false, isPartial: false });
    turn.step('thought 2');
    turn.step('thought 3');
    await hears((answers) => thoughts(answers).length === 4);
    expect(thoughts(heard)).toEqual(['thought 0', 'thought 1', 'thought 2', 'thought 3']);
    turn.answer('Done.');
    await hears((answers) => answers.at(-1)?.isRunning === false);
    expect(heard.slice(1).every(({ isPush, after }) => isPush && after === null)).toBe(true);
    expect(heard.at(-1)).toMatchObject({ isPartial: false });
    expect(errors).toEqual([]);
  });

  test('A turn that was stopped says that its reasoning is a part, before and after it is asked for', async () => {
    const { conversation, storage, position } = await turnOf(2);
    const { desk: opened, heard, until: hears } = desk(conversation, storage);
    await opened.ask(position, null);
    await conversation.stop();
    await hears((answers) => answers.at(-1)?.isRunning === false);
    expect(heard.at(-1)).toMatchObject({ isPush: true, isPartial: true });
    await opened.ask(position, null);
    expect(heard.at(-1)).toMatchObject({ isPush: false, isPartial: true });
  });

  test('Reasoning that was closed is pushed no more', async () => {
    const { conversation, storage: whole, turn, position } = await turnOf(1);
    const { storage, own, forget } = counted(whole);
    const { desk: opened, heard } = desk(conversation, storage);
    await opened.ask(position, null);
    opened.close(position);
    forget();
    turn.answer('Done.');
    await settled(conversation);
    expect(own()).toEqual([]);
    expect(heard).toHaveLength(1);
  });

  test('A turn that runs twice after a reload shows both tries, the steps of each under names of their own', async () => {
    const { storage, turn, position, reopen, conversation } = await turnOf(0);
    turn.report({ kind: 'tool-call', id: 'call', name: 'look', input: {} });
    turn.report({ kind: 'tool-result', callId: 'call', text: 'first', isError: false });
    await until(conversation, ({ members }) => members.get('tech')?.open !== null);
    const again = await reopen();
    await again.conversation.resumeTurn(position);
    const second = await again.engine.begun();
    second.report({ kind: 'tool-call', id: 'call', name: 'look', input: {} });
    second.report({ kind: 'tool-result', callId: 'call', text: 'second', isError: false });
    second.answer('Done.');
    await settled(again.conversation);
    const place = await findReasoning(storage, again.conversation.runId, position);
    if (place === null || place === 'deleted') throw new Error('It was not found.');
    const { pieces } = await readReasoning(storage, place, null);
    const calls = pieces.flatMap(({ id, step }) => (step.kind === 'tool-call' ? [id] : []));
    const results = pieces.flatMap(({ step }) => (step.kind === 'tool-result' ? [[step.callId, step.text]] : []));
    expect(new Set(calls).size).toBe(2);
    expect(results).toEqual([
      [calls[0], 'first'],
      [calls[1], 'second'],
    ]);
    const [, ...rest] = pieces;
    expect((await readReasoning(storage, place, pieces[0]?.sequence ?? null)).pieces).toEqual(rest);
  });

  test('What nobody recorded, and what was inherited of nobody, is said in words', async () => {
    const { conversation, storage } = await turnOf(0);
    const { desk: opened, heard } = desk(conversation, storage);
    for (const position of [turnPosition('ana', 7), 'nonsense', inheritedPosition(turnPosition('tech', 1))]) {
      await opened.ask(position, null);
    }
    expect(heard.map(({ problem }) => problem)).toEqual([
      'Nothing was recorded of this turn.',
      'Nothing was recorded of this turn.',
      'Nothing was recorded of this turn.',
    ]);
  });

  test('A fork reads the reasoning of what it inherited from its ancestors, and says so when they are deleted', async () => {
    const { conversation, storage, turn, runId, window } = await turnOf(0);
    turn.step('of the first');
    turn.answer('The first answer.');
    await settled(conversation);
    const child = await forkAtLast(storage, runId);
    const grandchild = await forkAtLast(storage, child);
    const opened = await Conversation.open(window, grandchild);
    onTestFinished(() => opened.close());
    const [position] = await inheritedPositions(storage, grandchild);
    expect(await readForkOf(storage, grandchild)).toBe(child);

    const { desk: asked, heard } = desk(opened, storage);
    await asked.ask(position ?? '', null);
    expect(thoughts(heard)).toEqual(['of the first']);
    expect(heard.at(-1)).toMatchObject({ isRunning: false, isPartial: false, problem: null });

    await conversation.close();
    await storage.runs.remove(runId);
    asked.clear();
    await asked.ask(position ?? '', null);
    expect(heard.at(-1)).toMatchObject({
      steps: [],
      problem: 'It is not there any more: its conversation was deleted.',
    });
  });
});

async function forkAtLast(storage: LocalRunStorage, runId: string): Promise<string> {
  let last = '';
  for await (const entry of readTranscript(storage, runId, 'room')) if (entry.kind === 'post') last = entry.id;
  return forkConversation({ storage }, runId, last);
}

/** Of the members' posts. */
async function inheritedPositions(storage: LocalRunStorage, runId: string): Promise<string[]> {
  const positions: string[] = [];
  for await (const entry of readTranscript(storage, runId, 'room')) {
    if (entry.kind === 'post' && entry.isInherited && entry.position !== null) positions.push(entry.position);
  }
  return positions;
}
