// Preloaded into the VS Code server (`node --import`). Two things that it lacks for a single person's machine:
// a key for SecretStorage that lasts (otherwise secrets are forgotten at every reload), and an end together with the
// process that started it, however that one ended.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const option = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};

const dataFolder = option('--server-data-dir');
const tokenFile = option('--connection-token-file');

// Extension hosts inherit the preload and have other arguments; there it does nothing.
if (process.argv[1]?.endsWith('server-main.js') && dataFolder && tokenFile && option('--port')) {
  const token = readFileSync(tokenFile, 'utf8').trim();
  const createServer = http.createServer;
  http.createServer = (...args) => {
    const listener = args.pop();
    return createServer(...args, (request, response) => {
      if (request.method !== 'POST' || request.url.split('?', 1)[0] !== '/mint-key') {
        return listener(request, response);
      }
      if (!hasToken(request, token)) return response.writeHead(403).end();
      return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(key(dataFolder));
    });
  };
  syncBuiltinESMExports();

  process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume();
}

function hasToken(request, token) {
  const given = /(?:^|;\s*)vscode-tkn=([^;]*)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  return given.length === token.length && timingSafeEqual(Buffer.from(given), Buffer.from(token));
}

/** 32 bytes, made once; readable by the owner only. */
function key(folder) {
  const file = join(folder, 'secret-key');
  try {
    writeFileSync(file, randomBytes(32), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  return readFileSync(file);
}
