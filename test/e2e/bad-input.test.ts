// What a person is told when something cannot be used, and that nothing is lost by it. The tests follow each other.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import { GREETING } from './lab/demo-team.js';
import { writeFiles } from './lab/temporary.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';

const TEAM_FILE = '.vscode/teams/x.team.json';
const GOOD = readFileSync(join(root, 'examples', 'release-note.team.json'), 'utf8')
  .replace('"id": "release-note"', '"id": "x"')
  .replace('"name": "Release note"', '"name": "Team X"');
const BAD = GOOD.replace('"lead": "lead"', '"lead": "nobody"');
const BAD_LINE = BAD.split('\n').findIndex((line) => line.includes('"nobody"')) + 1;

const use = useLab({ workspaceFiles: { 'README.md': '# A workspace\n', [TEAM_FILE]: BAD } });
const panel = new TeamPanel(() => use.workbench);

test('A damaged team file: path, line and what to do; it opens at that line; saved right, the team is there', async () => {
  const { lab, workbench } = use;
  await workbench.runCommand('Teamroom: Open Team Panel');
  await panel.sees(`The team file ${TEAM_FILE} cannot be used`);
  await panel.sees(new RegExp(`${TEAM_FILE}, line ${BAD_LINE}, column \\d+: .*nobody`));
  await panel.sees(/Mend the file and save it/);
  await workbench.screenshot('problem-team-file');

  await panel.click('Open Team File');
  await workbench.tab('x.team.json').waitFor();
  await workbench.page.getByRole('button', { name: new RegExp(`^Ln ${BAD_LINE}, Col `) }).waitFor();

  writeFiles(lab.workspace, { [TEAM_FILE]: GOOD });
  await panel.sees('Your team is ready');
  await panel.click(/^Rooms and team/);
  await panel.sees('Team X');
});

test('A team file that is damaged later takes nothing from a conversation that began before', async () => {
  const { lab, workbench } = use;
  await panel.post('hello');
  await panel.waitForPosts(2);
  writeFiles(lab.workspace, { [TEAM_FILE]: '{ "id": "x",' });
  await workbench.reload();
  const [asked, answer] = await panel.waitForPosts(2);
  expect(asked?.text).toBe('hello');
  expect(answer?.text).toMatch(GREETING);
  writeFiles(lab.workspace, { [TEAM_FILE]: GOOD });
});

test('An unreadable conversation: its path and what to do; it is left as it is; a new conversation works', async () => {
  const { lab } = use;
  await lab.restartBrowser();
  const file = databaseOf(lab.folders.user);
  const garbage = Buffer.alloc(40_000, 'this is no database ');
  writeFileSync(file, garbage);
  use.workbench = await lab.openWorkbench();
  await use.workbench.runCommand('Teamroom: Open Team Panel');
  await panel.sees('The conversation cannot be read');
  await panel.sees(file);
  await panel.sees(/Nothing was changed or deleted/);
  await use.workbench.screenshot('problem-database');
  await panel.click('Try Again');
  await panel.sees('The conversation cannot be read');
  expect(readFileSync(file).equals(garbage)).toBe(true);

  await panel.click('New Conversation');
  await panel.sees('Your team is ready');
  await panel.post('hello');
  await panel.waitForPosts(2);
  await use.workbench.reload();
  expect(await panel.waitForPosts(2)).toHaveLength(2);
  expect(readFileSync(file).equals(garbage)).toBe(true);
});

test('A window without a folder says so and offers to open one', async () => {
  const { lab } = use;
  await lab.restartBrowser();
  use.workbench = await lab.openWorkbench(lab.emptyUrl);
  await use.workbench.runCommand('Teamroom: Open Team Panel');
  await panel.sees('Open a folder to talk to a team');
  await use.workbench.screenshot('problem-no-folder');
  await panel.click('Open Folder');
  await use.workbench.page.locator('.quick-input-widget:visible input').first().waitFor();
  await use.workbench.page.keyboard.press('Escape');
  await use.workbench.runCommand('Teamroom: Open Room File');
  await use.workbench.sees(/Open a folder to talk to a team/);
});

function databaseOf(user: string): string {
  const storage = join(user, 'User', 'workspaceStorage');
  const files = readdirSync(storage, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /conversations.[^/\\]+\.db$/.test(name),
  );
  expect(files).toHaveLength(1);
  return join(storage, files[0] ?? '');
}
