// Where the conversations of a workspace live: the folder that all its windows share, and never inside a member's root.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canonicalStorageFolder, rootAround } from '../../src/editor/storage-folder.js';

let base = '';

beforeEach(() => {
  base = mkdtempSync(join(realpathSync(tmpdir()), 'teamroom-folder-'));
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

/** Makes folders below the base, and gives the path of the first. */
function folders(...names: readonly [string, ...string[]]): string {
  for (const name of names) mkdirSync(join(base, name), { recursive: true });
  return join(base, names[0]);
}

describe('The folder that all windows of a workspace share', () => {
  const cases = [
    { what: 'the only window', given: 'a1b2', there: ['a1b2'], shared: 'a1b2' },
    { what: 'a second window', given: 'a1b2-1', there: ['a1b2', 'a1b2-1'], shared: 'a1b2' },
    { what: 'a twelfth window', given: 'a1b2-11', there: ['a1b2', 'a1b2-11'], shared: 'a1b2' },
    { what: 'an id that begins with a minus sign', given: '-7f2e11ba', there: ['-7f2e11ba'], shared: '-7f2e11ba' },
    { what: 'a second window of such an id', given: '-7f2e11ba-1', there: ['-7f2e11ba'], shared: '-7f2e11ba' },
    { what: 'an id of digits that begins with a minus sign', given: '-12345', there: ['-12345'], shared: '-12345' },
    { what: 'an id that looks numbered but has no sibling', given: 'a1b2-1', there: ['a1b2-1'], shared: 'a1b2-1' },
  ];
  test.each(cases)('$what: $given → $shared', async ({ given, there, shared }) => {
    for (const name of there) folders(join(name, 'teamroom.teamroom'));
    const found = await canonicalStorageFolder(join(base, given, 'teamroom.teamroom'));
    expect(found).toBe(join(base, shared, 'teamroom.teamroom'));
  });

  test('It is the same for a window whose sibling has no folder of ours yet', async () => {
    folders('a1b2', 'a1b2-1');
    const found = await canonicalStorageFolder(join(base, 'a1b2-1', 'teamroom.teamroom'));
    expect(found).toBe(join(base, 'a1b2', 'teamroom.teamroom'));
  });
});

describe('A storage folder inside a root is noticed', () => {
  test('when it is inside, also when it does not exist yet', async () => {
    const root = folders('root');
    expect(await rootAround(join(root, 'a', 'b'), [root])).toBe(root);
    expect(await rootAround(root, [root])).toBe(root);
  });

  test('not when it is beside, or its name only begins alike', async () => {
    const root = folders('root', 'root-storage');
    expect(await rootAround(join(base, 'root-storage', 'x'), [root])).toBeNull();
  });

  test('by real path, whichever side goes through a link', async () => {
    const root = folders('root', 'elsewhere');
    symlinkSync(root, join(base, 'link'));
    expect(await rootAround(join(base, 'link', 'storage'), [root])).toBe(root);
    expect(await rootAround(join(root, 'storage'), [join(base, 'link')])).toBe(join(base, 'link'));
  });

  test('in the one of several roots that has it', async () => {
    const [first, second] = [folders('one'), folders('two')];
    expect(await rootAround(join(second, 'storage'), [first, second])).toBe(second);
  });
});
