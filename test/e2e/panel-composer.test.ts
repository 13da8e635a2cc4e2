// The composer and the switcher in a browser, with this test for the panel's host: keys, chips, and what is asked.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LiveState } from '../../src/core/team/live-state.js';
import { parseTeamFile } from '../../src/core/team/team-file.js';
import type { ConversationItem } from '../../src/protocol/view.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { HandEngine, host, memoryStorage, post as say } from '../support/live-team.js';
import { changesOf, conversation, member, post, snapshot } from '../unit/webview-pictures.js';
import { usePanelPage } from './lab/panel-page.js';

const panel = usePanelPage();
const box = () => panel.page.getByRole('textbox', { name: /^Post to/u });
const own = (revision: number, text: string) => post(revision, { sender: { kind: 'person' }, text });
const focused = (): Promise<string> => panel.page.evaluate<string>('document.activeElement.className');

const NAMES = [
  ['ana', 'Ana'],
  ['legal', 'Legal'],
  ['h', 'Hermes｜居遊'],
  ['yamada', '山田'],
  ['ann-lee', 'Ann Lee'],
  ['jose', 'José'],
] as const;
const IDS = NAMES.map(([id]) => id);
const TEXTS = 2000;
const BATCH = 100;

/** Texts of a person with many mentions in them, half mentions, and what hides mentions. */
const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(
        fc.constantFrom(
          ...NAMES.flatMap(([id, name]) => [` @${id}`, ` @${name} `, `@${name.toUpperCase()}`, name]),
          ...[
            '@',
            ' @all',
            '@lead',
            ' @ghost',
            '@you',
            '`',
            '```',
            '\n',
            ' ',
            '    ',
            '> ',
            '- ',
            '[',
            '](',
            ')',
            '\\',
          ],
          ...[
            'https://',
            '.',
            ',',
            "'s",
            '*',
            '_',
            '~~~',
            '\u3000',
            '请看',
            '\u0301',
            '\ud800',
            '|',
            'a@b.dev',
            '<',
            '😀',
          ],
        ),
        { minLength: 1, maxLength: 10 },
      )
      .map((pieces) => pieces.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }) },
);

/** Writes each text into the composer, reads its chips and presses Enter. Text: it runs in the page. */
const WRITE_AND_SEND = (texts: readonly string[]): string => `(async () => {
  const area = document.querySelector('textarea');
  const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
  const drawn = () => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done();
    port2.postMessage(0);
  });
  const seen = [];
  for (const text of ${JSON.stringify(texts)}) {
    set.call(area, text);
    area.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await drawn();
    const chips = [...document.querySelectorAll('.composer [data-member]')].map((one) => one.dataset.member);
    const before = sent.length;
    // Escape closes the list of members, so that Enter sends.
    for (const key of ['Escape', 'Enter']) {
      area.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      await drawn();
    }
    seen.push({ chips, sent: sent.slice(before).find(({ type }) => type === 'post')?.text ?? null });
  }
  return seen;
})()`;

interface Seen {
  readonly chips: readonly string[];
  readonly sent: string | null;
}

/** Ids of the members that a post woke, and of those that answer after them, in the order of the team. */
function wokenBy({ members }: LiveState, postId: string): string[] {
  const woken = new Set<string>();
  for (const { id, open, queue } of members.values()) {
    for (const { chain, then } of [open, ...queue].flatMap((turn) => turn?.triggers ?? [])) {
      if (chain === postId) for (const one of [id, ...then]) woken.add(one);
    }
  }
  return [...members.keys()].filter((id) => woken.has(id));
}

test(`MR-17 The chips of ${TEXTS} texts are exactly the members that these texts wake`, async () => {
  const members = NAMES.map(([id, name]) => member(id, { name, isLead: id === 'ana' }));
  const rooms = conversation()
    .rooms.slice(0, 1)
    .map((room) => ({ ...room, members: [...IDS], contact: 'ana' }));
  const texts = fc.sample(text, { numRuns: TEXTS, seed: 20_260_302 });
  const seen: Seen[] = [];
  for (let at = 0; at < TEXTS; at += BATCH) {
    // A conversation of its own for each batch, or the posts on their way would fill the page.
    const picture = conversation({ runId: `run-${at}`, members, rooms });
    await panel.tell(snapshot(1, { conversation: picture, posts: [] }));
    await box().waitFor();
    seen.push(...(await panel.page.evaluate<Seen[]>(WRITE_AND_SEND(texts.slice(at, at + BATCH)))));
  }

  const nodes = NAMES.map(([id, name]) => ({ id, data: { name, role: id, brief: 'Answer.', engine: 'hand' } }));
  const rule = { rooms: [{ id: 'room', members: [...IDS] }], tailMessages: 5 };
  const file = JSON.stringify({ id: 'field', lead: 'ana', data: { communication: rule }, nodes, edges: [] });
  let live: Conversation | undefined;
  const differing: unknown[] = [];
  let mentioning = 0;
  for (const [index, { chips, sent }] of seen.entries()) {
    const written = texts[index] ?? '';
    expect([index, written, sent === null]).toEqual([index, written, written.trim() === '']);
    if (sent === null) continue;
    if (index % BATCH === 0 || live === undefined) {
      live = await Conversation.start(host(memoryStorage(), new HandEngine()), parseTeamFile(file, 'field'), []);
    }
    const id = await say(live, sent);
    const woken = wokenBy((await live.status()).state, id);
    if (woken.join() !== 'ana') mentioning += 1;
    const shown = IDS.filter((one) => chips.includes(one));
    if (shown.join() !== woken.join() || chips.length !== woken.length) differing.push({ sent, chips, woken });
  }
  expect(differing).toEqual([]);
  // The texts are not all of those that say nothing.
  expect(mentioning).toBeGreaterThan(TEXTS / 4);
});

