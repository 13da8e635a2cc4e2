// The transcript in a browser, with this test for the panel's host: what is mounted, and what stays where it is.
import { describe, expect, test } from 'vitest';
import type { PostView, WaitView } from '../../src/protocol/view.js';
import { changesOf, conversation, member, post, snapshot } from '../unit/webview-pictures.js';
import { usePanelPage } from './lab/panel-page.js';

const panel = usePanelPage();

/** Posts of different heights, from one revision to another. */
const posts = (from: number, to: number, changes: Partial<PostView> = {}): PostView[] =>
  Array.from({ length: to - from + 1 }, (_, at) =>
    post(from + at, {
      text: `Post ${from + at}. ${'Some words that fill a line. '.repeat(((from + at) * 7) % 23)}`,
      ...changes,
    }),
  );
const evaluate = <T>(script: string): Promise<T> => panel.page.evaluate<T>(script);
const rows = (): Promise<number> => evaluate('document.querySelectorAll(".row").length');
const below = (): Promise<number> =>
  evaluate(
    '(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector(".list"))',
  );

/** Lets what is drawn, measured and scrolled come to rest. */
const rest = (): Promise<unknown> =>
  evaluate(
    'new Promise((done) => { let frames = 6; const next = () => (frames-- > 0 ? requestAnimationFrame(next) : done()); next(); })',
  );

/** Scrolls by the wheel, as a person does. */
async function wheel(by: number): Promise<void> {
  await panel.page.mouse.move(600, 350);
  await panel.page.mouse.wheel(0, by);
  await rest();
  await rest();
}

/** The first post that begins in view, else the last one, and where its top stands. */
async function read(): Promise<{ readonly id: string; readonly top: number }> {
  return evaluate(`(() => {
    const top = document.querySelector('.list').getBoundingClientRect().top;
    const all = [...document.querySelectorAll('[data-post]')];
    const post = all.find((one) => one.getBoundingClientRect().top >= top) ?? all.at(-1);
    return { id: post.dataset.post, top: post.getBoundingClientRect().top };
  })()`);
}

/** Where a post's top stands now. */
const topOf = (id: string): Promise<number> =>
  evaluate(`document.querySelector('[data-post="${id}"]')?.getBoundingClientRect().top ?? NaN`);

async function staysWhileIn(act: () => Promise<unknown>): Promise<void> {
  const before = await read();
  await act();
  await rest();
  expect(Math.abs((await topOf(before.id)) - before.top)).toBeLessThan(1);
}

const running = (position = 'helper/900') =>
  conversation({
    busy: true,
    members: [member('lead'), member('helper', { status: 'running', position, roomId: 'main' })],
  });
const piece = (from: number, text: string) =>
  ({ type: 'live', runId: 'run', position: 'helper/900', memberId: 'helper', roomId: 'main', from, text }) as const;

