// npm run fuzz [-- --minutes <n> --seed <n> --runs <n>]: the properties and the flipped bits, over and over, each time
// from another seed, until the time is over or something fails. A round that was begun is ended.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './paths.mjs';
import { runVitest } from './vitest-run.mjs';

const PROJECTS = ['unit', 'contract', 'conformance', 'faults'];
/** Rolls dice of its own. */
const MORE = join('test', 'faults', 'storage-damage.test.ts');

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    runs: { type: 'string', default: '1000' },
  },
});
const minutes = positive('minutes');
const first = positive('seed');
const runs = positive('runs');

const files = PROJECTS.flatMap((project) => propertiesIn(join(root, 'test', project)));
const projects = PROJECTS.filter((project) => files.some((file) => file.startsWith(join('test', project))));
const end = performance.now() + minutes * 60_000;
let seed = first;
let failed = 0;
let checked = 0;
for (; failed === 0 && (seed === first || performance.now() < end); seed += 1) {
  console.log(`seed ${seed}, ${runs} runs, ${files.length} files`);
  process.env.TEAMROOM_FUZZ_SEED = String(seed);
  process.env.TEAMROOM_FUZZ_RUNS = String(runs);
  const options = { dropState: false, arguments: ['--config', join('test', 'fuzz.config.ts'), ...files] };
  const { passed, failed: wrong, output, complaints } = await runVitest(projects, options);
  checked += passed;
  failed = wrong;
  if (failed > 0) {
    console.log([output.trimEnd(), ...complaints].join('\n'));
    console.log(`Again: npm run fuzz -- --seed ${seed} --runs ${runs}`);
  }
}
console.log(`${checked} passed, ${failed} failed, seeds ${first} to ${seed - 1}`);
process.exitCode = failed === 0 ? 0 : 1;

function positive(name) {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value >= 0) return value;
  console.error(`--${name} must be a number from 0.`);
  process.exit(2);
}

/** Test files that have properties, relative to the root. */
function propertiesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => file.endsWith(MORE) || readFileSync(file, 'utf8').includes("from 'fast-check'"))
    .map((file) => relative(root, file));
}