describe('the composer', () => {
  test('MR-8 and MR-17 A part of a name finds the member, and picked is the same as typed', async () => {
    const members = [member('ana', { isLead: true }), member('h', { name: 'Hermes｜居遊' })];
    const rooms = conversation()
      .rooms.slice(0, 1)
      .map((room) => ({ ...room, members: ['ana', 'h'], contact: 'ana' }));
    await panel.tell(snapshot(1, { conversation: conversation({ members, rooms }), posts: [] }));
    for (const query of ['@居遊', '@hermes|', '@HER']) {
      await box().fill('');
      await box().pressSequentially(query);
      await panel.page.getByRole('option').first().waitFor();
      expect(await panel.page.getByRole('option').count()).toBe(1);
      await box().press('Tab');
      expect(await box().inputValue()).toBe('@Hermes｜居遊 ');
      expect(await panel.page.locator('.chip').getAttribute('data-member')).toBe('h');
    }
    await box().fill('@ghost hi');
    await panel.page.getByText('No member called @ghost').waitFor();
    expect(await panel.page.locator('.chip').getAttribute('data-member')).toBe('ana');
  });

  test('Earlier posts come back with the arrows, and the draft after them', async () => {
    await panel.tell(snapshot(3, { posts: [own(1, 'first'), own(2, 'second\nline'), post(3)] }));
    await box().fill('draft');
    await box().press('ArrowUp');
    expect(await box().inputValue()).toBe('draft');
    await box().press('Home');
    await box().press('ArrowUp');
    expect(await box().inputValue()).toBe('second\nline');
    await box().press('ArrowUp');
    expect(await box().inputValue()).toBe('first');
    await box().press('ArrowUp');
    expect(await box().inputValue()).toBe('first');
    await box().press('ArrowDown');
    await box().press('ArrowDown');
    expect(await box().inputValue()).toBe('draft');
  });

  test('SP-7 Five clicks on Stop ask once, and five on Send post once', async () => {
    const busy = conversation({ busy: true });
    await panel.tell(snapshot(1, { conversation: busy }));
    const stop = panel.page.getByRole('button', { name: 'Stop', exact: true });
    await stop.waitFor();
    await panel.page.evaluate(`{
      const [stop] = [...document.querySelectorAll('.composer vscode-button')];
      for (let click = 0; click < 5; click += 1) stop.click();
    }`);
    expect(await panel.sent('stop')).toHaveLength(1);
    await panel.page.getByText('Stopping…').waitFor();
    await panel.tell(changesOf(1, 2, { posts: [], conversation: conversation({ busy: true, stopping: true }) }));
    await panel.tell(changesOf(2, 3, { posts: [], conversation: conversation() }));
    await panel.page.getByText('Stopping…').waitFor({ state: 'detached' });
    await box().fill('hello');
    await panel.page.locator('.composer vscode-button[appearance="primary"]:not([disabled])').waitFor();
    await panel.page.evaluate(`{
      const send = document.querySelector('.composer vscode-button[appearance="primary"]');
      for (let click = 0; click < 5; click += 1) send.click();
    }`);
    expect((await panel.sent('post')).map((one) => one.text)).toEqual(['hello']);
  });

  test('WX-7 Keys that an input method takes send nothing and bring nothing back', async () => {
    await panel.tell(snapshot(1, { posts: [own(1, 'first')] }));
    await box().fill('居');
    for (const [name, init] of [
      ['Enter', 'isComposing: true'],
      ['Enter', 'keyCode: 229'],
      ['ArrowUp', 'isComposing: true'],
    ]) {
      await panel.page.evaluate(
        `{ const area = document.querySelector('textarea');
          area.setSelectionRange(0, 0);
          area.dispatchEvent(new KeyboardEvent('keydown', { key: '${name ?? ''}', bubbles: true, ${init ?? ''} })); }`,
      );
    }
    expect(await box().inputValue()).toBe('居');
    expect(await panel.sent('post')).toEqual([]);
  });
});

