// The first conversation, with the page reloaded by the browser's own button after each step: the window goes away
// without warning, as with a crash, and nothing that was said is lost or said twice.
import { expect, test } from 'vitest';
import { GREETING, RELEASE_NOTE, RELEASE_NOTE_FILE } from './lab/demo-team.js';
import { STEPS } from './lab/interrupted-scenario.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';

const use = useLab();
const panel = new TeamPanel(() => use.workbench);

// The last step writes a draft, of which the editor itself may lose the latest seconds.
for (const { what, act } of STEPS.slice(0, -1)) {
  test(`${what}; then the page is reloaded by the browser`, async () => {
    const { workbench } = use;
    await act(panel, workbench);
    await workbench.reloadPage();
    await panel.open();
  });
}

test('The screen and the room file end as they do without any reload', async () => {
  const { workbench } = use;
  await panel.losesSight('is working');
  const posts = await panel.waitForPosts(8);
  const greeting = posts[7]?.text ?? '';
  expect(greeting).toMatch(GREETING);
  expect(posts).toEqual([
    ...RELEASE_NOTE,
    { who: 'You', to: '@Lead', text: 'hello' },
    { who: 'Lead', to: '', text: greeting },
  ]);
  expect(await workbench.tab('Team').count()).toBe(1);
  await panel.click('Open Room File');
  await workbench.tab('release.txt').waitFor();
  expect(await workbench.editorText()).toBe(
    `${RELEASE_NOTE_FILE}you [you/2/0]: hello\nlead [team/lead/3/0]: ${greeting}\n`,
  );
});
