import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`./src/runtime/${path}`, import.meta.url));

const MINUTE = 60_000;

/** A project per folder of test/. Those that start an editor run their files one after the other. */
const project = (name: string, limit: number, parallel: boolean) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: limit,
    hookTimeout: Math.max(limit, 30_000),
    fileParallelism: parallel,
  },
});

export default defineConfig({
  resolve: {
    alias: [
      { find: /^teamroom\/runtime$/, replacement: source('index.ts') },
      { find: /^teamroom\/runtime\/storage\/local$/, replacement: source('storage/local.ts') },
      { find: /^teamroom\/runtime\/testing$/, replacement: source('testing.ts') },
    ],
  },
  test: {
    pool: 'forks',
    projects: [
      project('unit', 20_000, true),
      project('contract', 20_000, true),
      project('conformance', 20_000, true),
      project('faults', MINUTE, true),
      project('host', 2 * MINUTE, false),
      project('e2e', 3 * MINUTE, false),
    ],
  },
});
