// The packaged extension in the real workbench: it comes up, its panel opens, and a killed host comes back.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Lab, startLab } from './lab/lab.js';
import type { Workbench } from './lab/workbench.js';

let lab: Lab;
let workbench: Workbench;

beforeAll(async () => {
  lab = await startLab();
  workbench = await lab.openWorkbench();
});
afterAll(async () => {
  await lab.close();
});

test('The panel opens by its command, shows something, and is there again after a reload', async () => {
  await workbench.runCommand('Teamroom: Open Team Panel');
  expect(await (await workbench.panel()).locator('#teamroom-root').innerText()).not.toBe('');
  await workbench.reload();
  expect(await (await workbench.panel()).locator('#teamroom-root').innerText()).not.toBe('');
});

test('A killed extension host comes back, and our extension with it', async () => {
  const [before] = lab.hosts();
  await lab.killHost();
  expect(lab.hosts()).toHaveLength(1);
  expect(lab.hosts()).not.toContain(before);
});
