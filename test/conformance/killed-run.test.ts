// A process that dies in the middle: what it had saved is kept, and the next process goes on from there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DomainEventEnvelope } from '../../src/storage/port.js';
import { bundled } from './bundled.js';
import { bindingOf } from './run-binding.js';
import { never, runLab, runOn, startedRun } from './run-fixture.js';
import { compileTeam, FINAL, QUESTION, REPLY } from './team-fixture.js';

test('A-81 killed right after the question was saved, a fresh process runs the rest only, to the same end', async () => {
  const lab = await runLab('sqlite');
  const run = await startedRun(lab, compileTeam(), {});
  const program = await bundled('test/conformance/killed-run.ts', lab.root);
  const child = spawn(process.execPath, [program, join(lab.root, 'storage'), lab.scratch], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  expect(said.toString()).toBe('saved\n');
  child.kill('SIGKILL');
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);

  const prefix = await run.events();
  expect(prefix).toHaveLength(4);
  const calls: string[] = [];
  const bind = (nodeId: string, ...answers: (typeof QUESTION)[]) =>
    bindingOf(lab.scratch, async () => {
      calls.push(nodeId);
      return answers.shift() ?? null;
    });
  const nodes = { writer: bind('writer', FINAL), reviewer: bind('reviewer', REPLY) };
  const outcome = await (await runOn(lab.open(), compileTeam(), nodes).executor()).run(never());
  expect(calls).toEqual(['reviewer', 'writer']);

  const whole = await runLab('sqlite');
  const uninterrupted = await startedRun(whole, compileTeam(), {
    writer: bindingOf(whole.scratch, async ({ input }) =>
      JSON.stringify(input).includes('Reviewed') ? FINAL : QUESTION,
    ),
    reviewer: bindingOf(whole.scratch, async () => REPLY),
  });
  expect(outcome).toEqual(await (await uninterrupted.executor()).run(never()));
  const events = await run.events();
  expect(events.slice(0, 4)).toEqual(prefix);
  const payloads = (all: readonly DomainEventEnvelope[]) => all.slice(1).map(({ type, payload }) => [type, payload]);
  expect(payloads(events)).toEqual(payloads(await uninterrupted.events()));
});
