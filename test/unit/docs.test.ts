// The documents are part of the house: what sources, manifest and catalogue promise about them, and they about those.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import { CATALOGUE } from '../../src/core/record/catalogue.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const SOURCES = ['src', 'webview', 'scripts', 'test']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((n) => `${folder}/${n}`),
  )
  .filter((path) => /\.(?:ts|tsx|mjs)$/.test(path) && path !== 'test/unit/docs.test.ts');

const PAGES = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => `docs/${path}`);

const DOCUMENTS = ['README.md', 'CHANGELOG.md', ...PAGES];

function headings(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
}

/** `docs/<page>.md § <Section>` in comments; the name ends with the sentence or the clause. */
function references(): readonly (readonly [page: string, section: string, source: string])[] {
  return SOURCES.flatMap((source) =>
    [...read(source).matchAll(/(docs\/[\w/-]+\.md) § ([A-Z][A-Za-z ]*?)(?= for |[.,;)]|$)/gm)].map(
      ([, page = '', section = '']) => [page, section, source] as const,
    ),
  );
}

describe('the documents', () => {
  test('every section that a source refers to exists under exactly that name', () => {
    const found = references();
    expect(found.length).toBeGreaterThan(15);
    expect(found.filter(([page, section]) => !headings(page).includes(section))).toEqual([]);
  });

  test('every reference to a section is one that this test can read', () => {
    const written = SOURCES.flatMap((source) => read(source).match(/docs\/[\w/-]+\.md §/g) ?? []);
    expect(references()).toHaveLength(written.length);
  });

  test('every page that a source names exists', () => {
    const named = SOURCES.flatMap((source) => read(source).match(/\bdocs\/[\w/-]+\.md/g) ?? []);
    expect([...new Set(named)].filter((page) => !existsSync(join(root, page)))).toEqual([]);
  });

  test.each(Object.entries(CATALOGUE))('the record page tells of %s with every field', (type, [version, schema]) => {
    const row = read('docs/run-record.md')
      .split('\n')
      .find((line) => line.startsWith(`| \`${type}\` `));
    expect(row).toBeDefined();
    const payload = row?.split('|')[2] ?? '';
    expect([...payload.matchAll(/`(\w+)`/g)].map(([, field]) => field)).toEqual(Object.keys(schema.entries));
    // The page says that all are version 1: a later version says so in its row.
    expect(/ Version (\d+) *\|$/.exec(row ?? '')?.[1] ?? '1').toBe(String(version));
  });

  test('the README names both commands, and no script that is not there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = DOCUMENTS.flatMap((page) => [...read(page).matchAll(/(?:^|`)npm (?:run )?([a-z:]+)(?=`|$)/gm)]).map(
      ([, n = '']) => n,
    );
    expect(read('README.md')).toMatch(/^npm start$/m);
    expect(read('README.md')).toMatch(/^npm test$/m);
    const npmsOwn = ['install', 'ci'];
    expect([...new Set(named)].filter((name) => !(name in scripts) && !npmsOwn.includes(name))).toEqual([]);
  });

  test('the README names every command by the words of the palette', () => {
    const { contributes } = JSON.parse(read('package.json')) as { contributes: { commands: { title: string }[] } };
    const words = JSON.parse(read('package.nls.json')) as Record<string, string>;
    const titles = contributes.commands.map(({ title }) => `Teamroom: ${words[title.replaceAll('%', '')] ?? title}`);
    const named = [...read('README.md').matchAll(/\*\*(Teamroom: [^*]+)\*\*/g)].map(([, title]) => title);
    expect([...new Set(named)].sort()).toEqual(titles.sort());
  });

  test.each(DOCUMENTS)('every link of %s to a file or a section leads somewhere', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const broken = links.filter(([, path = '', section]) => {
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(root, target))) return true;
      return section !== undefined && !headings(target).map(anchor).includes(section);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}
