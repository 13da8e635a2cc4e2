// The key that the server hands out: to who has the token, and whatever else it is asked, it stays up.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';

const TOKEN = 'a-token';
const SERVER = `
  const http = require('node:http');
  const server = http.createServer((request, response) => response.end('the editor'));
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

let port = 0;
let folder = '';
let child: ReturnType<typeof spawn> | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mint-key-'));
  const server = join(folder, 'server-main.js');
  const token = join(folder, 'token');
  writeFileSync(server, SERVER);
  writeFileSync(token, `${TOKEN}\n`);
  const preload = join(root, 'scripts', 'mint-key.mjs');
  const options = ['--server-data-dir', folder, '--connection-token-file', token, '--port', '0'];
  const started = spawn(process.execPath, ['--import', preload, server, ...options], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child = started;
  const [line] = (await once(createInterface(started.stdout), 'line')) as [string];
  port = Number(line);
});

afterAll(() => {
  child?.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(method: string, path: string, token?: string): Promise<{ status: number; body: Buffer }> {
  const headers = token === undefined ? {} : { cookie: `vscode-tkn=${token}` };
  const asked = request({ host: '127.0.0.1', port, method, path, headers });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) };
}

test('Who has the token gets the same 32 bytes each time; others get nothing', async () => {
  const first = await ask('POST', '/mint-key?x=1', TOKEN);
  expect(first.status).toBe(200);
  expect(first.body).toHaveLength(32);
  expect((await ask('POST', '/mint-key', TOKEN)).body).toEqual(first.body);
  for (const token of [undefined, 'b-token', '']) expect((await ask('POST', '/mint-key', token)).status).toBe(403);
});

test.each(['//', '//?x', '/', '*', '/mint-key/'])(
  'POST %s without a token is the editor’s, and ends nothing',
  async (path) => {
    expect((await ask('POST', path)).body.toString()).toBe('the editor');
    expect((await ask('GET', '/')).body.toString()).toBe('the editor');
  },
);
