// What a scripted member does before it answers, how it writes its answer, and how it fails to: each is a key of a rule.
import { describe, expect, onTestFinished, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../../src/core/json.js';
import { parseTeamFile } from '../../src/core/team/team-file.js';
import { createScriptedEngine } from '../../src/engines/scripted/engine.js';
import { tokensOf } from '../../src/engines/scripted/tokens.js';
import { Conversation } from '../../src/runtime/conversation.js';
import type { EngineStep, GivenPost, TurnInput, TurnResult } from '../../src/runtime/ports/engine.js';
import type { TeamTool } from '../../src/runtime/tools/team-tool.js';
import { HandClock } from '../support/hand-clock.js';
import { events, host, memoryStorage, post as postTo, settled } from '../support/live-team.js';
import { givenPost, scriptedTeam, stage, turnInput } from '../support/scripted-turn.js';

const OFFLINE = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  reportedCost: 0,
};

const echo: TeamTool = {
  spec: { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' } },
  run: async (input) => ({ text: JSON.stringify(input), isError: false }),
};

function inputFor(rule: JsonValue, ...triggers: readonly GivenPost[]): TurnInput {
  const posts = triggers.length === 0 ? [givenPost('hello')] : triggers;
  return turnInput(scriptedTeam(Array.isArray(rule) ? rule : [rule]), 'ana', posts);
}

/** Plays a turn without pauses. */
async function played(
  rule: JsonValue,
  ...triggers: readonly GivenPost[]
): Promise<{ readonly result: TurnResult; readonly steps: readonly EngineStep[] }> {
  const run = stage([echo]);
  const result = await createScriptedEngine({ pauseMs: 0 }).runTurn(inputFor(rule, ...triggers), run);
  return { result, steps: run.steps };
}

/** Fires timers until the turn has ended. */
async function driven<Result>(turn: Promise<Result>, clock: HandClock): Promise<Result> {
  const state = { hasEnded: false };
  const end = (): void => void (state.hasEnded = true);
  turn.then(end, end);
  for (;;) {
    await new Promise(setImmediate);
    if (state.hasEnded) return turn;
    if (clock.isSet) clock.fire();
  }
}

describe('steps', () => {
  test('are reported in the order of the script, with their variables filled in, before the answer', async () => {
    const { result, steps } = await played({
      think: ['first {id}'],
      steps: [
        { think: 'then {quote}' },
        { plan: [{ text: 'answer {sender}', status: 'in_progress' }] },
        { error: 'no {member}' },
        { pauseMs: 0 },
      ],
      say: 'done',
    });
    expect(steps).toMatchObject([
      { kind: 'thought', text: 'first you/1/0' },
      { kind: 'thought', text: 'then “hello”' },
      { kind: 'plan', entries: [{ text: 'answer you', status: 'in_progress' }] },
      { kind: 'error', message: 'no Ana' },
    ]);
    expect(steps).toHaveLength(4);
    expect(result.text).toBe('done');
  });

  test('a call without a result is really made, and what it gives is reported', async () => {
    const input = { text: 'say {text}', list: ['{id}', 1, null, true] };
    const { steps } = await played({ steps: [{ call: 'echo', input }], say: '' });
    expect(steps).toMatchObject([
      { kind: 'tool-call', name: 'echo', input: { text: 'say hello', list: ['you/1/0', 1, null, true] } },
      { kind: 'tool-result', isError: false, text: '{"text":"say hello","list":["you/1/0",1,null,true]}' },
    ]);
  });

  test('a call of a tool that the team does not have is refused, and the turn goes on', async () => {
    const { steps, result } = await played({ steps: [{ call: 'fly' }], say: 'done' });
    expect(steps).toMatchObject([
      { kind: 'tool-call', name: 'fly', input: {} },
      { kind: 'tool-result', isError: true, text: expect.stringMatching(/^TOOL_NOT_FOUND: /) as string },
    ]);
    expect(result.text).toBe('done');
  });

  test('a call with a result is only told of, and what is done inside of it has it as its parent', async () => {
    const inner = { call: 'look', result: 'seen {id}', isError: true, steps: [{ think: 'closer' }] };
    const { steps } = await played({
      steps: [
        { call: 'search', input: { for: '{text}' }, result: 'found', steps: [{ call: 'echo' }, inner] },
        { think: 'out again' },
      ],
      say: '',
    });
    expect(steps).toEqual([
      { kind: 'tool-call', id: 'scripted/1', parent: null, name: 'search', input: { for: 'hello' } },
      { kind: 'tool-call', id: 'call/1', parent: 'scripted/1', name: 'echo', input: {} },
      { kind: 'tool-result', parent: 'scripted/1', callId: 'call/1', text: '{}', isError: false },
      { kind: 'tool-call', id: 'scripted/2', parent: 'scripted/1', name: 'look', input: {} },
      { kind: 'thought', parent: 'scripted/2', text: 'closer' },
      { kind: 'tool-result', parent: 'scripted/1', callId: 'scripted/2', text: 'seen you/1/0', isError: true },
      { kind: 'tool-result', parent: null, callId: 'scripted/1', text: 'found', isError: false },
      { kind: 'thought', parent: null, text: 'out again' },
    ]);
  });

  test('a variable never brings a mention into a step that a tool is given', async () => {
    const { steps } = await played(
      { steps: [{ call: 'echo', input: '{text}' }], say: '' },
      givenPost('so: > @ben @all'),
    );
    expect(steps[0]).toMatchObject({ input: 'so: > ben all' });
  });

  test('a flood reports as many numbered thoughts, and others get their turn meanwhile', async () => {
    const run = stage();
    const turn = createScriptedEngine({ pauseMs: 0 }).runTurn(
      inputFor({ steps: [{ flood: 500, text: 'no' }], say: '' }),
      run,
    );
    const soFar = run.steps.length;
    expect(soFar).toBeLessThan(500);
    await turn;
    expect(run.steps).toHaveLength(500);
    expect([run.steps[0], run.steps[499]]).toMatchObject([{ text: 'no 1' }, { text: 'no 500' }]);
  });

  test('a flood stops when the turn is aborted', async () => {
    const run = stage();
    const turn = createScriptedEngine({ pauseMs: 0 }).runTurn(inputFor({ steps: [{ flood: 100_000 }], say: '' }), run);
    run.stop();
    await expect(turn).rejects.toMatchObject({ name: 'AbortError' });
    expect(run.steps.length).toBeLessThan(100);
  });

  test('a call that takes long does not keep an aborted turn', async () => {
    const slow: TeamTool = { ...echo, run: () => new Promise(() => undefined) };
    const run = stage([slow]);
    const turn = createScriptedEngine({ pauseMs: 0 }).runTurn(inputFor({ steps: [{ call: 'echo' }], say: '' }), run);
    run.stop();
    await expect(turn).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('share the pause of the rule, except those that have their own', async () => {
    const clock = new HandClock();
    const seen: [number, string][] = [];
    const run = { ...stage(), step: (step: EngineStep) => void seen.push([clock.elapsed(), step.kind]) };
    const steps = [
      { think: 'a' },
      { plan: [], pauseMs: 5 },
      { flood: 1 },
      { call: 'look', result: '', steps: [{ think: 'b' }] },
      { pauseMs: 1000 },
      { error: 'c', pauseMs: 0 },
    ];
    await driven(createScriptedEngine({ clock }).runTurn(inputFor({ steps, say: 'x', pauseMs: 400 }), run), clock);
    expect(seen).toEqual([
      [0, 'thought'],
      [100, 'plan'],
      [105, 'thought'],
      [105, 'tool-call'],
      [105, 'thought'],
      [305, 'tool-result'],
      [1305, 'error'],
    ]);
    expect(clock.elapsed()).toBe(1405);
  });
});

describe('an answer that is streamed', () => {
  test('is reported in pieces of one id, the last of which closes it', async () => {
    const { result, steps } = await played({ say: 'Streaming, said {sender}.', stream: true });
    expect(result.text).toBe('Streaming, said you.');
    expect(steps).toEqual([
      { kind: 'text', id: 'answer', text: 'Streamin', isOpen: true },
      { kind: 'text', id: 'answer', text: 'g,', isOpen: true },
      { kind: 'text', id: 'answer', text: ' said', isOpen: true },
      { kind: 'text', id: 'answer', text: ' you.', isOpen: false },
    ]);
  });

  test.each(['', ' ', 'a', '  two\n\nlines \n', '漢字'.repeat(20), '👩‍👩‍👧 é\ud800', 'x'.repeat(100)])(
    'is cut so that its pieces are the text again: %j',
    (text) => {
      expect(tokensOf(text).join('')).toBe(text);
    },
  );

  test('comes at the pace that the script asks for', async () => {
    const clock = new HandClock();
    const rule = { say: 'a b c d', stream: 200, pauseMs: 0 };
    await driven(createScriptedEngine({ clock }).runTurn(inputFor(rule), stage()), clock);
    expect(clock.elapsed()).toBe(20);
  });

  test('takes no longer than the pause when the script asks for no pace', async () => {
    const clock = new HandClock();
    const rule = { think: ['one'], say: 'a b c d', stream: true, pauseMs: 800 };
    await driven(createScriptedEngine({ clock }).runTurn(inputFor(rule), stage()), clock);
    expect(clock.elapsed()).toBe(800);
  });

  test('stays open when the turn is aborted before its end', async () => {
    const clock = new HandClock();
    const run = stage();
    const turn = createScriptedEngine({ clock }).runTurn(inputFor({ say: 'a b c', stream: 1 }), run);
    await clock.nextTimer({ orSet: true });
    clock.fire();
    await clock.nextTimer({ orSet: true });
    run.stop();
    await expect(turn).rejects.toMatchObject({ name: 'AbortError' });
    expect(run.steps).toMatchObject([{ kind: 'text', text: 'a', isOpen: true }, { kind: 'usage' }]);
    expect(clock.isSet).toBe(false);
  });
});

describe('usage', () => {
  test('is nothing when the script says nothing: the engine is offline', async () => {
    expect((await played({ say: '' })).result.usage).toEqual(OFFLINE);
  });

  test('is what the script says; figures that it leaves out are unknown', async () => {
    const usage = { model: 'm-1', inputTokens: 12, cost: 0.5 };
    expect((await played({ say: '', usage })).result.usage).toMatchObject({
      model: 'm-1',
      inputTokens: 12,
      outputTokens: null,
      reportedCost: 0.5,
    });
  });

  test('is unknown when the script says null', async () => {
    expect((await played({ say: '', usage: null })).result).toEqual({ text: '' });
  });
});

describe('a turn that does not answer', () => {
  test('fails with the words of the script, after its steps and what it used', async () => {
    const run = stage();
    const rule = {
      steps: [{ think: 'hm' }],
      say: 'I begin',
      stream: true,
      fail: 'no {quote}',
      usage: { inputTokens: 3 },
    };
    await expect(createScriptedEngine({ pauseMs: 0 }).runTurn(inputFor(rule), run)).rejects.toThrow('no “hello”');
    expect(run.steps).toMatchObject([
      { kind: 'thought' },
      { kind: 'text', text: 'I', isOpen: true },
      { kind: 'text', text: ' begin', isOpen: true },
      { kind: 'usage', usage: { inputTokens: 3 } },
    ]);
  });

  test('fails once and answers when it is tried again', async () => {
    const rules = [{ when: { retried: false }, fail: 'not yet' }, { say: 'now' }];
    const engine = createScriptedEngine({ pauseMs: 0 });
    await expect(engine.runTurn(inputFor(rules), stage())).rejects.toThrow('not yet');
    const again = { ...inputFor(rules), retried: { code: 'TURN_FAILED' } };
    expect((await engine.runTurn(again, stage())).text).toBe('now');
  });

  test('hangs until it is aborted', async () => {
    const clock = new HandClock();
    const run = stage();
    const turn = createScriptedEngine({ clock, pauseMs: 0 }).runTurn(inputFor({ hang: true }), run);
    await new Promise(setImmediate);
    expect(clock.isSet).toBe(false);
    run.stop();
    await expect(turn).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('hangs for good when it ignores that, and holds no timer', async () => {
    const clock = new HandClock();
    const run = stage();
    const turn = createScriptedEngine({ clock, pauseMs: 0 }).runTurn(inputFor({ hang: true, ignoreAbort: true }), run);
    run.stop();
    await new Promise(setImmediate);
    expect(await Promise.race([turn, Promise.resolve('still there')])).toBe('still there');
    expect(clock.isSet).toBe(false);
  });

  test('answers all the same when it ignores its abort and does not hang', async () => {
    const clock = new HandClock();
    const run = stage();
    const turn = createScriptedEngine({ clock }).runTurn(inputFor({ say: 'late', ignoreAbort: true }), run);
    run.stop();
    expect((await driven(turn, clock)).text).toBe('late');
  });

  test('of several posts, the first that makes it fail is the last that it answers', async () => {
    const rules = [
      { when: { contains: ['bad'] }, fail: '{id}' },
      { steps: [{ think: '{id}' }], say: 'fine' },
    ];
    const run = stage();
    const posts = [givenPost('good', 'you', 'p1'), givenPost('bad', 'you', 'p2'), givenPost('good', 'you', 'p3')];
    await expect(createScriptedEngine({ pauseMs: 0 }).runTurn(inputFor(rules, ...posts), run)).rejects.toThrow('p2');
    expect(run.steps).toMatchObject([{ kind: 'thought', text: 'p1' }, { kind: 'usage' }]);
  });
});

describe('a script that is wrong', () => {
  const nested = { call: 'a', result: '', steps: [{ call: 'b', result: '', steps: [{ think: 1 }] }] };

  test.each([
    ['a key that no rule has', '"script/0/sleep"', { say: '', sleep: 1 }],
    ['a step of no kind', '"script/0/steps/0"', { say: '', steps: [{}] }],
    ['a misspelt step', '"script/0/steps/1"', { say: '', steps: [{ think: '' }, { thnk: '' }] }],
    ['a step of two kinds', '"script/0/steps/0/error"', { say: '', steps: [{ think: '', error: '' }] }],
    ['a wrong step deep inside', '"script/0/steps/0/steps/0/steps/0/think"', { say: '', steps: [nested] }],
    ['steps inside of a real call', '"script/0/steps/0/steps"', { say: '', steps: [{ call: 'echo', steps: [] }] }],
    [
      'a status that no plan has',
      '"script/0/steps/0/plan/0/status"',
      { say: '', steps: [{ plan: [{ text: '', status: 'x' }] }] },
    ],
    ['a flood of nothing', '"script/0/steps/0/flood"', { say: '', steps: [{ flood: 0 }] }],
    ['tokens that are no number', '"script/0/usage/inputTokens"', { say: '', usage: { inputTokens: '1' } }],
    ['a pace of nothing', '"script/0/stream"', { say: '', stream: 0 }],
    ['a rule that says nothing', '"script/0/say"', { steps: [] }],
    ['a rule that hangs and fails', '"script/0/fail"', { hang: true, fail: '' }],
    ['a program', '"script/0/child"', { say: '', child: { command: 'ls' } }],
  ])('%s is refused at %s', async (_title, where, rule) => {
    await expect(played(rule)).rejects.toThrow(`The script of Ana cannot be played. At ${where}: `);
  });
});

describe('the demo team in a conversation', () => {
  test('makes reasoning that is worth opening: thoughts, a plan, nested calls, and the room as it really is', async () => {
    const file = readFileSync(join(import.meta.dirname, '../../examples/release-note.team.json'), 'utf8');
    const team = parseTeamFile(file, 'release-note');
    const storage = memoryStorage();
    const window = host(storage, createScriptedEngine({ pauseMs: 0 }));
    const conversation = await Conversation.start(window, team, []);
    onTestFinished(() => conversation.close());
    await postTo(conversation, team.suggestion ?? '', 'release');
    await settled(conversation);
    expect(window.errors).toEqual([]);

    const reviewer = await events(storage, `${conversation.runId}.m.3`);
    const steps = reviewer.flatMap(({ type, payload }) => (type === 'step:recorded' ? [payload] : []));
    expect(steps).toMatchObject([
      { parent: null, step: { kind: 'thought' } },
      { id: 'scripted/1', parent: null, step: { kind: 'tool-call', name: 'check_draft' } },
      { parent: 'scripted/1', step: { kind: 'thought' } },
      { id: 'call/1', parent: 'scripted/1', step: { kind: 'tool-call', name: 'read_room_channel' } },
      {
        parent: 'scripted/1',
        step: { kind: 'tool-result', isError: false, text: expect.stringContaining(team.suggestion ?? '') as string },
      },
      { id: 'scripted/2', parent: 'scripted/1', step: { kind: 'tool-call' } },
      { parent: 'scripted/1', step: { kind: 'tool-result', callId: 'scripted/2', isError: false } },
      { parent: null, step: { kind: 'tool-result', callId: 'scripted/1', isError: false } },
      { parent: null, step: { kind: 'thought' } },
      { id: 'answer', isOpen: false, step: { kind: 'text' } },
      { step: { kind: 'final', usage: { reportedCost: 0 } } },
    ]);
    const lead = await events(storage, `${conversation.runId}.m.1`);
    expect(lead).toContainEqual(
      expect.objectContaining({
        payload: expect.objectContaining({ step: expect.objectContaining({ kind: 'plan' }) as object }) as object,
      }),
    );
  });
});
