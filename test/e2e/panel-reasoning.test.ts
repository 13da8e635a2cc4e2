// A turn's reasoning in a browser, with this test for the panel's host: what is asked when, and what stays where it is.
import { describe, expect, test } from 'vitest';
import type { HostMessage } from '../../src/protocol/messages.js';
import type { StepView } from '../../src/protocol/view.js';
import { post, snapshot } from '../unit/webview-pictures.js';
import { usePanelPage } from './lab/panel-page.js';

type Page = Extract<HostMessage, { type: 'reasoning' }>;

const PAGE = 100;
const panel = usePanelPage();

function piece(sequence: number, step: StepView['step'], place: Partial<StepView> = {}): StepView {
  return { sequence, id: `s${sequence}`, parent: null, isOpen: false, at: '2026-03-02T10:00:00.000Z', step, ...place };
}
const thoughts = (from: number, count: number): StepView[] =>
  Array.from({ length: count }, (_, at) => piece(from + at, { kind: 'thought', text: `Thought ${from + at}.` }));
const answer = (steps: StepView[], changes: Partial<Page> = {}): Page => ({
  type: 'reasoning',
  position: 'helper/30',
  after: null,
  isPush: false,
  steps,
  hasMore: false,
  isRunning: false,
  isPartial: false,
  problem: null,
  ...changes,
});

/** A room of sixty posts, of which each has reasoning, scrolled to the one in the middle. */
async function openRoom(): Promise<void> {
  const posts = Array.from({ length: 60 }, (_, at) => post(at + 1, { position: `helper/${at + 1}` }));
  await panel.tell(snapshot(60, { posts }));
  await measure('[data-reasoning="helper/30"] > button', 'one.scrollIntoView({ block: "center" })');
  await rest();
}
const toggle = () => panel.page.locator('[data-reasoning="helper/30"] > button');
const steps = () => panel.page.locator('[data-reasoning="helper/30"] [data-step]');
/** What a property or expression of the only element of a selector says. */
const measure = (selector: string, what: string): Promise<number> =>
  panel.page.evaluate<number>(`((one) => ${what})(document.querySelector('${selector}'))`);
const top = (): Promise<number> => measure('[data-reasoning="helper/30"] > button', 'one.getBoundingClientRect().top');
const place = (): Promise<number> => measure('.reasoning-scroll', 'one.scrollTop');

