// All suites that can share one window.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/paths.mjs';
import { describeInHost } from './lab/run-in-host.js';

const folder = join('test', 'host', 'suite');

await describeInHost(
  'suite',
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(folder, name)),
);
