// The first conversation, with the window reloaded after each step: nothing is lost or said twice.
import { expect, test } from 'vitest';
import { GREETING } from './lab/demo-team.js';
import { ending, expectedEnding, STEPS } from './lab/interrupted-scenario.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';

const use = useLab();
const panel = new TeamPanel(() => use.workbench);

for (const { what, act } of STEPS) {
  test(`${what}; then the window is reloaded`, async () => {
    await act(panel, use.workbench);
    await use.workbench.reload();
    await panel.isReady();
  });
}

test('The screen ends as it does without any reload', async () => {
  const { workbench } = use;
  const shown = await ending(panel, workbench);
  const greeting = shown.posts.at(-1)?.text ?? '';
  expect(greeting).toMatch(GREETING);
  expect(shown).toEqual(expectedEnding(greeting));
  expect(await workbench.tab('Team').count()).toBe(1);
});
