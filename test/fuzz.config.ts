// Vitest as `npm run fuzz` runs it: every property from a seed that was printed, with all the time that it needs.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import base from '../vitest.config.js';

const TEN_MINUTES = 600_000;
const setup = fileURLToPath(new URL('support/fuzz-setup.ts', import.meta.url));
const projects = base.test?.projects ?? [];

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: projects.map((project) =>
      typeof project === 'object' && 'test' in project
        ? { ...project, test: { ...project.test, testTimeout: TEN_MINUTES, setupFiles: [setup] } }
        : project,
    ),
  },
});