describe('the switcher', () => {
  const item = (runId: string, changes: Partial<ConversationItem> = {}): ConversationItem => ({
    runId,
    title: `Title ${runId}`,
    preview: `First post of ${runId}`,
    teamName: 'Team',
    activeAt: '2026-03-02T10:00:00.000Z',
    waits: 0,
    isRunning: false,
    isArchived: false,
    isOpen: false,
    problem: null,
    ...changes,
  });
  const ITEMS = [item('a', { isOpen: true }), item('b', { waits: 2 }), item('c', { problem: 'Damaged.' }), item('d')];
  const button = () => panel.page.getByRole('button', { name: /^Conversation: / });
  const search = () => panel.page.getByRole('textbox', { name: 'Search conversations' });

  const open = async (): Promise<void> => {
    await panel.tell(snapshot(1, { conversation: conversation({ title: 'Title a', runId: 'a' }) }));
    await button().click();
    await panel.tell({ type: 'conversations', query: '', archived: false, items: ITEMS, hasMore: false });
    await panel.page.locator('[data-conversation="d"]').waitFor();
  };

  test('asks for nothing before it is opened; arrows go through the rows and Enter opens one', async () => {
    await panel.tell(snapshot(1));
    expect(await panel.sent('conversations')).toEqual([]);
    await open();
    expect(await panel.sent('conversations')).toHaveLength(1);
    await panel.page.getByText('Waits for you (2)').waitFor();
    await panel.page.getByText('Damaged.').waitFor();
    await search().press('ArrowDown');
    await panel.page.keyboard.press('ArrowDown');
    await panel.page.keyboard.press('Enter');
    expect(await panel.sent('openConversation')).toEqual([{ type: 'openConversation', runId: 'b' }]);
    expect(await panel.page.getByRole('dialog').count()).toBe(0);
    expect(await focused()).toBe('switcher-button');
  });

  test('WX-11 Escape closes it and gives the focus back; a letter on a row goes to the search', async () => {
    await open();
    await search().press('ArrowDown');
    await panel.page.keyboard.type('tim');
    expect(await search().inputValue()).toBe('tim');
    await panel.page.waitForFunction(`sent.some(({ type, query }) => type === 'conversations' && query === 'tim')`);
    await panel.page.keyboard.press('Escape');
    expect(await panel.page.getByRole('dialog').count()).toBe(0);
    expect(await focused()).toBe('switcher-button');
  });

  test('the menu of a row goes by the keys, asks for what was picked, and gives the focus back', async () => {
    await open();
    await search().press('ArrowDown');
    await panel.page.keyboard.press('ArrowDown');
    await panel.page.keyboard.press('ArrowRight');
    await panel.page.getByRole('menu').waitFor();
    expect(await panel.page.getByRole('menuitem').allInnerTexts()).toHaveLength(6);
    await panel.page.keyboard.press('Escape');
    expect(await panel.page.getByRole('menu').count()).toBe(0);
    expect(await focused()).toBe('conversation-main');
    await panel.page.keyboard.press('ArrowRight');
    await panel.page.keyboard.press('ArrowUp');
    await panel.page.keyboard.press('Enter');
    expect(await panel.sent('conversationAction')).toEqual([
      { type: 'conversationAction', action: 'delete', runId: 'b' },
    ]);
  });

  test('WX-7 Enter that ends a composition opens nothing', async () => {
    await open();
    await panel.page.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))`,
    );
    expect(await panel.sent('openConversation')).toEqual([]);
    await search().press('Enter');
    expect(await panel.sent('openConversation')).toEqual([]);
  });

  test('WX-11 A row that goes away leaves the focus in the list', async () => {
    await open();
    await panel.page.locator('[data-conversation="d"] .conversation-main').focus();
    await panel.tell({ type: 'conversationsChanged' });
    await panel.tell({ type: 'conversations', query: '', archived: false, items: ITEMS.slice(0, 2), hasMore: false });
    await panel.page.locator('[data-conversation="d"]').waitFor({ state: 'detached' });
    await search().and(panel.page.locator(':focus')).waitFor();
  });

  test('a press elsewhere closes it, and the new conversation is asked for from it', async () => {
    await open();
    await box().click();
    expect(await panel.page.getByRole('dialog').count()).toBe(0);
    await button().click();
    await panel.page.getByRole('button', { name: 'New Conversation' }).click();
    expect(await panel.sent('newConversation')).toHaveLength(1);
  });
});
