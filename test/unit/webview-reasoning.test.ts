// A turn's reasoning in the panel: pages and pushes, pieces and steps, and what is asked of the host when.
import { describe, expect, test } from 'vitest';
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import type { StepView } from '../../src/protocol/view.js';
import { beginningOf } from '../../webview/reasoning/beginning.js';
import { createReasoning } from '../../webview/reasoning/desk.js';
import { asking, NO_REASONING, onReasoning, shownPieces, type ReasoningState } from '../../webview/reasoning/state.js';
import { treeOf, type Step } from '../../webview/reasoning/steps.js';
import { costWords, durationWords, turnUsageWords } from '../../webview/reasoning/words.js';
import { conversation, snapshot } from './webview-pictures.js';

type Page = Extract<HostMessage, { type: 'reasoning' }>;

function piece(sequence: number, step: StepView['step'], place: Partial<StepView> = {}): StepView {
  const at = new Date(Date.UTC(2026, 2, 2) + sequence * 1000).toISOString();
  return { sequence, id: `step/${sequence}`, parent: null, isOpen: false, at, step, ...place };
}

const thought = (sequence: number, text: string, place: Partial<StepView> = {}): StepView =>
  piece(sequence, { kind: 'thought', text }, place);
const call = (sequence: number, id: string, place: Partial<StepView> = {}): StepView =>
  piece(sequence, { kind: 'tool-call', name: id, input: '{}' }, { id, ...place });
const result = (sequence: number, callId: string, text = 'done', place: Partial<StepView> = {}): StepView =>
  piece(sequence, { kind: 'tool-result', callId, text, isError: false }, place);

function page(steps: readonly StepView[], changes: Partial<Page> = {}): Page {
  return {
    type: 'reasoning',
    position: 'p/1',
    after: null,
    isPush: false,
    steps: [...steps],
    hasMore: false,
    isRunning: false,
    isPartial: false,
    problem: null,
    ...changes,
  };
}
const push = (steps: readonly StepView[], changes: Partial<Page> = {}): Page =>
  page(steps, { isPush: true, isRunning: true, ...changes });

const heard = (...messages: readonly Page[]): ReasoningState => messages.reduce(onReasoning, asking(NO_REASONING));
const sequences = (state: ReasoningState): number[] => shownPieces(state).map(({ sequence }) => sequence);
/** Names and texts of steps with what is inside of them, as nested lists. */
const outline = (steps: readonly Step[]): unknown[] =>
  steps.map(({ id, children }) => (children.length === 0 ? id : [id, ...outline(children)]));

