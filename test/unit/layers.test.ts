// The house has walls: for each layer, an import that runs the wrong way fails the lint that the build runs.
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';

// The layer rules need no types, and without them a snippet is linted in milliseconds.
const eslint = new ESLint({
  cwd: root,
  overrideConfig: [
    { files: ['**/*.{ts,tsx}'], ...tseslint.configs.disableTypeChecked },
    { rules: { '@typescript-eslint/no-unused-vars': 'off' } },
  ],
});

async function complaints(file: string, source: string): Promise<string[]> {
  const [result] = await eslint.lintText(source, { filePath: `${root}/${file}` });
  return (result?.messages ?? []).map((message) => `${message.ruleId ?? 'parser'}: ${message.message}`);
}

const WRONG: readonly (readonly [file: string, imported: string])[] = [
  ['src/core/x.ts', '../storage/port.js'],
  ['src/core/team/x.ts', '../../protocol/messages.js'],
  ['src/core/x.ts', 'node:fs'],
  ['src/core/x.ts', 'vscode'],
  ['src/protocol/x.ts', '../storage/port.js'],
  ['src/protocol/x.ts', 'node:crypto'],
  ['src/storage/x.ts', '../runtime/executor.js'],
  ['src/storage/sqlite/x.ts', '../../protocol/messages.js'],
  ['src/runtime/x.ts', '../engines/scripted/engine.js'],
  ['src/runtime/x.ts', 'vscode'],
  ['src/engines/scripted/x.ts', '../../editor/panel.js'],
  ['src/engines/scripted/x.ts', '../../workspace/worktree.js'],
  ['src/workspace/x.ts', '../engines/scripted/engine.js'],
  ['src/workspace/x.ts', 'vscode'],
  ['src/editor/x.ts', '../cli/main.js'],
  ['src/editor/x.ts', '../../webview/app.js'],
  ['src/cli/x.ts', '../editor/panel.js'],
  ['src/cli/x.ts', 'vscode'],
  ['webview/x.ts', '../src/runtime/executor.js'],
  ['webview/board/x.ts', '../../src/storage/port.js'],
  ['webview/x.ts', 'vscode'],
  ['webview/x.ts', 'node:path'],
  ['webview/x.ts', '@vscode/webview-ui-toolkit'],
  ['src/editor/x.ts', '@vscode/webview-ui-toolkit'],
];

const RIGHT: readonly (readonly [file: string, imported: string])[] = [
  ['src/core/team/x.ts', '../graph/model.js'],
  ['src/protocol/x.ts', '../core/json.js'],
  ['src/storage/x.ts', '../core/json.js'],
  ['src/runtime/x.ts', '../storage/port.js'],
  ['src/engines/scripted/x.ts', '../../runtime/ports/engine.js'],
  ['src/editor/x.ts', 'vscode'],
  ['src/editor/x.ts', '../protocol/messages.js'],
  ['webview/x.ts', '../src/protocol/messages.js'],
  ['webview/ui/x.ts', '@vscode/webview-ui-toolkit'],
];

describe('the layers of the house', () => {
  test.each(WRONG)('%s may not import %s', async (file, imported) => {
    expect(await complaints(file, `import { x } from '${imported}';\n`)).toEqual([
      expect.stringMatching(/^no-restricted-imports: /),
    ]);
  });

  test.each(RIGHT)('%s may import %s', async (file, imported) => {
    expect(await complaints(file, `import { x } from '${imported}';\n`)).toEqual([]);
  });

  test.each([
    ['a clock', 'export const now = () => Date.now();'],
    ['a clock by constructor', 'export const now = () => new Date();'],
    ['randomness', 'export const dice = () => Math.random();'],
    ['a promise', 'export const later = () => Promise.resolve(1);'],
    ['an async function', 'export async function later() { return 1; }'],
    ['a timer', 'export const timer = () => setTimeout(() => undefined, 1);'],
    ['the process', 'export const env = () => process.env;'],
  ])('the core may not use %s', async (_what, source) => {
    expect(await complaints('src/core/x.ts', `${source}\n`)).not.toEqual([]);
  });
});
