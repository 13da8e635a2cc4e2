// Several conversations of one workspace: found again, renamed, linked, exported, deleted. The tests of this file follow
// each other in one window.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

const use = useLab();
const panel = new TeamPanel(() => use.workbench);

const box = (): Locator => use.workbench.page.locator('.quick-input-widget:visible');
const rows = (): Locator => box().locator('.quick-input-list .monaco-list-row');

/**
 * Opens the box of conversations and waits for its rows; words narrow them down. The box closes when something else
 * takes the focus late: then it is opened again.
 */
async function look(words: string, count: number): Promise<string[]> {
  const input = box().getByPlaceholder(/Which conversation/);
  return waitFor(`${count} conversations`, async () => {
    if ((await input.count()) === 0) {
      await use.workbench.runCommand('Teamroom: Open Conversation…');
      await input.waitFor({ timeout: 2_000 }).catch(() => undefined);
      if (words !== '') await input.fill(words, { timeout: 2_000 }).catch(() => undefined);
    }
    const texts = await rows().allInnerTexts();
    return texts.length === count ? texts : undefined;
  });
}

/** Begins a conversation and says something in it. */
async function begin(text: string): Promise<void> {
  await use.workbench.runCommand('Teamroom: New Conversation');
  await waitFor('an empty room', async () => ((await panel.posts()).length === 0 ? true : undefined));
  await panel.isReady();
  await panel.post(text);
  await panel.waitForPosts(2);
}

test('C17 The box lists conversations newest activity first; a post in an older one moves it to the top', async () => {
  await panel.open();
  await panel.post('The invoice of March');
  await panel.waitForPosts(2);
  await begin('Release notes');
  await begin('Lunch');
  const listed = await look('', 3);
  expect(listed.map((text) => /invoice|Release|Lunch/.exec(text)?.[0])).toEqual(['Lunch', 'Release', 'invoice']);
  await rows().filter({ hasText: 'invoice' }).click();
  await panel.sees('The invoice of March');
  await panel.post('And that of April');
  await panel.waitForPosts(4);
  const again = await look('', 3);
  expect(again.map((text) => /invoice|Release|Lunch/.exec(text)?.[0])).toEqual(['invoice', 'Lunch', 'Release']);
  await use.workbench.page.keyboard.press('Escape');
  expect(await look('MARCH invoice', 1)).toHaveLength(1);
  await use.workbench.page.keyboard.press('Escape');
});

test('Renaming begins with the name as it is, and the name is found afterwards', async () => {
  await use.workbench.runCommand('Teamroom: Rename Conversation…');
  const input = box().locator('input').first();
  await waitFor('the old name', async () => ((await input.inputValue()) === 'The invoice of March' ? true : undefined));
  await input.fill('Bookkeeping');
  await input.press('Enter');
  await waitFor('the box to close', async () => ((await box().count()) === 0 ? true : undefined));
  await waitFor('the new name', async () => {
    const texts = await look('bookkeeping', 1).catch(() => []);
    await use.workbench.page.keyboard.press('Escape');
    return texts.length === 1 ? true : undefined;
  });
});

test('A link brings back the conversation that it was copied from', async () => {
  const { page } = use.workbench;
  await use.workbench.runCommand('Teamroom: Copy Link to Conversation');
  const link = await waitFor('the link', async () => {
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    return text.startsWith('http') ? text : undefined;
  });
  await look('lunch', 1);
  await rows().first().click();
  await waitFor('the other conversation', async () =>
    (await panel.posts()).some(({ text }) => text.includes('Lunch')) ? true : undefined,
  );
  const tab = await page.context().newPage();
  await tab.goto(link);
  await waitFor('the conversation of the link', async () =>
    (await panel.posts()).some(({ text }) => text.includes('And that of April')) ? true : undefined,
  );
  await tab.close();
});

