// What is done about a team without the panel's own buttons: side bar, status bar and commands. The tests follow each
// other.
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

/** A writer that never ends its first turn, and answers when it is asked again. */
const TEAM = {
  id: 'pair',
  lead: 'lead',
  data: { communication: { rooms: [{ id: 'release', name: 'Release', members: ['lead', 'writer', 'reviewer'] }] } },
  nodes: [
    { id: 'lead', data: { role: 'Leads', brief: 'Lead.', engine: 'scripted' } },
    {
      id: 'writer',
      data: {
        role: 'Writes',
        brief: 'Write.',
        engine: 'scripted',
        script: [
          { when: { retried: true }, think: ['Once more.'], say: 'Here it is.' },
          { think: ['I wait.'], hang: true },
        ],
      },
    },
    { id: 'reviewer', data: { role: 'Reviews', brief: 'Review.', engine: 'scripted' } },
  ],
  edges: [],
};

const use = useLab({ workspaceFiles: { '.vscode/teams/pair.team.json': JSON.stringify(TEAM) } });
const panel = new TeamPanel(() => use.workbench);

const statusBar = (): Locator => use.workbench.page.locator('#teamroom\\.teamroom\\.teamroom\\.status');
const quickInput = (): Locator => use.workbench.page.locator('.quick-input-widget:visible');
const title = async (): Promise<string> => (await panel.frame()).getByRole('heading', { level: 1 }).innerText();

async function seesInStatusBar(words: RegExp): Promise<void> {
  await waitFor(`${String(words)} in the status bar`, async () =>
    words.test(
      await statusBar()
        .innerText({ timeout: 1_000 })
        .catch(() => ''),
    )
      ? true
      : undefined,
  );
}

function member(name: string): Locator {
  return use.workbench.page
    .locator('.sidebar')
    .getByRole('treeitem', { name: new RegExp(`^${name}`) })
    .first();
}

test('A mention that is chosen in the side bar stands in the composer of a panel that was not open', async () => {
  const { workbench } = use;
  await workbench.clickActivityBar('Teamroom');
  await member('Writer').hover();
  await member('Writer').getByRole('button', { name: 'Mention Member…' }).click();
  await panel.isReady();
  await waitFor('the mention', async () => ((await panel.draft()) === '@Writer ' ? true : undefined));
});

test('A second one goes to the caret of the open panel', async () => {
  await member('Reviewer').hover();
  await member('Reviewer').getByRole('button', { name: 'Mention Member…' }).click();
  await waitFor('both', async () => ((await panel.draft()) === '@Writer @Reviewer ' ? true : undefined));
});

test('C12 Stop in the status bar ends the first turn, and the turn waits to be resumed', async () => {
  await panel.post('draft a release note');
  await seesInStatusBar(/Team: 1 running/);
  await statusBar().click();
  await panel.sees('Chat cancelled.');
  await seesInStatusBar(/Teamroom: 1 waiting/);
  expect(await panel.posts()).toHaveLength(1);
});

test('A click on what waits opens the panel, and the turn is resumed by its command', async () => {
  const { workbench } = use;
  await workbench.runCommand('View: Close All Editors');
  await statusBar().click();
  await panel.isReady();
  await workbench.runCommand("Teamroom: Resume Member's Turn");
  const posts = await panel.waitForPosts(2);
  expect(posts.map(({ who, text }) => `${who}: ${text}`)).toEqual([
    'You: @Writer @Reviewer draft a release note',
    'Writer: Here it is.',
  ]);
});

test('The reasoning of a turn opens as a document', async () => {
  const { workbench } = use;
  const frame = await panel.frame();
  await frame.locator('article [data-reasoning] > button').first().click();
  await frame
    .getByRole('button', { name: /Open as document/i })
    .first()
    .click();
  const tab = workbench.page.locator('.tabs-container').getByRole('tab', { name: /^Writer, turn 2\.md/ });
  await tab.waitFor();
  await tab.click();
  const text = await workbench.editorText();
  expect(text).toMatch(/^# Writer: reasoning of turn 2\n/);
  expect(text).toContain('Once more.');
  expect(text).not.toContain('I wait.');
  await workbench.runCommand('View: Close Editor');
});

test('A new room has the name and the members that were chosen, and is shown', async () => {
  const { workbench } = use;
  await panel.open();
  await workbench.runCommand('Teamroom: New Room…');
  await quickInput().locator('input').first().fill('Drafts');
  await workbench.page.keyboard.press('Enter');
  await quickInput().locator('.monaco-list-row').filter({ hasText: 'Writer' }).first().click();
  await quickInput().getByRole('button', { name: 'OK' }).click();
  await waitFor('the room', async () => ((await title()).includes('Drafts') ? true : undefined));
  await panel.sees(/→ Writer/);
});

test('Message Directly opens the room with one member, and answers come there', async () => {
  const { workbench } = use;
  await workbench.runCommand('Teamroom: Message Directly…');
  await quickInput().locator('.monaco-list-row').filter({ hasText: 'Reviewer' }).first().click();
  await waitFor('the room', async () => ((await title()).includes('Reviewer') ? true : undefined));
  await panel.post('hello');
  const posts = await panel.waitForPosts(2);
  expect(posts.map(({ who }) => who)).toEqual(['You', 'Reviewer']);
});