describe('pages and pushes', () => {
  const first = [thought(0, 'a'), thought(1, 'b')];

  test('C18 nothing that comes is kept of a turn that nobody opened', () => {
    expect(onReasoning(NO_REASONING, page(first))).toBe(NO_REASONING);
    expect(onReasoning(NO_REASONING, push(first))).toBe(NO_REASONING);
  });

  test('C18 the first page is asked for from the beginning, the next one after its last piece', () => {
    const opened = asking(NO_REASONING);
    expect(opened).toMatchObject({ status: 'loading', asked: null, isAsking: true });
    const read = onReasoning(opened, page(first, { hasMore: true }));
    expect(read).toMatchObject({ status: 'open', cursor: 1, isAsking: false, hasMore: true });
    expect(asking(read)).toMatchObject({ status: 'open', asked: 1, isAsking: true });
  });

  test('an answer to another question is none', () => {
    const opened = asking(NO_REASONING);
    expect(onReasoning(opened, page(first, { after: 7 }))).toBe(opened);
    const read = onReasoning(opened, page(first, { hasMore: true }));
    expect(onReasoning(read, page([thought(2, 'c')], { after: 1 }))).toBe(read);
  });

  const arrivals: [string, Page[], number[]][] = [
    ['pushes after the whole', [page(first), push([thought(2, 'c')])], [0, 1, 2]],
    ['a push that came before the page', [push([thought(2, 'c')]), page(first)], [0, 1, 2]],
    ['a push that the page has too', [push([thought(1, 'b')]), page(first)], [0, 1]],
    ['the same push twice', [page(first), push([thought(2, 'c')]), push([thought(2, 'c')])], [0, 1, 2]],
    ['pushes out of order', [page(first), push([thought(3, 'd')]), push([thought(2, 'c')])], [0, 1, 2, 3]],
    ['pushes before the first page are not shown', [push([thought(5, 'f')])], []],
    ['a push while there is more to read waits', [page(first, { hasMore: true }), push([thought(9, 'j')])], [0, 1]],
    ['an empty page ends the reading', [page([], { hasMore: true }), push([thought(0, 'a')])], [0]],
  ];
  test.each(arrivals)('C18 %s', (_name, messages, shown) => {
    expect(sequences(heard(...messages))).toEqual(shown);
  });

  test('C18 what waited behind pages stands at its place when they are read', () => {
    const half = heard(page(first, { hasMore: true, isRunning: true }), push([thought(3, 'd')]));
    const whole = onReasoning(asking(half), page([thought(2, 'c')], { after: 1, isRunning: true }));
    expect(sequences(whole)).toEqual([0, 1, 2, 3]);
    expect(whole.cursor).toBe(3);
  });

  test('a push that says there is more makes the rest a page of its own', () => {
    const state = heard(page(first), push([thought(9, 'j')], { hasMore: true }));
    expect(sequences(state)).toEqual([0, 1]);
    expect(asking(state).asked).toBe(1);
  });

  test('how the turn ended is what was said last', () => {
    const ended = heard(page(first, { isRunning: true }), push([], { isRunning: false, isPartial: true }));
    expect(ended).toMatchObject({ isRunning: false, isPartial: true });
  });

  test('a problem is shown until it is asked again', () => {
    const state = heard(page([], { problem: 'Locked.' }));
    expect(state).toMatchObject({ status: 'open', problem: 'Locked.', cursor: null });
    expect(asking(state)).toMatchObject({ problem: null, asked: null });
  });
});