describe('a long room', () => {
  test('WV-5 of 380 posts at most 200 rows are mounted, wherever the reader is', async () => {
    await panel.tell(snapshot(380, { posts: posts(1, 380) }));
    await panel.page.getByText('Post 380.').waitFor();
    expect(await below()).toBeLessThan(1);
    let most = await rows();
    for (let page = 0; page < 12; page += 1) {
      await wheel(-2500);
      most = Math.max(most, await rows());
      expect(
        await evaluate(
          '[...document.querySelectorAll("[data-post]")].filter((one) => { const box = one.getBoundingClientRect(); return box.bottom > 60 && box.top < 500; }).length',
        ),
      ).toBeGreaterThan(0);
    }
    expect(most).toBeLessThanOrEqual(200);
    expect(most).toBeGreaterThan(20);
  });

  test('WV-3 WV-1 whoever reads above the end stays where they are while posts come and somebody writes', async () => {
    await panel.tell(snapshot(200, { posts: posts(1, 200), conversation: running() }));
    await panel.page.getByText('Post 200.').waitFor();
    await wheel(-3000);
    await staysWhileIn(async () => {
      await panel.tell(piece(0, 'It begins. '.repeat(40)));
      await panel.tell(piece(11 * 40, 'It goes on. '.repeat(400)));
    });
    await staysWhileIn(() => panel.tell(changesOf(200, 230, { posts: posts(201, 230), conversation: running() })));
    await panel.page.getByRole('button', { name: 'Jump to latest (30)' }).click();
    await panel.page.locator('article').getByText('Post 230.').waitFor();
    await rest();
    expect(await below()).toBeLessThan(1);
    expect(await panel.page.getByRole('button', { name: /^Jump/ }).count()).toBe(0);
  });

  test('WV-1 whoever stands at the end follows what is written there', async () => {
    await panel.tell(snapshot(200, { posts: posts(1, 200), conversation: running() }));
    for (let at = 0; at < 20; at += 1) {
      await panel.tell(piece(at * 30, 'Some words of a long answer.\n\n'));
      await rest();
      expect(await below()).toBeLessThan(1);
    }
    await wheel(-120);
    await staysWhileIn(() => panel.tell(piece(600, 'More of it.\n\n'.repeat(20))));
    expect(await below()).toBeGreaterThan(200);
  });

  test('WV-1 whoever stands at the end stays there when the list gets shorter and longer at once', async () => {
    const members = ['lead', 'helper'].map((id) => member(id, { status: 'running', position: id, roomId: 'main' }));
    const working = changesOf(200, 200, { posts: [], conversation: conversation({ members }) });
    await panel.tell(snapshot(200, { posts: posts(1, 200), conversation: running() }));
    await panel.page.locator('.working').waitFor();
    for (let turn = 0; turn < 3; turn += 1) {
      await evaluate(`(async () => {
        const tell = (data) => window.dispatchEvent(new MessageEvent('message', { data }));
        const drawn = () => new Promise((done) => setTimeout(done, 0));
        tell(${JSON.stringify(changesOf(200, 200, { posts: [] }))});
        await drawn();
        document.querySelector('.list').getBoundingClientRect();
        tell(${JSON.stringify(working)});
        await drawn();
      })()`);
      await rest();
      expect(await below()).toBeLessThan(1);
    }
    expect(await panel.page.getByRole('button', { name: /^Jump/ }).count()).toBe(0);
  });

  test('WV-3 earlier posts that come in above move nothing', async () => {
    await panel.tell(snapshot(300, { posts: posts(251, 300), hasOlder: true }));
    await panel.page.getByText('Post 300.').waitFor();
    await wheel(-20_000);
    for (let page = 0; page < 4; page += 1) {
      const asked = await panel.sent('older');
      expect(asked).toHaveLength(page + 1);
      const first = asked.at(-1)?.before.revision ?? 0;
      await staysWhileIn(() =>
        panel.tell({ type: 'page', roomId: 'main', posts: posts(first - 50, first - 1), hasOlder: true }),
      );
      await wheel(-20_000);
    }
    expect(await rows()).toBeLessThanOrEqual(200);
  });

  test('WV-9 a panel that is made anew stands at the same post, also one of an earlier page', async () => {
    await panel.tell(snapshot(300, { posts: posts(251, 300), hasOlder: true }));
    await panel.page.getByText('Post 300.').waitFor();
    await wheel(-20_000);
    await panel.tell({ type: 'page', roomId: 'main', posts: posts(201, 250), hasOlder: true });
    await rest();
    await wheel(-3000);
    const before = await read();
    await panel.page.waitForFunction(`kept?.anchor !== null`);
    await panel.reload();
    await panel.tell(snapshot(300, { posts: posts(251, 300), hasOlder: true }));
    await panel.page.waitForFunction(`sent.some(({ type }) => type === 'older')`);
    await panel.tell({ type: 'page', roomId: 'main', posts: posts(201, 250), hasOlder: true });
    await rest();
    expect(Math.abs((await topOf(before.id)) - before.top)).toBeLessThan(2);
  });

  test('WX-11 Home, End and the page keys go through the room', async () => {
    await panel.tell(snapshot(300, { posts: posts(1, 300) }));
    await panel.page.getByText('Post 300.').waitFor();
    await panel.page.locator('.list').focus();
    await panel.page.keyboard.press('Home');
    await panel.page.getByText('Post 1.', { exact: false }).first().waitFor();
    await rest();
    expect(await read()).toMatchObject({ id: 'post/1' });
    await panel.page.keyboard.press('PageDown');
    await rest();
    const second = await read();
    expect(second.id).not.toBe('post/1');
    await panel.page.keyboard.press('PageUp');
    await rest();
    expect(await read()).toMatchObject({ id: 'post/1' });
    await panel.page.keyboard.press('End');
    await panel.page.getByText('Post 300.').waitFor();
    await rest();
    expect(await below()).toBeLessThan(1);
  });

  test('WX-11 the focus stays in its post while posts come and while it is scrolled out of view', async () => {
    await panel.tell(snapshot(300, { posts: posts(1, 300, { position: 'p' }) }));
    await panel.page.getByText('Post 300.').waitFor();
    await panel.page.locator('[data-post="post/300"] .reasoning-toggle').focus();
    await wheel(-20_000);
    await panel.tell(changesOf(300, 310, { posts: posts(301, 310) }));
    await rest();
    expect(await evaluate('document.activeElement.closest("[data-post]")?.dataset.post')).toBe('post/300');
    expect(await rows()).toBeLessThanOrEqual(200);
  });
});

