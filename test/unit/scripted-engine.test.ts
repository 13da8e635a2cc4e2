// The scripted engine, and the demo team played through it by hand: each answer wakes whom it mentions, as a room would.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMentions } from '../../src/core/team/mentions.js';
import { parseTeamFile, type TeamFile } from '../../src/core/team/team-file.js';
import type { JsonValue } from '../../src/core/json.js';
import { createScriptedEngine } from '../../src/engines/scripted/engine.js';
import type { GivenPost, TurnResult } from '../../src/runtime/ports/engine.js';
import type { TeamTool } from '../../src/runtime/tools/team-tool.js';
import { HandClock } from '../support/hand-clock.js';
import { givenPost as post, stage, turnInput } from '../support/scripted-turn.js';

const ROOT = join(import.meta.dirname, '../..');
const demo = parseTeamFile(readFileSync(join(ROOT, 'examples/release-note.team.json'), 'utf8'), 'release-note');
const engine = createScriptedEngine({ pauseMs: 0 });
const READ_ROOM: TeamTool = {
  spec: { name: 'read_room_channel', description: '', inputSchema: {} },
  run: async () => ({ text: '{}', isError: false }),
};

/** Plays everything that follows posts of the person: members answer in the order in which they were woken. */
async function converse(team: TeamFile, ...texts: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const said: [string, string][] = [];
  const memory = new Map<string, TurnResult>();
  const turns = new Map<string, number>();
  const queue: { readonly member: string; readonly post: GivenPost }[] = [];
  const wake = (post: GivenPost, fallback: readonly string[]): void => {
    for (const member of post.mentions.length > 0 ? post.mentions : fallback) {
      if (member !== post.sender) queue.push({ member, post });
    }
  };
  for (const [index, text] of texts.entries()) {
    const { mentions } = parseMentions(text, team, 'you');
    wake({ id: `you/${index + 1}/0`, sender: 'you', text, mentions }, [team.lead]);
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { member, post } = next;
      const turn = (turns.get(member) ?? 0) + 1;
      turns.set(member, turn);
      const position = `team/${member}/${turn}`;
      const result = await engine.runTurn(
        turnInput(team, member, [post], memory.get(member) ?? null, position),
        stage([READ_ROOM]),
      );
      memory.set(member, result);
      said.push([member, result.text]);
      expect(said.length, 'the chain must end').toBeLessThan(50);
      const answer = parseMentions(result.text, team, member).mentions;
      wake({ id: `${position}/0`, sender: member, text: result.text, mentions: answer }, []);
    }
  }
  return said;
}

function withScript(script: JsonValue): TeamFile {
  return { ...demo, members: demo.members.map((member) => ({ ...member, script })) };
}