describe('from pieces to steps', () => {
  test('texts of one step are joined in the order of their sequence', () => {
    const pieces = [thought(0, 'I ', { id: 't', isOpen: true }), thought(1, 'see', { id: 't', isOpen: true })];
    const { steps, count } = treeOf(pieces, true);
    expect(count).toBe(1);
    expect(steps[0]).toMatchObject({ content: { text: 'I see' }, isOpen: true, took: null });
    const [whole] = treeOf([...pieces, thought(4, '.', { id: 't' })], true).steps;
    expect(whole).toMatchObject({ content: { text: 'I see.' }, isOpen: false, took: 4000 });
  });

  test('C18 a result joins its call, in pieces too, and the call took until then', () => {
    const pieces = [call(0, 'c'), thought(1, 'x'), result(2, 'c', 'one ', { isOpen: true }), result(3, 'c', 'two')];
    const { steps, count } = treeOf(pieces, false);
    expect(count).toBe(2);
    expect(steps[0]).toMatchObject({ id: 'c', result: { text: 'one two', isError: false }, took: 3000 });
  });

  const nests: [string, StepView[], unknown[]][] = [
    [
      'calls nest',
      [call(0, 'a'), call(1, 'b', { parent: 'a' }), thought(2, '', { parent: 'b' })],
      [['a', ['b', 'step/2']]],
    ],
    ['results of nested calls join them', [call(0, 'a'), call(1, 'b', { parent: 'a' }), result(2, 'b')], [['a', 'b']]],
    ['an unknown parent is none', [thought(0, '', { parent: 'gone' })], ['step/0']],
    ['a parent that comes later is none', [call(0, 'a', { parent: 'b' }), call(1, 'b', { parent: 'a' })], [['a', 'b']]],
    ['nothing stands in itself', [call(0, 'a', { parent: 'a' })], ['a']],
    ['a result without its call is a step', [result(4, 'gone')], ['step/4']],
    ['usage is no step', [piece(0, { kind: 'usage', inputTokens: 1, outputTokens: 1, cost: null, model: null })], []],
  ];
  test.each(nests)('C18 %s', (_name, pieces, expected) => {
    expect(outline(treeOf(pieces, false).steps)).toEqual(expected);
  });

  test('C18 calls a thousand deep stand beside each other after a few', () => {
    const pieces = Array.from({ length: 1000 }, (_, at) =>
      call(at, `c${at}`, { parent: at === 0 ? null : `c${at - 1}` }),
    );
    const { steps, count } = treeOf(pieces, false);
    const depth = (step: Step): number => 1 + Math.max(0, ...step.children.map(depth));
    expect(count).toBe(1000);
    expect(steps).toHaveLength(1);
    expect(steps.map(depth)).toEqual([8]);
  });

  test('a call without a result goes on while the turn runs, and has none when it has ended', () => {
    expect(treeOf([call(0, 'c')], true).steps[0]).toMatchObject({ isOpen: true, took: null, result: null });
    expect(treeOf([call(0, 'c')], false).steps[0]).toMatchObject({ isOpen: false, took: null, result: null });
    expect(treeOf([thought(0, 'x', { isOpen: true })], false).steps[0]?.isOpen).toBe(false);
  });

  test('WV-6 a piece that comes changes its step and those around it, and no other', () => {
    const pieces = [thought(0, 'a'), call(1, 'c'), thought(2, 'b', { parent: 'c' }), call(3, 'd', { parent: 'c' })];
    const first = treeOf(pieces, true);
    const second = treeOf([...pieces, result(4, 'd')], true, first);
    expect(second).toEqual(treeOf([...pieces, result(4, 'd')], true));
    const isSame = (id: string): boolean => second.known.get(id) === first.known.get(id);
    expect(['step/0', 'step/2', 'c', 'd'].map(isSame)).toEqual([true, true, false, false]);
    const ended = treeOf(pieces, false, first);
    expect(ended).toEqual(treeOf(pieces, false));
  });

  test('a plan is what it was last, and so is the usage of the turn', () => {
    const plan = (status: 'pending' | 'completed') => ({ kind: 'plan' as const, entries: [{ text: 'Look', status }] });
    const usage = (inputTokens: number) =>
      ({ kind: 'usage', inputTokens, outputTokens: null, cost: null, model: null }) as const;
    const pieces = [
      piece(0, plan('pending'), { id: 'plan' }),
      piece(1, usage(10)),
      piece(2, plan('completed'), { id: 'plan' }),
      piece(3, usage(30)),
    ];
    const tree = treeOf(pieces, false);
    expect(tree.steps).toMatchObject([{ content: plan('completed') }]);
    expect(tree.usage).toEqual(usage(30));
    expect(tree.took).toBe(3000);
  });

  test('C18 whatever the order in which pieces come, the steps are the same', () => {
    const pieces = [
      call(0, 'a'),
      thought(1, 'x', { id: 't', parent: 'a', isOpen: true }),
      call(2, 'b', { parent: 'a' }),
      thought(3, 'y', { id: 't', parent: 'a' }),
      result(4, 'b'),
      result(5, 'a'),
    ];
    const expected = treeOf(pieces, false);
    const [first = [], ...rest] = [[5], [3, 1], [0, 4], [2, 3]].map((some) =>
      pieces.filter((_, at) => some.includes(at)),
    );
    const state = heard(page([]), ...[first, ...rest].map((steps) => push(steps)));
    expect(treeOf(shownPieces(state), false)).toEqual(expected);
  });
});

