// What a person says and types while no extension host is there to hear it, and what they do about turns that it left
// behind. The tests of this file follow each other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';

// The demo team, one turn at a time: so some wait while one runs.
const TEAM_FILE = '.vscode/teams/release-note.team.json';
const ONE_AT_A_TIME = readFileSync(join(root, 'examples', 'release-note.team.json'), 'utf8').replace(
  '"definitionVersion": 1,',
  '"definitionVersion": 1, "limits": { "concurrency": 1 },',
);

const use = useLab({ workspaceFiles: { [TEAM_FILE]: ONE_AT_A_TIME } });
const panel = new TeamPanel(() => use.workbench);

test('A post that is sent while the extension host is dead arrives once, and is answered', async () => {
  await panel.open();
  await panel.write('thanks');
  const before = await panel.birth();
  const back = use.lab.killHost();
  await (await panel.composer()).press('Enter');
  await panel.sees('sending…');
  await back;
  await panel.isBornAfter(before);
  expect(await panel.waitForPosts(2)).toEqual([
    { who: 'You', to: '@Lead', text: 'thanks' },
    { who: 'Lead', to: '', text: 'You are welcome.' },
  ]);
  expect(await panel.shows('sending…')).toBe(false);
  expect(await panel.draft()).toBe('');
});

test('What is being typed while the extension host dies is still in the composer', async () => {
  await panel.write('Not sent ');
  const before = await panel.birth();
  const back = use.lab.killHost();
  await (await panel.composer()).pressSequentially('yet');
  await back;
  await panel.isBornAfter(before);
  expect(await panel.draft()).toBe('Not sent yet');
  await (await panel.composer()).fill('');
});

test('After a crash a running turn is interrupted and others wait: Resume Team lets them go on, Skip leaves the one out', async () => {
  const { lab, workbench } = use;
  const composer = await panel.composer();
  for (const text of ['@reviewer Is this note good?', '@writer ', 'thanks']) {
    await composer.fill(text);
    await composer.press('Enter');
  }
  await panel.waitForPosts(5);
  await panel.sees('is working');
  const before = await panel.birth();
  await workbench.answerCrashes(lab.killHost());
  await panel.isBornAfter(before);
  await panel.sees(/ was interrupted/);
  await panel.sees(/\d turns? (is|are) waiting\./);
  await panel.click('Resume Team');
  await panel.losesSight(/waiting\./);
  await panel.click('Skip');
  await panel.sees(/The turn of \w+ was skipped\./);
  await panel.losesSight(/ was interrupted/);
  // Three were asked, one was skipped.
  const answers = (await panel.waitForPosts(7)).slice(2).filter(({ who }) => who !== 'You');
  expect(answers).toHaveLength(2);
  expect(new Set(answers.map(({ who }) => who)).size).toBe(2);
  await panel.losesSight('is working');
  expect(await panel.posts()).toHaveLength(7);
});