/** Lets what is drawn and its scroll events come to rest. */
async function rest(): Promise<void> {
  await panel.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

describe('C18 a turn of 500 steps', () => {
  test('is read when its post is expanded, one page at first, and on by scrolling', async () => {
    await openRoom();
    expect(await panel.sent('reasoning')).toEqual([]);
    expect(await toggle().getAttribute('aria-expanded')).toBe('false');
    await toggle().click();
    expect(await panel.sent('reasoning')).toEqual([{ type: 'reasoning', position: 'helper/30', after: null }]);
    for (let page = 0; page < 5; page += 1) {
      const after = page === 0 ? null : page * PAGE - 1;
      await panel.tell(answer(thoughts(page * PAGE, PAGE), { after, hasMore: page < 4 }));
      await steps()
        .nth((page + 1) * PAGE - 1)
        .waitFor({ state: 'attached' });
      expect(await steps().count()).toBe((page + 1) * PAGE);
      await rest();
      // Nothing more before the reader comes near the end.
      expect(await panel.sent('reasoning')).toHaveLength(page + 1);
      if (page === 4) break;
      const before = await place();
      await measure('.reasoning-scroll', 'one.scrollTo(0, one.scrollHeight)');
      await panel.page.waitForFunction(`sent.filter(({ type }) => type === 'reasoning').length === ${page + 2}`);
      expect(await place()).toBeGreaterThan(before);
    }
    expect((await panel.sent('reasoning')).map(({ after }) => after)).toEqual([null, 99, 199, 299, 399]);
    expect(await toggle().getAttribute('aria-expanded')).toBe('true');
    await toggle().click();
    expect(await panel.sent('reasoningClosed')).toEqual([{ type: 'reasoningClosed', position: 'helper/30' }]);
    expect(await steps().count()).toBe(0);
  });

  test('grows while it runs: whoever reads its end follows, whoever reads above it stays', async () => {
    await openRoom();
    await toggle().click();
    await panel.tell(answer(thoughts(0, PAGE), { isRunning: true }));
    await steps()
      .nth(PAGE - 1)
      .waitFor({ state: 'attached' });
    const push = async (from: number): Promise<void> => {
      await panel.tell(answer(thoughts(from, 10), { isPush: true, isRunning: true }));
      await steps()
        .nth(from + 9)
        .waitFor({ state: 'attached' });
      await rest();
    };
    const left = (): Promise<number> =>
      measure('.reasoning-scroll', 'one.scrollHeight - one.scrollTop - one.clientHeight');
    await push(PAGE);
    expect(await left()).toBeLessThan(2);
    await measure('.reasoning-scroll', 'one.scrollTo(0, 200)');
    await rest();
    await push(PAGE + 10);
    expect(await place()).toBe(200);
  });
});

test('WV-4 Expanding and collapsing reasoning leaves what is read where it is', async () => {
  await openRoom();
  await rest();
  const before = await top();
  await toggle().click();
  await rest();
  expect(Math.abs((await top()) - before)).toBeLessThan(2);
  await panel.tell(answer(thoughts(0, PAGE)));
  await steps().first().waitFor();
  await rest();
  expect(Math.abs((await top()) - before)).toBeLessThan(2);
  await toggle().click();
  await rest();
  expect(Math.abs((await top()) - before)).toBeLessThan(2);
});

test('What opens at the very end of the room is brought into view', async () => {
  await panel.tell(
    snapshot(60, { posts: Array.from({ length: 60 }, (_, at) => post(at + 1, { position: `p/${at + 1}` })) }),
  );
  await panel.page.locator('[data-reasoning="p/60"] > button').click();
  await panel.tell(answer(thoughts(0, PAGE), { position: 'p/60' }));
  await panel.page.locator('[data-step="s0"]').waitFor();
  await rest();
  const seen = await panel.page.evaluate<number>(`
    document.querySelector('.list').getBoundingClientRect().bottom -
    document.querySelector('[data-step="s0"]').getBoundingClientRect().bottom
  `);
  expect(seen).toBeGreaterThan(0);
});

test('WX-1 Whatever a step holds is text', async () => {
  const bad = '<img src=x onerror="document.title = 1"><svg onload=alert(1)></svg><script>document.title = 2</script>';
  await openRoom();
  await toggle().click();
  await panel.tell(
    answer([
      piece(0, { kind: 'thought', text: bad }),
      piece(1, { kind: 'text', text: bad }),
      piece(2, { kind: 'tool-call', name: bad, input: bad }, { id: 'c' }),
      piece(3, { kind: 'tool-result', callId: 'c', text: bad, isError: true }),
      piece(4, { kind: 'plan', entries: [{ text: bad, status: 'completed' }] }),
      piece(5, { kind: 'error', message: bad }),
      piece(6, { kind: 'usage', inputTokens: 1, outputTokens: 1, cost: 1, model: bad }),
    ]),
  );
  await steps().nth(4).waitFor();
  expect(await panel.page.locator('.reasoning').locator('img, svg, script').count()).toBe(0);
  expect(await panel.page.getByText(bad).count()).toBeGreaterThanOrEqual(7);
  // Nor does anything of it reach out of its box and make the room longer.
  expect(await measure('.list', 'one.scrollHeight - one.firstElementChild.offsetHeight')).toBeLessThan(2);
});

test('SP-8 A turn that was stopped says that this is all there is of it', async () => {
  await openRoom();
  await toggle().click();
  await panel.tell(answer(thoughts(0, 3), { isPartial: true }));
  await panel.page.getByText('Stopped here: this is all there is.').waitFor();
  await panel.page.getByRole('button', { name: 'Open as Document' }).click();
  expect(await panel.sent('openReasoning')).toEqual([{ type: 'openReasoning', position: 'helper/30' }]);
});
