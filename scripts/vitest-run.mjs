// Runs Vitest projects and counts: what passed, what failed, and whether each project had anything to run.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { capture } from './command.mjs';
import { root } from './paths.mjs';

/**
 * @param {readonly string[]} projects folders of test/
 * @param {{ dropState: boolean, arguments?: readonly string[] }} options `dropState`: all state is dropped between any
 *   two events and made again from the store; `arguments`: further ones for Vitest
 * @returns {Promise<{ passed: number, failed: number, skipped: number, output: string, complaints: string[] }>}
 *   `complaints`: failures that no test stands for, each counted in `failed`
 */
export async function runVitest(projects, { dropState, arguments: more = [] }) {
  const file = join(root, 'out', 'test', `${projects.join('-')}${dropState ? '-drop' : ''}.json`);
  mkdirSync(join(root, 'out', 'test'), { recursive: true });
  rmSync(file, { force: true });
  const env = { ...process.env };
  delete env.TEAMROOM_DROP_STATE;
  if (dropState) env.TEAMROOM_DROP_STATE = '1';
  const { code, output } = await capture(
    process.execPath,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...projects.flatMap((name) => ['--project', name]),
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
      ...more,
    ],
    { cwd: root, env },
  );
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0, output, complaints: ['Vitest gave no results.'] };
  return { ...count(JSON.parse(readFileSync(file, 'utf8')), projects, code), output };
}

function count(report, projects, code) {
  const complaints = [];
  const seen = new Set();
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, status, assertionResults } of report.testResults) {
    const path = relative(root, name);
    for (const test of assertionResults) {
      if (test.status === 'passed') total.passed += 1;
      else if (test.status === 'failed') total.failed += 1;
      else total.skipped += 1;
      if (test.status !== 'skipped' && test.status !== 'todo') seen.add(path.split(sep)[1]);
    }
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) {
      complaints.push(`${path} could not be run.`);
    }
  }
  for (const name of projects) if (!seen.has(name)) complaints.push(`test/${name} ran no test at all.`);
  if (code !== 0 && total.failed === 0 && complaints.length === 0) complaints.push(`Vitest ended with code ${code}.`);
  return { ...total, failed: total.failed + complaints.length, complaints };
}
