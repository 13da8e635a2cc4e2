// The first conversation as a person has it: from an empty folder to a team that talked, with mouse, keyboard and what
// is to be seen. The tests of this file follow each other in one window.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GREETING, RELEASE_NOTE, RELEASE_NOTE_FILE, SUGGESTION } from './lab/demo-team.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

const use = useLab();
const panel = new TeamPanel(() => use.workbench);

test('The panel opens by the button in the side bar, by the title action there, and by its command, always as one tab', async () => {
  const { workbench } = use;
  const { page } = workbench;
  await workbench.clickActivityBar('Teamroom');
  await page.getByRole('button', { name: 'Open Team Panel' }).filter({ hasText: 'Open Team Panel' }).click();
  await panel.sees('Your team is ready');
  expect(await workbench.tab('Team').count()).toBe(1);

  await closeTab('Team');
  await page.getByRole('button', { name: 'Team Section' }).hover();
  await page.locator('.pane-header').getByRole('button', { name: 'Open Team Panel' }).first().click();
  await panel.sees('Your team is ready');

  await workbench.runCommand('Teamroom: Open Team Panel');
  await panel.sees('Your team is ready');
  expect(await workbench.tab('Team').count()).toBe(1);
});

test('The side bar shows the rooms and the members of the conversation', async () => {
  const { page } = use.workbench;
  const rows = (): Promise<string[]> => page.locator('.sidebar').getByRole('treeitem').allInnerTexts();
  expect((await rows()).map((row) => row.replace(/\s/g, ''))).toEqual([
    'Release',
    'Leadidle',
    'Writeridle',
    'Revieweridle',
  ]);
});

test('One click posts the suggestion; the chain is watched to its end; each post shows who, when and to whom', async () => {
  const frame = await panel.frame();
  expect(await panel.posts()).toEqual([]);
  await panel.click(`Post “${SUGGESTION}”`);
  for (const name of ['Lead', 'Writer', 'Reviewer', 'Writer', 'Lead']) await panel.sees(`${name} is working`);
  expect(await panel.waitForPosts(6)).toEqual(RELEASE_NOTE);
  await panel.losesSight('is working');
  const words = await frame.getByRole('article').allInnerTexts();
  expect(words.map((text) => /hop \d of \d/.exec(text)?.[0] ?? '')).toEqual([
    '',
    '',
    'hop 1 of 8',
    'hop 2 of 8',
    'hop 3 of 8',
    'hop 4 of 8',
  ]);
  for (const text of words) expect(text).toMatch(/\b\d\d:\d\d\b/);
});

test('"hello" is answered by the lead', async () => {
  await panel.post('hello');
  const [asked, answer, ...more] = (await panel.waitForPosts(8)).slice(6);
  expect(asked).toEqual({ who: 'You', to: '@Lead', text: 'hello' });
  expect(answer?.who).toBe('Lead');
  expect(answer?.text).toMatch(GREETING);
  await panel.losesSight('is working');
  expect(more).toEqual([]);
});

test('A mention is picked from the roster by keyboard; the reviewer answers and the lead is silent', async () => {
  const frame = await panel.frame();
  await panel.write('@');
  const options = frame.getByRole('option');
  await options.first().waitFor();
  expect(await options.count()).toBeGreaterThanOrEqual(3);
  await frame.page().keyboard.press('Escape');
  expect(await options.count()).toBe(0);
  await (await panel.composer()).fill('');
  await panel.write('@re');
  await options.filter({ hasText: 'Reviewer' }).waitFor();
  await frame.page().keyboard.press('ArrowDown');
  await frame.page().keyboard.press('Enter');
  expect(await panel.draft()).toBe('@Reviewer ');
  await panel.sees('Reviewer will answer');
  await frame.page().keyboard.type('Is this note good?');
  await frame.page().keyboard.press('Enter');
  const [asked, answer] = (await panel.waitForPosts(10)).slice(8);
  expect(asked).toMatchObject({ who: 'You', to: '@Reviewer' });
  expect(answer).toMatchObject({ who: 'Reviewer', to: '' });
  expect(answer?.text).toMatch(/^I have read your post: .*Is this note good\?/);
  await panel.losesSight('is working');
  expect(await panel.posts()).toHaveLength(10);
});

test('The room file opens by the action on the room: its bytes, read only, and it follows a new post', async () => {
  const { workbench } = use;
  await panel.click('Open Room File');
  await workbench.tab('release.txt').waitFor();
  const text = await workbench.editorText();
  expect(text.startsWith(RELEASE_NOTE_FILE)).toBe(true);
  expect(text.split('\n')).toHaveLength(11);
  await workbench.page.keyboard.type('x');
  await workbench.page.getByText('This shows what was recorded. Post in the team panel.').first().waitFor();
  expect(await workbench.editorText()).toBe(text);

  await panel.open();
  await panel.post('thanks');
  await panel.waitForPosts(12);
  await workbench.tab('release.txt').click();
  const grown = await waitFor('the new posts in the room file', async () => {
    const now = await workbench.editorText();
    return now.split('\n').length === 13 ? now : undefined;
  });
  expect(grown.startsWith(text)).toBe(true);
  expect(grown.endsWith(': thanks\nlead [team/lead/4/0]: You are welcome.\n')).toBe(true);
});

test('The room file opens by its command; Reveal Room File shows the file on disk with the same bytes', async () => {
  const { workbench } = use;
  await closeTab('release.txt');
  await workbench.runCommand('Teamroom: Open Room File');
  await workbench.tab('release.txt').waitFor();
  const text = await workbench.editorText();
  await panel.open();
  await panel.click('Reveal Room File');
  const message = await waitFor('the message with the path', async () =>
    (await workbench.notifications()).find((one) => one.startsWith('Room file: ')),
  );
  const path = message.slice('Room file: '.length);
  expect(readFileSync(path, 'utf8')).toBe(text);
  await waitFor('the file on disk in front', async () => ((await workbench.editorText()) === text ? true : undefined));
});

test('After a reload everything is there: conversation, room, draft and the tab of the room file', async () => {
  const { workbench } = use;
  await panel.open();
  await panel.write('Not sent yet');
  const before = await panel.posts();
  await workbench.reload();
  expect(await panel.waitForPosts(12)).toEqual(before);
  expect(await panel.draft()).toBe('Not sent yet');
  expect(await workbench.tab('Team').count()).toBe(1);
  await waitFor('the rows of the side bar', async () =>
    (await workbench.page.locator('.sidebar').getByRole('treeitem').count()) === 4 ? true : undefined,
  );
  await workbench.tab('release.txt').click();
  expect((await workbench.editorText()).split('\n')).toHaveLength(13);
});

test('A panel behind another tab stays there over a reload, and is whole when it is shown', async () => {
  const { workbench } = use;
  await workbench.reload();
  await waitFor('the room file', async () =>
    (await workbench.editorText()).split('\n').length === 13 ? true : undefined,
  );
  const tabs = await workbench.page.locator('.tabs-container').first().getByRole('tab').allInnerTexts();
  expect(tabs.map((tab) => tab.trim()).indexOf('Team')).toBe(0);
  await workbench.tab('Team').click();
  expect(await panel.waitForPosts(12)).toHaveLength(12);
  expect(await panel.draft()).toBe('Not sent yet');
});

async function closeTab(title: string): Promise<void> {
  const tab = use.workbench.tab(title);
  await tab.hover();
  await tab.getByRole('button', { name: /Close/ }).click();
  await tab.waitFor({ state: 'detached' });
}