describe('what opens and what comes late', () => {
  const long = Array.from({ length: 90 }, (_, line) => `Line ${line + 1}`).join('\n');

  test('WV-12 WV-4 a long post shows its beginning and its size, and opening it moves nothing', async () => {
    await panel.tell(snapshot(60, { posts: [...posts(1, 30), post(31, { text: long }), ...posts(32, 60)] }));
    await panel.page.getByText('Post 60.').waitFor();
    const toggle = panel.page.getByRole('button', { name: 'Show all (90 lines)' });
    await toggle.scrollIntoViewIfNeeded();
    await rest();
    expect(await toggle.getAttribute('aria-expanded')).toBe('false');
    expect(await evaluate('document.querySelector(`[data-post="post/31"]`).textContent.includes("Line 60")')).toBe(
      false,
    );
    const before = await topOf('post/31');
    await toggle.click();
    await rest();
    expect(Math.abs((await topOf('post/31')) - before)).toBeLessThan(1);
    const less = panel.page.getByRole('button', { name: 'Show less' });
    expect(await less.getAttribute('aria-expanded')).toBe('true');
    await less.scrollIntoViewIfNeeded();
    await rest();
    const button = (await less.boundingBox())?.y ?? NaN;
    await less.click();
    await rest();
    expect(Math.abs(((await toggle.boundingBox())?.y ?? NaN) - button)).toBeLessThan(1);
  });

  test('WV-4 a picture that comes late moves nothing that is read', async () => {
    const picture = { kind: 'image', path: 'a.png', alt: 'A picture' } as const;
    const shown = post(40, { blocks: [{ kind: 'paragraph', children: [picture] }] });
    await panel.tell(snapshot(60, { posts: [...posts(1, 39), shown, ...posts(41, 60)] }));
    await panel.page.getByText('Post 60.').waitFor();
    expect(await panel.sent('image')).toEqual([{ type: 'image', path: 'a.png' }]);
    await evaluate('document.querySelector(`[data-post="post/42"]`).scrollIntoView()');
    await rest();
    await staysWhileIn(async () => {
      const base64 = await evaluate<string>(`(() => {
        const canvas = document.createElement('canvas');
        Object.assign(canvas, { width: 300, height: 240 });
        canvas.getContext('2d').fillRect(0, 0, 300, 240);
        return canvas.toDataURL('image/png').split(',')[1];
      })()`);
      await panel.tell({ type: 'image', path: 'a.png', image: { kind: 'shown', mime: 'image/png', base64 } });
      await panel.page.waitForFunction('document.querySelector("img.picture")?.naturalHeight === 240');
    });
    expect(await evaluate('document.querySelector("img.picture").src.startsWith("blob:")')).toBe(true);
  });
});

test('WX-8 what is being written is not said aloud; the post that it becomes is, once', async () => {
  await panel.tell(snapshot(10, { conversation: running() }));
  await evaluate(`(() => {
    window.said = [];
    const region = document.querySelector('[aria-live="polite"]');
    new MutationObserver(() => said.push(region.textContent)).observe(region, { childList: true, subtree: true, characterData: true });
  })()`);
  for (let at = 0; at < 10; at += 1) await panel.tell(piece(at * 5, 'word '));
  await panel.page.getByText('word word').waitFor();
  await rest();
  expect(await evaluate('said')).toEqual([]);
  await panel.tell(changesOf(10, 11, { posts: [post(11, { text: 'word '.repeat(30), position: 'helper/900' })] }));
  await rest();
  expect(await evaluate<string[]>('said')).toEqual([`helper: ${'word '.repeat(12).trim()}…`]);
  expect(await panel.page.locator('.said').count()).toBe(0);
});