describe('what is asked of the host', () => {
  const open = (): { desk: ReturnType<typeof createReasoning>; sent: PanelMessage[] } => {
    const sent: PanelMessage[] = [];
    const desk = createReasoning((message) => sent.push(message));
    desk.hear(snapshot(1));
    return { desk, sent };
  };
  const asks = (after: number | null): PanelMessage => ({ type: 'reasoning', position: 'p/1', after });
  const closed: PanelMessage = { type: 'reasoningClosed', position: 'p/1' };

  test('C18 looking at a post asks nothing; opening it asks for one page', () => {
    const { desk, sent } = open();
    expect(desk.at('p/1').value).toBe(NO_REASONING);
    expect(sent).toEqual([]);
    desk.open('p/1');
    desk.open('p/1');
    expect(sent).toEqual([asks(null)]);
  });

  test('C18 the next page is asked for once, and not before the first has come', () => {
    const { desk, sent } = open();
    desk.open('p/1');
    desk.more('p/1');
    desk.hear(page([thought(0, 'a')], { hasMore: true }));
    desk.more('p/1');
    desk.more('p/1');
    expect(sent).toEqual([asks(null), asks(0)]);
  });

  test('closing it says so once and keeps nothing; opened again it begins anew', () => {
    const { desk, sent } = open();
    desk.open('p/1');
    desk.hear(page([thought(0, 'a')]));
    desk.close('p/1');
    desk.close('p/1');
    desk.hear(push([thought(1, 'b')]));
    expect(desk.at('p/1').value).toBe(NO_REASONING);
    desk.open('p/1');
    expect(sent).toEqual([asks(null), closed, asks(null)]);
  });

  test('WV-8 a new picture asks again for what grows, and leaves alone what is whole', () => {
    const { desk, sent } = open();
    desk.open('p/1');
    desk.hear(page([thought(0, 'a')], { isRunning: true }));
    desk.hear(snapshot(2, { hostEpoch: 'e2' }));
    expect(sent).toEqual([asks(null), asks(0)]);
    desk.hear(page([], { after: 0 }));
    desk.hear(snapshot(3));
    expect(sent).toHaveLength(2);
  });

  test('another conversation closes what was open in this one', () => {
    const { desk, sent } = open();
    desk.open('p/1');
    desk.hear(snapshot(1, { conversation: conversation({ runId: 'other' }) }));
    expect(desk.at('p/1').value).toBe(NO_REASONING);
    expect(sent).toEqual([asks(null), closed]);
  });
});

describe('long texts', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n');
  const cases: [string, string, string | null, string | null][] = [
    ['short', 'a\nb', null, null],
    ['a little more than is shown', lines(10), null, null],
    ['many lines', lines(200), `${lines(8)}…`, '200 lines'],
    ['one endless line', 'x'.repeat(5000), `${'x'.repeat(1280)}…`, '5,000 characters'],
    ['nothing but newlines', '\n'.repeat(50), '…', '50 characters'],
  ];
  test.each(cases)('WV-12 %s', (_name, text, beginning, size) => {
    const found = beginningOf(text, 8);
    expect(found?.text ?? null).toBe(beginning);
    expect(found?.size ?? null).toBe(size);
  });

  test('the cut never halves a character', () => {
    expect(beginningOf(`x${'😀'.repeat(2000)}`, 8)?.text.isWellFormed()).toBe(true);
  });
});

test.each([
  [0, '0 ms'],
  [240, '240 ms'],
  [1400, '1.4 s'],
  [9960, '10 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [185_000, '3 min 5 s'],
  [7_440_000, '2 h 4 min'],
])('%i ms took "%s"', (took, words) => {
  expect(durationWords(took)).toBe(words);
});

test.each([
  [0, '$0'],
  [0.00001, 'under $0.0001'],
  [0.0042, '$0.0042'],
  [0.05, '$0.05'],
  [1.2, '$1.20'],
])('%d dollars are "%s"', (amount, words) => {
  expect(costWords(amount)).toBe(words);
});

test.each([
  [{ inputTokens: 12_400, outputTokens: 800, cost: 0.2, model: 'm' }, '12,400 tokens in, 800 out · $0.20 · m'],
  [{ inputTokens: null, outputTokens: 5, cost: null, model: null }, '5 tokens out'],
  [{ inputTokens: null, outputTokens: null, cost: null, model: null }, ''],
])('usage %j is "%s": what is unknown is not made up', (usage, words) => {
  expect(turnUsageWords(usage)).toBe(words);
});
