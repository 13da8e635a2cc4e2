// The packaged extension in the real workbench: it comes up, its panel opens, and a killed host comes back.
import { expect, test } from 'vitest';
import { useLab } from './lab/use-lab.js';

const use = useLab();

test('The panel opens by its command with a place to write, and is there again after a reload', async () => {
  const { workbench } = use;
  await workbench.runCommand('Teamroom: Open Team Panel');
  await (await workbench.panel()).getByRole('textbox').waitFor();
  await workbench.screenshot('panel');
  await workbench.reload();
  await (await workbench.panel()).getByRole('textbox').waitFor();
});

test('A killed extension host comes back, and our extension with it', async () => {
  const { lab, workbench } = use;
  const [before] = lab.hosts();
  await lab.killHost();
  expect(lab.hosts()).toHaveLength(1);
  expect(lab.hosts()).not.toContain(before);
  await (await workbench.panel()).getByRole('textbox').waitFor();
  await workbench.screenshot('panel-after-kill');
});
