// npm start: from a fresh clone to a team in a real editor, in one command. Everything is kept in the data folder
// (paths.mjs), so that the next start finds the same conversations.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { onAskedToEnd } from './asked-to-end.mjs';
import { dataRoot, root } from './paths.mjs';
import { say, step } from './progress.mjs';
import { continueOnNode24 } from './with-node24.mjs';

const FIRST_PORT = 47831;
const BASE = join(dataRoot, 'editor');
const WORKSPACE = join(dataRoot, 'sample');
const STATE = join(dataRoot, 'start.json');

const SETTINGS = {
  'teamroom.openPanelOnStartup': true,
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
};

const SAMPLE = {
  'README.md':
    '# Sample\n\nA small project to try Teamroom in. Open the team panel and say hello, or ask the team to prepare a release note.\n',
  'src/greeting.js':
    '/** Greets somebody by name. */\nexport function greeting(name) {\n  return `Hello, ${name}!`;\n}\n',
};

/** The demo team is an ordinary team file, there to be read and changed. */
const TEAM_FILE = '.vscode/teams/release-note.team.json';

// The sample is ours and a person starts this to talk at once: Restricted Mode would protect nobody from anything here.
const ARGS = ['--disable-workspace-trust'];

await continueOnNode24();
// Until the server runs, ending is exiting: the programs that prepare it are ended with us.
const prepared = onAskedToEnd(() => process.exit(130));
try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main() {
  const { installPackages } = await import('./install.mjs');
  await installPackages();
  const { ensurePackaged } = await import('./package.mjs');
  const { serverFolders, startServer } = await import('./server-process.mjs');
  const { file, digest } = await ensurePackaged();
  const { vscodeServer } = await import('./vscode-server.mjs');
  await vscodeServer();

  const port = await freePort();
  await install(file, digest);
  writeMissing(serverFolders(BASE).user, { 'User/settings.json': `${JSON.stringify(SETTINGS, null, 2)}\n` });
  writeMissing(WORKSPACE, { ...SAMPLE, [TEAM_FILE]: readFileSync(join(root, 'examples', 'release-note.team.json')) });

  const token = randomBytes(24).toString('hex');
  const server = await step('Starting the VS Code server', () => startServer({ base: BASE, token, port, args: ARGS }));
  writeState({ ...readState(), port });

  prepared();
  const stopped = new Promise((resolve) => {
    onAskedToEnd(() => resolve('asked'));
    void server.ended.then(resolve);
  });
  const url = `http://127.0.0.1:${port}/?tkn=${token}&folder=${encodeURIComponent(WORKSPACE)}`;
  console.log(`Teamroom is ready: ${url}`);
  say('Open it in a browser. Ctrl+C ends it.');

  const reason = await stopped;
  await step('Stopping', () => server.stop());
  if (reason !== 'asked') throw new Error(`The VS Code server ended by itself (code ${reason}):\n${server.output()}`);
}

/**
 * The port of last time. VS Code derives the place of a workspace's storage from the address, so another port would
 * show an empty team: it is never changed without being told.
 */
async function freePort() {
  const chosen = process.env.TEAMROOM_PORT;
  const port = chosen === undefined ? (readState().port ?? FIRST_PORT) : Number(chosen);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`TEAMROOM_PORT=${chosen} is not a port.`);
  const probe = createServer();
  await new Promise((resolve, reject) => {
    probe.once('error', (error) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `Port ${port} is taken, perhaps by another \`npm start\`. Stop that one and try again, or choose another ` +
                'port: TEAMROOM_PORT=<port> npm start. (The editor keeps the conversations of each port apart: those of ' +
                `${port} are back when you start on ${port} again.)`,
            )
          : error,
      ),
    );
    probe.listen(port, '127.0.0.1', resolve);
  });
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Installs the package unless this very one is installed already. */
async function install(file, digest) {
  const { installExtensions, serverFolders } = await import('./server-process.mjs');
  const { extensions } = serverFolders(BASE);
  const mark = join(extensions, '.teamroom-digest');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return;
  await step('Installing the extension', async () => {
    rmSync(extensions, { recursive: true, force: true });
    await installExtensions(BASE, [file]);
  });
  writeFileSync(mark, digest);
}

function writeMissing(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    if (existsSync(file)) continue; // A person may have changed it since.
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, content);
  }
}

function readState() {
  try {
    return JSON.parse(readFileSync(STATE, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw new Error(`${STATE} cannot be read (${error.message}). Delete it: only the port is in it.`, { cause: error });
  }
}

function writeState(state) {
  mkdirSync(dataRoot, { recursive: true });
  writeFileSync(`${STATE}.new`, `${JSON.stringify(state)}\n`);
  renameSync(`${STATE}.new`, STATE);
}
