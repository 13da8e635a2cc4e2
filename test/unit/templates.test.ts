// The teams that ship as templates: each is a good team file, and its suggestion plays a whole exchange offline.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.mjs';
import { parseTeamFile, type TeamFile } from '../../src/core/team/team-file.js';
import { createScriptedEngine } from '../../src/engines/scripted/engine.js';
import { parseScript } from '../../src/engines/scripted/script.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { teamFromTemplate } from '../../src/editor/configure-team/edit.js';
import { host, memoryStorage, post, said, settled } from '../support/live-team.js';

const SUFFIX = '.team.json';
const names = readdirSync(join(root, 'templates')).map((name) => name.slice(0, -SUFFIX.length));
const textOf = (id: string): string => readFileSync(join(root, 'templates', `${id}${SUFFIX}`), 'utf8');
const codicons = JSON.parse(
  readFileSync(join(root, 'node_modules/@vscode/codicons/dist/metadata.json'), 'utf8'),
) as Record<string, unknown>;

/** Everything that is said after posts of the person, as `sender: text`. */
async function played(team: TeamFile, ...texts: readonly string[]): Promise<readonly string[]> {
  const storage = memoryStorage();
  const window = host(storage, createScriptedEngine({ pauseMs: 0 }));
  const conversation = await Conversation.start(window, team, []);
  const room = team.rooms[0]?.id ?? '';
  for (const text of texts) {
    await post(conversation, text, room);
    await settled(conversation);
  }
  const lines = await said(storage, conversation.runId, room);
  await conversation.close();
  expect(window.errors).toEqual([]);
  return lines;
}

const senders = (lines: readonly string[]): readonly string[] => lines.map((line) => line.slice(0, line.indexOf(':')));

test('There are four of them', () => {
  expect(names).toEqual(['feature-trio', 'incident-room', 'release-note-pair', 'research-panel']);
});

describe.each(names)('the template %s', (id) => {
  const team = parseTeamFile(textOf(id), id);

  test('says of each member what it does, at length, with an icon that exists and a script that can be played', () => {
    expect(team.suggestion).not.toBeNull();
    for (const { name, role, brief, icon, script } of team.members) {
      expect([name, icon.kind === 'codicon' && icon.id in codicons]).toEqual([name, true]);
      expect(role.length).toBeGreaterThan(10);
      expect(brief.length).toBeGreaterThan(200);
      expect(parseScript(script, name).length).toBeGreaterThan(1);
    }
  });

  test('plays its suggestion to the end within its limits, with everybody, and twice alike', async () => {
    const lines = await played(team, team.suggestion ?? '', team.suggestion ?? '');
    const half = lines.slice(0, lines.length / 2);
    expect(half[0]).toBe(`you: ${team.suggestion}`);
    expect(lines.filter((line) => line.startsWith('* '))).toEqual([]);
    expect(new Set(senders(half))).toEqual(new Set(['you', ...team.members.map((member) => member.id)]));
    expect(senders(half).at(-1)).toBe(team.lead);
    expect(lines.slice(lines.length / 2)).toEqual(half);
  });

  test('answers a greeting, a mention without words and a question to each member, and says that it is a demo', async () => {
    const hello = await played(team, 'Hello!');
    expect(hello).toHaveLength(2);
    expect(hello[1]).toContain('offline demo');
    for (const member of team.members) {
      expect(senders(await played(team, `@${member.id}`))).toEqual(['you', member.id]);
      if (member.id === team.lead) continue;
      const lines = await played(team, `@${member.id} what would you look at first?`);
      expect(senders(lines)).toEqual(['you', member.id]);
      expect(lines[1]).toContain('offline demo');
    }
  });

  test('becomes a team of the person’s own under another id', () => {
    const { text, team: own } = teamFromTemplate(textOf(id), id, 'my-own-team');
    expect(own).toEqual({ ...team, id: 'my-own-team', name: 'My own team', canonicalText: own.canonicalText });
    expect(text.split('\n').filter((line) => !textOf(id).includes(line))).toHaveLength(2);
    expect(teamFromTemplate(textOf(id), id, id).text).toBe(textOf(id));
  });
});