describe('the demo team', () => {
  test('its suggestion plays the whole exchange and ends with a summary that mentions nobody', async () => {
    const review = 'Reviewed team/writer/1/0: Please review: Prepare a release note.';
    expect(await converse(demo, demo.suggestion ?? '')).toEqual([
      ['lead', '@writer Prepare a release note.'],
      ['writer', '@reviewer Please review: Prepare a release note.'],
      ['reviewer', `@writer ${review}`],
      ['writer', `@lead Finished Prepare a release note.: ${review}`],
      ['lead', `The release note is done. Writer reports: Finished Prepare a release note.: ${review}`],
    ]);
  });

  test('"hello" is answered by the lead, who says what the team can do', async () => {
    const said = await converse(demo, 'hello');
    expect(said).toEqual([
      ['lead', expect.stringContaining('Hello! I am Lead, and I lead this team with Writer and Reviewer.') as string],
    ]);
  });

  test('a mentioned reviewer answers the person and hands nothing on', async () => {
    expect(await converse(demo, '@reviewer Is this good?')).toEqual([
      ['reviewer', expect.stringContaining('“Is this good?”') as string],
    ]);
  });

  test('a mentioned writer asks the reviewer, and the reply gives it its next turn', async () => {
    expect(await converse(demo, '@writer Announce 2.0')).toEqual([
      ['writer', '@reviewer Please review: Announce 2.0'],
      ['reviewer', '@writer Reviewed team/writer/1/0: Please review: Announce 2.0'],
      ['writer', 'Finished Announce 2.0: Reviewed team/writer/1/0: Please review: Announce 2.0'],
    ]);
  });

  test('who asked the last time does not count the next time', async () => {
    const said = await converse(demo, 'Prepare a release note.', '@writer Announce 2.0');
    expect(said.at(-1)).toEqual(['writer', expect.stringMatching(/^Finished Announce 2\.0: /) as string]);
  });

  test.each([
    ['anything else', 'What is the weather?', ['lead']],
    ['a quotation of a mention', 'Why did `@writer` say "see ops@reviewer.dev"?', ['lead']],
    ['a mention without words', '@writer', ['writer']],
    ['two mentions without words', '@reviewer and @writer!', ['reviewer', 'writer']],
    ['everybody at once', '@all hello', ['lead', 'writer', 'reviewer', 'reviewer', 'writer']],
    ['a name that nobody has', '@ghost help', ['lead']],
  ])('%s is answered: %s', async (_title, text, members) => {
    const said = await converse(demo, text);
    expect(said.map(([member]) => member)).toEqual(members);
    expect(said.every(([, answer]) => answer.trim() !== '')).toBe(true);
    expect(said.map(([, answer]) => parseMentions(answer, demo).unresolved).flat()).toEqual([]);
    expect(await converse(demo, text)).toEqual(said);
  });

  test('whatever is posted, every chain ends within the eight hops of the default, and quotes wake nobody', async () => {
    const word = fc.constantFrom(
      '@writer',
      '@reviewer',
      '@lead',
      '@all',
      '@ghost',
      'release note',
      'hello',
      '`@writer`',
      '> @reviewer',
      '```',
      '\n',
      ',',
      'and',
      '{text}',
      '\\@lead',
      '(@Reviewer)',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 8 }), async (words) => {
        const text = words.join(' ');
        const asked = parseMentions(text, demo, 'you').mentions;
        const said = await converse(demo, text);
        expect(said.length).toBeLessThanOrEqual(Math.max(1, asked.length) + 8);
      }),
      { numRuns: 200 },
    );
  });

  test('no name of its members stands in the sources', () => {
    const files = ['src', 'webview'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:ts|tsx|css|json)$/.test(name))
        .map((name) => join(ROOT, folder, name)),
    );
    expect(files.length).toBeGreaterThan(10);
    const naming = /["'`@](?:release-note|(?:writer|reviewer)\b)/i;
    expect(naming.test("say('writer')")).toBe(true);
    expect(files.filter((file) => naming.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

describe('scripts', () => {
  const answerOf = async (script: JsonValue, ...triggers: readonly GivenPost[]): Promise<TurnResult> =>
    engine.runTurn(turnInput(withScript(script), 'writer', triggers), stage());

  test('the first rule that fits answers', async () => {
    const script = [
      { when: { from: 'reviewer' }, say: 'reviewer' },
      { when: { from: 'lead' }, say: 'lead' },
      { when: { contains: ['hi'] }, say: 'hi' },
      { when: { from: 'you', first: false }, say: 'never' },
      { say: 'any' },
    ];
    expect((await answerOf(script, post('x', 'reviewer'))).text).toBe('reviewer');
    expect((await answerOf(script, post('x', 'lead'))).text).toBe('lead');
    expect((await answerOf(script, post('@writer, HI!'))).text).toBe('hi');
    expect((await answerOf(script, post('this'))).text).toBe('any');
  });

  test('several posts that woke one turn are answered one after the other, in one post', async () => {
    const script = [{ say: '{id} {last}', remember: { last: '{id}' } }];
    expect(await answerOf(script, post('a', 'you', 'p1'), post('b', 'lead', 'p2'))).toMatchObject({
      text: 'p1 {last}\n\np2 p1',
      data: { remembered: { last: 'p2' } },
    });
  });

  test('a variable never brings a mention in, whatever stood around it', async () => {
    const { text } = await answerOf([{ say: '{text}' }], post('so: > @reviewer `@lead` @all'));
    expect(parseMentions(text, demo, 'writer')).toMatchObject({ mentions: [], unresolved: [] });
  });

  test('without a rule that fits, the answer quotes the post, says what it is, and mentions nobody', async () => {
    const { text } = await answerOf(null, post('@writer, tell @lead ' + 'a'.repeat(500)));
    expect(text).toMatch(/^I am Writer, and I have read what you wrote: “tell lead a+…” .*offline scripted engine/);
    expect(parseMentions(text, demo, 'writer').mentions).toEqual([]);
  });

  test.each([
    ['text', '"script"', 'x'],
    ['a rule without words', '"script/0/say"', [{ when: {} }]],
    ['a condition that nobody knows', '"script/0/when/form"', [{ when: { form: 'you' }, say: '' }]],
  ])('%s is refused, with the place', async (_title, where, script) => {
    await expect(answerOf(script, post('x'))).rejects.toThrow(`The script of Writer cannot be played. At ${where}: `);
  });
});

describe('a turn', () => {
  const script = [{ think: ['one {quote}', 'two'], say: 'done' }];

  test('reports its thoughts while it lasts, and then answers', async () => {
    const clock = new HandClock();
    const run = stage();
    const turn = createScriptedEngine({ clock }).runTurn(turnInput(withScript(script), 'writer', [post('x')]), run);
    expect(run.steps).toMatchObject([{ kind: 'thought', text: 'one “x”' }]);
    for (let pauses = 0; pauses < 3; pauses += 1) {
      await clock.nextTimer({ orSet: true });
      clock.fire();
      await new Promise(setImmediate);
    }
    expect(run.steps).toMatchObject([
      { kind: 'thought', text: 'one “x”' },
      { kind: 'thought', text: 'two' },
    ]);
    expect((await turn).text).toBe('done');
    expect(clock.elapsed()).toBe(600);
  });

  test('ends with an AbortError when it is aborted, leaves no timer, and says what it used', async () => {
    const clock = new HandClock();
    const run = stage();
    const turn = createScriptedEngine({ clock }).runTurn(turnInput(withScript(script), 'writer', [post('x')]), run);
    run.stop();
    await expect(turn).rejects.toMatchObject({ name: 'AbortError' });
    expect(clock.isSet).toBe(false);
    expect(run.steps).toMatchObject([{ kind: 'thought' }, { kind: 'usage', usage: { reportedCost: 0 } }]);
  });

  test('does not begin when it is aborted already', async () => {
    const run = stage();
    run.stop();
    const turn = engine.runTurn(turnInput(withScript(script), 'writer', [post('x')]), run);
    await expect(turn).rejects.toMatchObject({ name: 'AbortError' });
    expect(run.steps).toEqual([]);
  });
});