describe('what waits for the person', () => {
  const limited = { chain: 'chain', limit: 'hopCap' } as const;
  const notice = (revision: number, changes: Partial<PostView>) =>
    post(revision, { sender: { kind: 'notice' }, ...changes });
  const waits: readonly WaitView[] = [
    { kind: 'limit', ...limited, roomId: 'main', next: ['helper'], canContinue: true },
    { kind: 'turn', how: 'failed', memberId: 'helper', position: 'helper/5', roomId: 'main', message: 'No key.' },
    { kind: 'turn', how: 'interrupted', memberId: 'lead', position: 'lead/4', roomId: 'main', message: null },
  ];

  test('C07 C08 C22 is offered where it is said, and at the end where nothing says it', async () => {
    const said = [
      notice(11, { text: 'Stopped.', limited }),
      notice(12, { text: 'helper failed.', position: 'helper/5' }),
    ];
    await panel.tell(snapshot(12, { posts: [post(10), ...said], conversation: conversation({ waits: [...waits] }) }));
    await panel.page.locator('[data-post="post/11"]').getByRole('button', { name: 'Continue' }).click();
    await panel.page.locator('[data-post="post/12"]').getByRole('button', { name: 'Retry' }).click();
    const rest = panel.page.locator('.list-inner > .activity');
    expect(await rest.count()).toBe(1);
    await rest.getByRole('button', { name: 'Resume' }).click();
    expect(await panel.sent('continueChain')).toEqual([{ type: 'continueChain', ...limited }]);
    expect(await panel.sent('retryTurn')).toEqual([{ type: 'retryTurn', position: 'helper/5' }]);
    expect(await panel.sent('resumeTurn')).toEqual([{ type: 'resumeTurn', position: 'lead/4' }]);
    await panel.tell(changesOf(12, 13, { posts: [post(13)] }));
    await panel.page.locator('.activity').first().waitFor({ state: 'detached' });
    expect(await panel.page.getByRole('button', { name: /^(Continue|Retry|Resume)$/ }).count()).toBe(0);
  });

  test('SP-3 whoever is at work can be stopped from the transcript', async () => {
    await panel.tell(snapshot(10, { conversation: running() }));
    await panel.page.locator('.post.working').getByRole('button', { name: 'Stop helper' }).click();
    expect(await panel.sent('interruptTurn')).toEqual([{ type: 'interruptTurn', position: 'helper/900' }]);
  });
});

test('C29 a post names the one that it answers, and leads to it', async () => {
  const answering = post(200, { answers: [{ id: 'post/20', sender: 'lead' }] });
  await panel.tell(snapshot(200, { posts: [...posts(1, 199), answering] }));
  await panel.page.getByRole('button', { name: 'answers lead' }).click();
  await panel.page.locator('[data-post="post/20"]').waitFor();
  await rest();
  await rest();
  expect(await evaluate('document.activeElement.dataset.post')).toBe('post/20');
  expect(await topOf('post/20')).toBeGreaterThan(50);
  expect(await topOf('post/20')).toBeLessThan(300);
});

test('a post can be copied and forked from, by keyboard', async () => {
  await panel.tell(snapshot(10, { posts: [post(10, { text: '**as** written' })] }));
  await panel.page.locator('[data-post="post/10"]').getByRole('button', { name: 'More Actions' }).focus();
  await panel.page.keyboard.press('Enter');
  await panel.page.getByRole('menuitem', { name: 'Copy Text' }).waitFor();
  await rest();
  await panel.page.keyboard.press('ArrowDown');
  await panel.page.keyboard.press('Enter');
  expect(await panel.sent('fork')).toEqual([{ type: 'fork', postId: 'post/10' }]);
  expect(await panel.page.getByRole('menuitem').count()).toBe(0);
});

test('WX-1 whatever a post, a notice, a name or a text being written holds is text', async () => {
  const bad = '<img src=x onerror="document.title = 1"><svg onload=alert(1)></svg><iframe src="//x.example"></iframe>';
  const wait = { kind: 'turn', how: 'failed', memberId: 'lead', position: 'p', roomId: 'main', message: bad } as const;
  const members = [
    member('lead', { name: bad, role: bad, failure: bad }),
    member('helper', { name: bad, status: 'running', position: 'helper/900', roomId: 'main' }),
  ];
  await panel.tell(
    snapshot(20, {
      conversation: conversation({ members, waits: [wait], title: bad, teamName: bad }),
      posts: [
        post(10, { text: bad, unresolved: [bad], answers: [{ id: 'none', sender: 'lead' }] }),
        post(11, { text: bad, blocks: [{ kind: 'paragraph', children: [{ kind: 'text', text: bad }] }] }),
        post(12, { text: bad, sender: { kind: 'notice' } }),
      ],
    }),
  );
  await panel.tell(piece(0, bad));
  await panel.page.locator('.said').getByText(bad).waitFor();
  expect(await panel.page.locator('#teamroom-root').locator('img, svg, iframe, script').count()).toBe(0);
  expect(await evaluate('document.title')).toBe('');
});
