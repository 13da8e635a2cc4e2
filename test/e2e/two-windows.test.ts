// Two windows on one workspace: one runs the conversation, the other follows, and goes on when the first is gone.
import { afterEach, expect, test } from 'vitest';
import { GREETING, RELEASE_NOTE, SUGGESTION } from './lab/demo-team.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';
import type { Workbench } from './lab/workbench.js';

const use = useLab();
const first = new TeamPanel(() => use.workbench);
let other: Workbench | undefined;
const second = new TeamPanel(() => {
  if (other === undefined) throw new Error('There is no second window yet.');
  return other;
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await other?.screenshot('failed-second-window');
});

test('A second window shows the same conversation, says that it runs in another one, and follows its posts', async () => {
  await first.open();
  await first.post('hello');
  await first.waitForPosts(2);
  other = await use.lab.openWorkbench();
  await second.open();
  expect(await second.waitForPosts(2)).toEqual(await first.posts());
  await second.sees('Running in another window.');
  expect(await first.shows('Running in another window.')).toBe(false);

  await first.post(SUGGESTION);
  await second.sees('is working');
  const posts = await second.waitForPosts(8);
  expect(posts[1]?.text).toMatch(GREETING);
  expect(posts.slice(2)).toEqual(RELEASE_NOTE);
  expect(await first.waitForPosts(8)).toEqual(posts);
});

test('A post from the second window is answered by the first, once', async () => {
  await second.post('@reviewer Is it good?');
  const posts = await second.waitForPosts(10);
  expect(posts.slice(8)).toMatchObject([{ who: 'You', to: '@Reviewer' }, { who: 'Reviewer' }]);
  await second.losesSight('is working');
  expect(await first.waitForPosts(10)).toEqual(posts);
  await second.sees('Running in another window.');
});

test('When the first window is closed in the middle of a turn, the second one goes on', async () => {
  await first.post(SUGGESTION);
  await second.sees('Lead is working');
  await use.workbench.close();
  await second.losesSight('Running in another window.');
  await waitFor('the exchange to its end', async () => {
    if ((await second.posts()).length === 16) return true;
    await second.clickIfThere('Resume');
    await second.clickIfThere('Resume Team');
    return undefined;
  });
  const posts = (await second.posts()).slice(10);
  expect(posts.map(({ who, to }) => ({ who, to }))).toEqual(RELEASE_NOTE.map(({ who, to }) => ({ who, to })));
  await second.post('thanks');
  expect((await second.waitForPosts(18)).at(-1)).toEqual({ who: 'Lead', to: '', text: 'You are welcome.' });
});
