// What package.json tells the editor and what the extension names are the same things.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import {
  COMMANDS,
  CONTEXT_KEYS,
  PANEL_VIEW_TYPE,
  ROOM_SCHEME,
  SETTINGS,
  VIEWS,
} from '../../src/editor/contributions.js';

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, unknown>> };
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
  };
}

const text = readFileSync(join(root, 'package.json'), 'utf8');
const { activationEvents, contributes } = JSON.parse(text) as Manifest;
const words = JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8')) as Readonly<Record<string, string>>;

describe('contributions', () => {
  test('package.json declares exactly the commands that the extension names', () => {
    expect(contributes.commands.map(({ command }) => command).sort()).toEqual(Object.values(COMMANDS).sort());
  });

  test('package.json declares exactly the settings that the extension reads', () => {
    const { section, ...keys } = SETTINGS;
    const read = Object.values(keys).map((key) => `${section}.${key}`);
    expect(Object.keys(contributes.configuration.properties).sort()).toEqual(read.sort());
  });

  test('package.json declares exactly the views that the extension fills', () => {
    const declared = Object.values(contributes.views).flatMap((views) => views.map(({ id }) => id));
    expect(declared.sort()).toEqual(Object.values(VIEWS).sort());
  });

  test('Menus and welcome texts name commands and views that are there', () => {
    const commands = new Set<string>(Object.values(COMMANDS));
    const views = new Set<string>(Object.values(VIEWS));
    const used = Object.values(contributes.menus).flatMap((items) => items.map(({ command }) => command));
    const linked = Object.values(words).flatMap((one) =>
      [...one.matchAll(/\(command:([\w.]+)\)/g)].map(([, id]) => id),
    );
    expect([...used, ...linked].filter((id) => id === undefined || !commands.has(id))).toEqual([]);
    expect(contributes.viewsWelcome.map(({ view }) => view).filter((id) => !views.has(id))).toEqual([]);
    expect(linked.length).toBeGreaterThan(0);
  });

  test('Menus and commands are shown and enabled by the context keys that the extension sets, and each is used', () => {
    const conditions = [...text.matchAll(/"(?:when|enablement)": "((?:[^"\\]|\\.)*)"/g)].map(([, one = '']) => one);
    const named = conditions.flatMap((one) => [...one.matchAll(/(?<!\/\^|== )\bteamroom\.\w+/g)].map(([key]) => key));
    expect([...new Set(named)].sort()).toEqual(Object.values(CONTEXT_KEYS).sort());
  });

  test('The extension is activated for its panel, its documents and its links, and at every start', () => {
    expect([...activationEvents].sort()).toEqual(
      [`onFileSystem:${ROOM_SCHEME}`, 'onStartupFinished', 'onUri', `onWebviewPanel:${PANEL_VIEW_TYPE}`].sort(),
    );
  });

  test('Every text that package.json refers to is in package.nls.json, and none is left over', () => {
    const used = [...text.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? '');
    expect([...new Set(used)].sort()).toEqual(Object.keys(words).sort());
    expect(Object.values(words).filter((one) => one.trim() === '')).toEqual([]);
  });
});
