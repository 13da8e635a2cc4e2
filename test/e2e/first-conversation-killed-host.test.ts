// The first conversation, with the extension host killed after each step: nothing is lost or said twice, and the panel
// that it leaves behind is replaced.
import { expect, test } from 'vitest';
import { GREETING } from './lab/demo-team.js';
import { ending, expectedEnding, STEPS } from './lab/interrupted-scenario.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';

const use = useLab();
const panel = new TeamPanel(() => use.workbench);

for (const { what, act } of STEPS) {
  test(`${what}; then the extension host is killed`, async () => {
    const { lab, workbench } = use;
    await act(panel, workbench);
    const before = await panel.birth();
    await workbench.answerCrashes(lab.killHost());
    await panel.isBornAfter(before);
    expect(await workbench.tab('Team').count()).toBe(1);
  });
}

test('The screen ends as it does without any kill', async () => {
  const shown = await ending(panel, use.workbench);
  const greeting = shown.posts.at(-1)?.text ?? '';
  expect(greeting).toMatch(GREETING);
  expect(shown).toEqual(expectedEnding(greeting));
});

test('A panel that was behind another tab when the host was killed is whole as soon as it is shown', async () => {
  const { lab, workbench } = use;
  await workbench.answerCrashes(lab.killHost());
  await workbench.tab('Team').click();
  await panel.isReady();
  await (await panel.composer()).fill('');
  await panel.post('thanks');
  expect((await panel.waitForPosts(10)).slice(8)).toEqual([
    { who: 'You', to: '@Lead', text: 'thanks' },
    { who: 'Lead', to: '', text: 'You are welcome.' },
  ]);
});
