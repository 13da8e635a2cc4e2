// A room that is chosen in the side bar is shown in the panel, wherever the panel is just then. The tests follow each other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';

const ROOMS = '"rooms": [{ "id": "release", "name": "Release", "members": ["lead", "writer", "reviewer"] }]';
const TWO_ROOMS = ROOMS.replace(/\]$/, ', { "id": "review", "name": "Review", "members": ["writer", "reviewer"] }]');
const TEAM = readFileSync(join(root, 'examples', 'release-note.team.json'), 'utf8').replace(ROOMS, TWO_ROOMS);

const use = useLab({
  workspaceFiles: { 'README.md': '# A workspace\n', '.vscode/teams/release-note.team.json': TEAM },
});
const panel = new TeamPanel(() => use.workbench);

const title = async (): Promise<string> => (await panel.frame()).getByRole('heading', { level: 1 }).innerText();

async function choose(room: string): Promise<void> {
  await use.workbench.page
    .locator('.sidebar')
    .getByRole('treeitem', { name: new RegExp(`^${room}(?!er)`) })
    .first()
    .click();
}

test('A room chosen in the side bar is opened in the panel that is on screen', async () => {
  await panel.open();
  expect(await title()).toContain('Release');
  await use.workbench.clickActivityBar('Teamroom');
  await choose('Review');
  await panel.sees(/→ Writer/);
  expect(await title()).toContain('Review');
});

test('A room chosen while the panel is behind another tab is shown when it comes to the front', async () => {
  const { workbench } = use;
  await workbench.runCommand('Teamroom: Open Room File');
  await workbench.page.locator('.quick-input-widget:visible .monaco-list-row').first().click();
  await workbench.tab('review.txt').waitFor();
  await choose('Release');
  await panel.sees(/→ Lead/);
  expect(await title()).toContain('Release');
});

test('A room chosen while no panel is open is the one that a new panel shows', async () => {
  const { workbench } = use;
  await workbench.runCommand('View: Close All Editors');
  await choose('Review');
  await panel.sees(/→ Writer/);
  expect(await title()).toContain('Review');
});