test('A fork goes on from the post that it was made at, under a name that tells them apart', async () => {
  const { page } = use.workbench;
  const first = (await panel.frame()).getByRole('article').nth(1);
  await first.hover();
  await first.getByRole('button', { name: 'More Actions' }).click();
  await (await panel.frame()).getByRole('menuitem', { name: 'Fork from Here' }).click();
  await panel.sees('Bookkeeping (fork)');
  await waitFor('the inherited posts', async () => {
    const posts = await panel.posts();
    return posts.length === 2 && posts[0]?.text.includes('The invoice of March') === true ? true : undefined;
  });
  await panel.post('Another way');
  await panel.waitForPosts(4);
  expect((await look('', 4))[0]).toContain('Bookkeeping (fork)');
  await page.keyboard.press('Escape');
  await look('bookkeeping', 2);
  await rows().filter({ hasNotText: '(fork)' }).click();
  await waitFor('the first conversation, as it was', async () =>
    (await panel.posts()).some(({ text }) => text.includes('And that of April')) ? true : undefined,
  );
  expect((await panel.posts()).some(({ text }) => text.includes('Another way'))).toBe(false);
  await page.keyboard.press('Escape');
});

test('WX-3 An export as Markdown has the title and what was said, and is there as a whole', async () => {
  const { page } = use.workbench;
  await use.workbench.runCommand('Teamroom: Export Conversation as Markdown…');
  const input = box().locator('input').first();
  await waitFor('the name of the file', async () =>
    (await input.inputValue()).endsWith('bookkeeping.md') ? true : undefined,
  );
  await input.press('Enter');
  const path = join(use.lab.workspace, 'bookkeeping.md');
  await waitFor('the file', () => Promise.resolve(existsSync(path) ? true : undefined));
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^# Bookkeeping\n/);
  expect(text).toContain('### You · ');
  expect(text).toContain('The invoice of March');
  expect(text).toContain('And that of April');
  expect(readdirSync(use.lab.workspace).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await use.workbench.tab('bookkeeping.md').waitFor();
  await panel.open();
});

test('Deleting says what goes and what stays, and leaves another conversation open', async () => {
  const { page } = use.workbench;
  await use.workbench.runCommand('Teamroom: Delete Conversation…');
  const dialog = page.locator('.monaco-dialog-box');
  await dialog.waitFor();
  const words = await dialog.innerText();
  expect(words).toContain('Bookkeeping');
  expect(words).toContain('4 posts');
  expect(words).toContain('reasoning');
  expect(words).toContain('What stays');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await look('', 4)).toHaveLength(4);
  await page.keyboard.press('Escape');

  await use.workbench.runCommand('Teamroom: Delete Conversation…');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await waitFor('the newest other conversation', async () =>
    (await panel.posts()).some(({ text }) => text.includes('Another way')) ? true : undefined,
  );
  expect((await look('', 3)).filter((text) => text.includes('Bookkeeping'))).toHaveLength(1);
  await page.keyboard.press('Escape');
});

test('A link to a conversation of another workspace says which folder it belongs to', async () => {
  const { lab } = use;
  const here = await linkedId();
  await use.workbench.close();
  const other = `${lab.workspace}-other`;
  mkdirSync(other);
  use.workbench = await lab.openWorkbench(lab.addressOf(other));
  const { page } = use.workbench;
  await panel.open();
  await panel.post('Elsewhere');
  await panel.waitForPosts(2);
  const there = await linkedId();
  const link = await page.evaluate<string>('navigator.clipboard.readText()');
  const tab = await page.context().newPage();
  await tab.goto(link.replace(there, here));
  await use.workbench.sees(new RegExp(`belongs to the folder ${lab.workspace}\\.`));
  await tab.close();
  await use.workbench.runCommand('Teamroom: Copy Link to Conversation');
  const again = await waitFor('another link', async () => {
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    return text === link ? undefined : text;
  });
  const unknown = await page.context().newPage();
  await unknown.goto(again.replace(there, there.replace(/^../, there.startsWith('00') ? '11' : '00')));
  await use.workbench.sees(/was not found on this machine/);
  expect((await panel.posts()).some(({ text }) => text.includes('Elsewhere'))).toBe(true);
  await unknown.close();
});

/** The id of the open conversation, as its link has it. */
async function linkedId(): Promise<string> {
  const { page } = use.workbench;
  await page.evaluate('navigator.clipboard.writeText("")');
  await use.workbench.runCommand('Teamroom: Copy Link to Conversation');
  return waitFor('the link', async () => {
    const text = decodeURIComponent(await page.evaluate<string>('navigator.clipboard.readText()'));
    return /conversation\/([0-9a-f-]{36})/.exec(text)?.[1];
  });
}
