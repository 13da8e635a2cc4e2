// A lab for all tests of a file, with one window open; a test that fails leaves the logs and a picture.
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Lab, type LabOptions, startLab } from './lab.js';
import type { Workbench } from './workbench.js';

export interface LabInUse {
  readonly lab: Lab;
  /** The window that was opened first; assign to it after opening another in its place. */
  workbench: Workbench;
}

/**
 * Call it at the top of a test file (or of a `describe`).
 *
 * @returns the lab and its window, to be read inside tests and hooks
 */
export function useLab(options: LabOptions = {}): LabInUse {
  let lab: Lab | undefined;
  let workbench: Workbench | undefined;
  beforeAll(async () => {
    lab = await startLab(options);
    workbench = await lab.openWorkbench();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || lab === undefined) return;
    const picture = await workbench?.screenshot(`failed-${task.name.replace(/\W+/g, '-').slice(0, 80)}`).catch(String);
    console.error(`${task.name}\npicture: ${picture ?? 'none'}\n${lab.report()}`);
  });
  afterAll(async () => {
    await lab?.close();
  });
  return {
    get lab() {
      return present(lab);
    },
    get workbench() {
      return present(workbench);
    },
    set workbench(other: Workbench) {
      workbench = other;
    },
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The lab is there inside tests and hooks only.');
  return value;
}
