// The demo team is an ordinary team file: nothing in the product knows its members.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import { parseTeamFile } from '../../src/core/team/team-file.js';

const team = parseTeamFile(readFileSync(join(root, 'examples', 'release-note.team.json'), 'utf8'), 'release-note');
// "Lead" is a word of the field, and every team has one.
const names = new Set(
  team.members.filter(({ id }) => id !== team.lead).flatMap(({ id, name }) => [id.toLowerCase(), name.toLowerCase()]),
);

/** The texts of a source: what stands in quotes, in templates and between tags; comments are none. */
function textsOf(path: string, source: string): readonly string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) texts.push(node.text);
    else if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest));
  return texts;
}

/** The demo's members that a text names: as a whole, or by a mention. */
function namedIn(text: string): readonly string[] {
  const words = text.trim().toLowerCase();
  return [...names].filter((name) => words === name || words.includes(`@${name}`));
}

test('The search finds a name in quotes, in a template and in a mention, and passes over a comment', () => {
  expect(names).toEqual(new Set(['writer', 'reviewer']));
  const source = "const a = 'Writer'; const b = `ask @reviewer ${a}`; // 'writer'\nconst c = 'another writer';";
  expect(textsOf('x.ts', source).flatMap(namedIn)).toEqual(['writer', 'reviewer']);
});

test('No name of the demo team’s members stands in the product', () => {
  const found = ['src', 'webview'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => {
        const path = join(folder, file);
        return textsOf(path, readFileSync(join(root, path), 'utf8'))
          .filter((text) => namedIn(text).length > 0)
          .map((text) => `${path}: ${text}`);
      }),
  );
  expect(found).toEqual([]);
});
