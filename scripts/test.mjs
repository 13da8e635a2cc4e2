// npm test: everything that must hold, from a fresh clone, closed by one line `N passed, N failed`.
// `node scripts/test.mjs unit` is the loop of seconds; any names of steps run just those. `long` is all of it, with the
// cases that take long (they look at TEAMROOM_LONG).
import { join } from 'node:path';
import { onAskedToEnd } from './asked-to-end.mjs';
import { capture } from './command.mjs';
import { root } from './paths.mjs';
import { step } from './progress.mjs';
import { continueOnNode24 } from './with-node24.mjs';

const QUICK = ['unit', 'contract', 'conformance'];
const total = { passed: 0, failed: 0, skipped: 0 };

/** The steps by name. `unit` stands for the three quick suites; on its own it is the loop of seconds. */
const STEPS = {
  static: staticChecks,
  unit: () => suites(QUICK, false),
  drop: () => suites(QUICK, true),
  faults: () => suites(['faults'], false),
  host: () => suites(['host'], false),
  e2e: () => suites(['e2e'], true),
};

await continueOnNode24();
onAskedToEnd(() => process.exit(130));
try {
  const names = process.argv.slice(2);
  if (names.includes('long')) process.env.TEAMROOM_LONG = '1';
  await main(names.filter((name) => name !== 'long'));
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  total.failed += 1;
}
if (total.skipped > 0) console.log(`${total.skipped} skipped`);
if (total.passed === 0 && total.failed === 0) total.failed += 1;
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function main(names) {
  const unknown = names.filter((name) => !(name in STEPS));
  if (unknown.length > 0) {
    throw new Error(`There is no step ${unknown.join(', ')}. The steps: ${Object.keys(STEPS).join(', ')}.`);
  }
  const chosen = Object.keys(STEPS).filter((name) => names.length === 0 || names.includes(name));
  const { installPackages } = await import('./install.mjs');
  await installPackages();
  const any = (...wanted) => wanted.some((name) => chosen.includes(name));
  if (any('faults', 'host', 'e2e')) {
    const { vscodeServer } = await import('./vscode-server.mjs');
    await vscodeServer();
  }
  if (any('host', 'e2e')) {
    const { chromium } = await import('./chromium.mjs');
    // The workers of Vitest find the one that was got here.
    process.env.TEAMROOM_CHROMIUM = await chromium();
  }
  for (const name of chosen) await STEPS[name]();
}

/** Each check counts as one test. */
async function staticChecks() {
  const { PROJECTS, typecheck } = await import('./typecheck.mjs');
  for (const project of PROJECTS) await check(`Type check (${project})`, () => typecheck(project));
  await check('Lint', () => node('eslint/bin/eslint.js', ['.', '--max-warnings', '0']));
  await check('Format', () => node('prettier/bin/prettier.cjs', ['--check', '.']));
  await check('Build and package', async () => {
    const { ensurePackaged } = await import('./package.mjs');
    return ensurePackaged().then(
      () => ({ code: 0, output: '' }),
      (error) => ({ code: 1, output: String(error.message) }),
    );
  });
}

async function check(label, work) {
  const { code, output } = await step(label, work);
  total[code === 0 ? 'passed' : 'failed'] += 1;
  console.log(`${code === 0 ? '✓' : '✗'} ${label}`);
  if (code !== 0) console.log(output.trimEnd());
}

function node(script, args) {
  return capture(process.execPath, [join(root, 'node_modules', ...script.split('/')), ...args], { cwd: root });
}

async function suites(projects, dropState) {
  const { runVitest } = await import('./vitest-run.mjs');
  const label = `Tests (${projects.join(', ')}${dropState ? ', state dropped between events' : ''})`;
  const { passed, failed, skipped, output, complaints } = await step(label, () => runVitest(projects, { dropState }));
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  console.log(`${failed === 0 ? '✓' : '✗'} ${label}: ${passed} of ${passed + failed}`);
  if (failed > 0) console.log([output.trimEnd(), ...complaints].join('\n'));
}
