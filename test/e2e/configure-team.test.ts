// A team is changed in the panel: the file keeps its comments, and the open conversation goes on with the new team.
// The tests follow each other in one window.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

const PATH = '.vscode/teams/pair.team.json';
const TEAM = `// Two who write.
{
  "id": "pair",
  "lead": "lead",
  "limits": { "hopCap": 6 }, // short chains
  "nodes": [
    // Who sums up.
    { "id": "lead", "data": { "role": "Leads", "brief": "Lead.", "engine": "scripted" } },
    { "id": "writer", "data": { "role": "Drafts", "brief": "Draft.", "engine": "scripted" } } // the second
  ]
}
`;

// The browser's VS Code would save by itself.
const use = useLab({
  settings: { 'files.autoSave': 'off' },
  workspaceFiles: { 'README.md': '# A workspace\n', [PATH]: TEAM },
});
const panel = new TeamPanel(() => use.workbench);

const file = (): string => readFileSync(join(use.lab.workspace, PATH), 'utf8');
const form = async (): Promise<Locator> => (await panel.frame()).getByRole('region', { name: /^Configure/ });
const row = async (name: string): Promise<Locator> => (await form()).getByRole('listitem').filter({ hasText: name });
const button = async (name: string): Promise<Locator> => (await form()).getByRole('button', { name, exact: true });

async function openForm(): Promise<void> {
  await use.workbench.runCommand('Teamroom: Configure Team…');
  await (await form()).waitFor();
}

async function isClosed(): Promise<void> {
  await (await form()).waitFor({ state: 'detached' });
}

test('The command opens the form in a panel that was closed; a brief is edited and saved for new conversations', async () => {
  await openForm();
  await (await row('Writer')).getByRole('button', { expanded: false }).click();
  await (await form()).getByLabel('Brief').fill('Draft in one paragraph.');
  await (await button('Save for New Conversations')).click();
  await isClosed();
  expect(file()).toBe(TEAM.replace('"Draft."', '"Draft in one paragraph."'));
  await waitFor('the words about it', async () =>
    (await use.workbench.notifications()).find((one) => one.includes('Conversations that begin from now on use it.')),
  );
});

test('A member is added and applied now; a mention reaches it and it answers; the comments are still there', async () => {
  await openForm();
  await (await button('Add Member')).click();
  await (await button('Save and Apply Now')).click();
  await panel.sees(/Use lower-case letters and digits/);
  await (await form()).getByLabel('Id', { exact: true }).fill('checker');
  await (await form()).getByLabel('Name').fill('Grace');
  await (await form()).getByLabel('Role').fill('Checks');
  await (await form()).getByLabel('Icon').fill('eye');
  await (await form()).getByLabel('Hops in a chain').fill('4');
  await panel.sees('In force: 4 (this team)');
  await (await button('Save and Apply Now')).click();
  await isClosed();

  const text = file();
  for (const comment of ['// Two who write.', '// short chains', '// Who sums up.', '// the second'])
    expect(text).toContain(comment);
  expect(text).toContain('"limits": { "hopCap": 4 }, // short chains');

  const before = (await panel.posts()).length;
  await panel.post('@Grace please check');
  const posts = (await panel.waitForPosts(before + 2)).slice(before);
  expect(posts.map(({ who, to }) => [who, to])).toEqual([
    ['You', '@Grace'],
    ['Grace', ''],
  ]);
});

test('WV-7 what was filled in outlives a reload; a file that was changed meanwhile is said, and nothing is lost', async () => {
  await openForm();
  await (await row('Grace')).getByRole('button', { expanded: false }).click();
  await (await form()).getByLabel('Role').fill('Checks twice');
  await use.workbench.reload();
  await waitFor('what was filled in', async () => {
    const field = (await form()).getByLabel('Role');
    return (await field.count()) === 1 && (await field.inputValue()) === 'Checks twice' ? true : undefined;
  });

  writeFileSync(join(use.lab.workspace, PATH), file().replace('"Leads"', '"Leads the two"'));
  await (await button('Save for New Conversations')).click();
  await panel.sees(/The file was changed meanwhile/);
  await panel.sees('Leads the two');
  await (await button('Save for New Conversations')).click();
  await isClosed();
  expect(file()).toContain('"Leads the two"');
  expect(file()).toContain('"Checks twice"');
});

test('Escape leaves a form that is unchanged, and asks before it drops changes', async () => {
  const { page } = use.workbench;
  await openForm();
  await page.keyboard.press('Escape');
  await isClosed();

  await openForm();
  await (await form()).getByLabel('Hops in a chain').fill('3');
  await page.keyboard.press('Escape');
  await panel.sees('Drop what you changed?');
  await page.keyboard.press('Escape');
  await panel.losesSight('Drop what you changed?');
  await page.keyboard.press('Escape');
  await (await button('Drop Changes')).click();
  await isClosed();
  expect(file()).toContain('"hopCap": 4');
  await page.keyboard.type('And on with it');
  expect(await panel.draft()).toBe('And on with it');
  await (await panel.composer()).fill('');
});

test('A file with changes in an editor that are not saved is not written over', async () => {
  const { workbench } = use;
  await openForm();
  await (await button('Open Team File')).click();
  await workbench.tab('pair.team.json').waitFor();
  await workbench.page.keyboard.press('Control+Home');
  await workbench.page.keyboard.type('// mine\n');
  const before = file();
  await (await form()).getByLabel('Hops in a chain').fill('2');
  await (await button('Save for New Conversations')).click();
  await panel.sees(/has changes in an editor that are not saved/);
  expect(file()).toBe(before);
});
