// Two windows on one folder: one runs the conversation, the other shows it, follows it, and goes on when the first is
// closed. The tests of this file follow each other.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { GREETING, RELEASE_NOTE, SUGGESTION } from './lab/demo-team.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import type { Workbench } from './lab/workbench.js';

const use = useLab();
const later: Workbench[] = [];
const first = new TeamPanel(() => use.workbench);
const second = new TeamPanel(() => window(0));
const third = new TeamPanel(() => window(1));

const ELSEWHERE = 'Running in another window.';

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const [index, other] of later.entries()) await other.screenshot(`failed-window-${index + 2}`).catch(String);
});

test('Two windows that begin at the same moment begin one conversation', async () => {
  const { lab, workbench } = use;
  const other = await openAnother();
  // Both hosts are asked before either can answer.
  const hosts = lab.hosts();
  expect(hosts).toHaveLength(2);
  for (const host of hosts) process.kill(host, 'SIGSTOP');
  try {
    for (const one of [workbench, other]) {
      await one.page.bringToFront();
      await one.runCommand('Teamroom: Open Room File');
    }
  } finally {
    for (const host of hosts) process.kill(host, 'SIGCONT');
  }
  for (const one of [workbench, other]) {
    await one.page.bringToFront();
    await one.tab('release.txt').waitFor();
  }
  expect(stored()).toHaveLength(1);
});

test('The one that posts first runs the conversation; the other shows it and says where it runs', async () => {
  const { workbench } = use;
  await workbench.page.bringToFront();
  await first.open();
  await first.post('hello');
  const said = await first.waitForPosts(2);
  expect(said[1]?.text).toMatch(GREETING);
  await window(0).page.bringToFront();
  await second.open();
  expect(await second.waitForPosts(2)).toEqual(said);
  await second.sees(ELSEWHERE);
  expect(await first.shows(ELSEWHERE)).toBe(false);
  // The second window was handed a folder with a number at its end, and keeps nothing there.
  const numbered = readdirSync(storageFolder()).filter((name) => /-\d+$/.test(name));
  expect(numbered).not.toEqual([]);
  for (const name of numbered) expect(conversations(name)).toEqual([]);
});

test('The second window follows a chain of the first, turn by turn', async () => {
  await use.workbench.page.bringToFront();
  await first.post(SUGGESTION);
  await window(0).page.bringToFront();
  for (const name of ['Writer', 'Reviewer', 'Writer', 'Lead']) await second.sees(`${name} is working`);
  expect((await second.waitForPosts(8)).slice(2)).toEqual(RELEASE_NOTE);
  await second.losesSight('is working');
  await second.sees(ELSEWHERE);
  expect(await first.waitForPosts(8)).toEqual(await second.posts());
});

test('A post from the second window is answered, once, by the team that runs in the first', async () => {
  await second.post('@reviewer Is this note good?');
  const posts = await second.waitForPosts(10);
  expect(posts[8]).toMatchObject({ who: 'You', to: '@Reviewer' });
  expect(posts[9]?.text).toMatch(/^I have read your post: .*Is this note good\?/);
  await second.losesSight('is working');
  await second.sees(ELSEWHERE);
  await use.workbench.page.bringToFront();
  expect(await first.waitForPosts(10)).toEqual(posts);
});

test('Run Here moves the conversation to the window where it is pressed, and back', async () => {
  await window(0).page.bringToFront();
  await second.click('Run Here');
  await second.losesSight(ELSEWHERE);
  await use.workbench.page.bringToFront();
  await first.sees(ELSEWHERE);
  await first.click('Run Here');
  await first.losesSight(ELSEWHERE);
  await window(0).page.bringToFront();
  await second.sees(ELSEWHERE);
  expect(await second.posts()).toHaveLength(10);
});

test('When the first window is closed, the second says so and goes on with a post', async () => {
  await use.workbench.close();
  await window(0).page.bringToFront();
  await second.losesSight(ELSEWHERE);
  await second.post('thanks');
  expect((await second.waitForPosts(12)).slice(10)).toEqual([
    { who: 'You', to: '@Lead', text: 'thanks' },
    { who: 'Lead', to: '', text: 'You are welcome.' },
  ]);
  await second.losesSight('is working');
});

test('A turn that ran in a window when it was closed is shown as interrupted in the other; Resume ends the chain', async () => {
  const other = await openAnother();
  await third.open();
  await third.waitForPosts(12);
  await window(0).page.bringToFront();
  await second.post(SUGGESTION);
  await second.sees('Reviewer is working');
  await window(0).close();
  await other.page.bringToFront();
  await third.sees('Reviewer was interrupted');
  expect(await third.posts()).toHaveLength(15);
  await third.click('Resume');
  const rest = (await third.waitForPosts(18)).slice(12);
  expect(rest.map(({ who, to }) => [who, to])).toEqual(RELEASE_NOTE.map(({ who, to }) => [who, to]));
  await third.losesSight('is working');
  await third.losesSight('was interrupted');
  expect(await third.posts()).toHaveLength(18);
});

async function openAnother(): Promise<Workbench> {
  const other = await use.lab.openWorkbench();
  later.push(other);
  return other;
}

/** The windows after the first one, in the order in which they were opened. */
function window(index: number): Workbench {
  const other = later[index];
  if (other === undefined) throw new Error(`Window ${index + 2} is not open yet.`);
  return other;
}

function storageFolder(): string {
  return join(use.lab.folders.user, 'User', 'workspaceStorage');
}

/** The files of all conversations of this editor. */
function stored(): string[] {
  return readdirSync(storageFolder()).flatMap(conversations);
}

function conversations(folder: string): string[] {
  const place = join(storageFolder(), folder, 'teamroom.teamroom', 'conversations');
  return existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.db')) : [];
}
