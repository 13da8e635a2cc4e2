// The VS Code server never outlives who started it, and ends with all its children.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import { groupRuns } from '../../scripts/process-tree.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { removeFolder, temporaryFolder } from '../e2e/lab/temporary.js';
import { waitFor } from '../e2e/lab/wait.js';

test('A server that is stopped leaves no process behind, and refuses whoever has no token before', async () => {
  const base = temporaryFolder();
  try {
    const server = await startServer({ base, token: 'right', port: 0 });
    try {
      const status = async (query: string) =>
        (await fetch(`http://127.0.0.1:${server.port}/${query}`, { redirect: 'manual' })).status;
      expect(await status('')).toBe(403);
      expect(await status('?tkn=wrong')).toBe(403);
      expect(await status('?tkn=right')).toBe(302);
    } finally {
      await server.stop();
    }
    expect(groupRuns(server.pid)).toBe(false);
  } finally {
    removeFolder(base);
  }
});

test('The key for secrets is given to the owner of the token only, and is the same after a restart', async () => {
  const base = temporaryFolder();
  const mint = async (cookie: string) => {
    const server = await startServer({ base, token: 'right', port: 0 });
    try {
      const response = await fetch(`http://127.0.0.1:${server.port}/mint-key`, { method: 'POST', headers: { cookie } });
      return { status: response.status, key: Buffer.from(await response.arrayBuffer()) };
    } finally {
      await server.stop();
    }
  };
  try {
    const first = await mint('vscode-tkn=right');
    expect(first).toMatchObject({ status: 200, key: { length: 32 } });
    expect((await mint('vscode-tkn=right')).key.equals(first.key)).toBe(true);
    expect(await mint('vscode-tkn=wrong')).toMatchObject({ status: 403, key: { length: 0 } });
  } finally {
    removeFolder(base);
  }
});

test('A server whose starter is killed without warning ends by itself', async () => {
  const base = temporaryFolder();
  const module = new URL(`file://${join(root, 'scripts', 'server-process.mjs')}`).href;
  const code = `
    import { startServer } from ${JSON.stringify(module)};
    const server = await startServer({ base: ${JSON.stringify(base)}, token: 'x', port: 0 });
    console.log(server.pid);
  `;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface(starter.stdout), 'line')) as [string];
    starter.kill('SIGKILL');
    await waitFor('the server to end', () => (groupRuns(Number(line)) ? undefined : true), 20_000);
  } finally {
    starter.kill('SIGKILL');
    removeFolder(base);
  }
});
