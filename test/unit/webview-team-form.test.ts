// The form of the team: what a person fills in stays theirs, whatever the host says in between.
import { describe, expect, test } from 'vitest';
import { LIMIT_KEYS } from '../../src/core/team/limits.js';
import { parseHostMessage, parsePanelMessage, type PanelMessage } from '../../src/protocol/messages.js';
import type { FormMember, FormProblem, TeamForm } from '../../src/protocol/team-form.js';
import { createFormDesk } from '../../webview/team-form/desk.js';
import {
  fill,
  inForce,
  isChanged,
  limitOf,
  openForm,
  toSave,
  type FormInput,
  type FormState,
} from '../../webview/team-form/form.js';
import { nameOf, problemsOf, shownProblems } from '../../webview/team-form/problems.js';
import { inForceWords, placeWords } from '../../webview/team-form/words.js';

const member = (id: string, more: Partial<FormMember> = {}): FormMember => ({
  key: id,
  id,
  name: '',
  role: `${id}'s role`,
  brief: `${id}'s brief`,
  icon: '',
  engine: 'scripted',
  isNew: false,
  ...more,
});
const form = (more: Partial<TeamForm> = {}): TeamForm => ({
  teamId: 'release',
  name: 'Release',
  stamp: 's1',
  place: { kind: 'file', path: '.vscode/teams/release.team.json' },
  isInForce: true,
  lead: 'lead',
  members: [member('lead'), member('writer'), member('eye')],
  limits: LIMIT_KEYS.map((key) => ({
    key,
    written: key === 'hopCap' ? 6 : null,
    others: { key, value: key === 'costCeiling' ? null : 5, source: 'default' },
  })),
  engines: [{ id: 'scripted', label: 'Scripted' }],
  problems: [],
  ...more,
});
const play = (inputs: readonly FormInput[], start: FormState = openForm(form())): FormState =>
  inputs.reduce(fill, start);
const ids = ({ members }: FormState): string[] => members.map(({ key }) => key);
const write = (key: string, field: 'id' | 'name' | 'role' | 'icon' | 'brief', value: string): FormInput => ({
  kind: 'field',
  key,
  field,
  value,
});
const at = (state: FormState, key: string): FormMember | undefined => state.members.find((row) => row.key === key);
const placesOf = (problems: readonly FormProblem[]): unknown[] => problems.map(({ place }) => place);

describe('filling in', () => {
  test('a form as it was opened, or put back to that, has nothing to be saved', () => {
    expect(isChanged(openForm(form()))).toBe(false);
    const there = play([write('writer', 'brief', 'x'), { kind: 'move', key: 'eye', by: -1 }]);
    expect(isChanged(there)).toBe(true);
    const back = play([write('writer', 'brief', "writer's brief"), { kind: 'move', key: 'eye', by: 1 }], there);
    expect(isChanged(back)).toBe(false);
  });

  test('members are added open and at the end, moved and removed; a new row never gets the key of another one', () => {
    const state = play([
      { kind: 'add' },
      { kind: 'add' },
      { kind: 'remove', key: 'new/1' },
      { kind: 'add' },
      { kind: 'move', key: 'new/3', by: -1 },
      { kind: 'move', key: 'lead', by: -1 },
      { kind: 'remove', key: 'writer' },
    ]);
    expect(ids(state)).toEqual(['lead', 'eye', 'new/3', 'new/2']);
    expect(state.open).toContain('new/3');
  });

  test('what is sent has the whole form; an emptied limit is none', () => {
    const state = play([
      { kind: 'add' },
      write('new/1', 'id', 'dev'),
      { kind: 'lead', key: 'new/1' },
      { kind: 'limit', key: 'hopCap', value: ' ' },
      { kind: 'limit', key: 'costCeiling', value: '2.5' },
    ]);
    const message = toSave(state, 'running');
    expect(parsePanelMessage(message)).toEqual(message);
    expect(message).toMatchObject({ lead: 'new/1', stamp: 's1', teamId: 'release', apply: 'running' });
    expect(message.members.at(-1)).toMatchObject({ id: 'dev', isNew: true, engine: 'scripted' });
    expect(message.limits.slice(0, 2)).toEqual([
      { key: 'hopCap', value: null },
      { key: 'costCeiling', value: 2.5 },
    ]);
  });

  test('the protocol refuses what is longer than a form can be', () => {
    const long = { ...toSave(openForm(form()), 'new'), members: [member('lead', { brief: 'x'.repeat(100_001) })] };
    expect(parsePanelMessage(long)).toBeNull();
  });

  test.each([
    ['', 'unset'],
    ['8', 8],
    [' 8 ', 8],
    ['1.5', 'bad'],
    ['-1', 'bad'],
    ['1e3', 'bad'],
    ['٣', 'bad'],
    ['9007199254740993', 'bad'],
  ])('a limit of whole numbers reads %j as %j', (text, value) => {
    expect(limitOf('hopCap', text)).toBe(value);
  });

  test('the limit in force is the lower of the file and of the others', () => {
    const typed = (value: string) => inForce(play([{ kind: 'limit', key: 'hopCap', value }]), 'hopCap');
    expect(typed('3')).toEqual({ key: 'hopCap', value: 3, source: 'team' });
    expect(typed('6')).toEqual({ key: 'hopCap', value: 5, source: 'default' });
    expect(typed('')).toMatchObject({ value: 5, source: 'default' });
    expect(inForceWords({ key: 'costCeiling', value: null, source: 'user' })).toBe(
      'In force: no limit (your settings)',
    );
  });
});

describe('what is wrong', () => {
  const wrong: readonly [title: string, inputs: readonly FormInput[], place: FormProblem['place']][] = [
    ['a reserved name', [write('eye', 'name', 'all')], { kind: 'member', key: 'eye', field: 'name' }],
    ['the name of another one', [write('eye', 'name', 'WRITER')], { kind: 'member', key: 'eye', field: 'name' }],
    ['an icon that is none', [write('eye', 'icon', 'A B')], { kind: 'member', key: 'eye', field: 'icon' }],
    [
      'an id that is none',
      [{ kind: 'add' }, write('new/1', 'id', 'Dev')],
      { kind: 'member', key: 'new/1', field: 'id' },
    ],
    [
      'an id that is used',
      [{ kind: 'add' }, write('new/1', 'id', 'eye')],
      { kind: 'member', key: 'new/1', field: 'id' },
    ],
    ['no lead', [{ kind: 'remove', key: 'lead' }], { kind: 'lead' }],
    ['no number', [{ kind: 'limit', key: 'concurrency', value: 'two' }], { kind: 'limit', key: 'concurrency' }],
  ];
  test.each(wrong)('%s is said at once, at its place', (_title, inputs, place) => {
    expect(placesOf(shownProblems(play(inputs)))).toContainEqual(place);
  });

  test('that something is missing is said only once a save was tried', () => {
    const added = play([{ kind: 'add' }]);
    expect(shownProblems(added)).toEqual([]);
    const tried = play([{ kind: 'tried', keys: ['new/1'] }], added);
    expect(placesOf(shownProblems(tried))).toEqual([
      { kind: 'member', key: 'new/1', field: 'id' },
      { kind: 'member', key: 'new/1', field: 'role' },
    ]);
  });

  test('a team as it was opened has no problems, and a name that is not written is made from the id', () => {
    expect(problemsOf(openForm(form()))).toEqual([]);
    expect(nameOf(member('writer'))).toBe('Writer');
  });

  test("the host's words stand until their field is changed, and its row is opened for them", () => {
    const said: FormProblem = { place: { kind: 'member', key: 'eye', field: 'role' }, message: 'No.' };
    const refused = play([{ kind: 'refused', problems: [said], form: null }]);
    expect(refused).toMatchObject({ saving: null, open: ['eye'] });
    expect(shownProblems(refused)).toEqual([said]);
    expect(shownProblems(play([write('eye', 'brief', 'x')], refused))).toEqual([said]);
    expect(shownProblems(play([write('eye', 'role', 'x')], refused))).toEqual([]);
  });
});

describe('the file was changed meanwhile', () => {
  const now = form({
    stamp: 's2',
    lead: 'writer',
    members: [member('new'), member('writer', { role: 'theirs' }), member('lead', { brief: 'theirs' })],
  });
  const conflict = (inputs: readonly FormInput[]): FormState =>
    play([...inputs, { kind: 'refused', problems: [], form: now }]);

  test('without changes of the person, the form is the file', () => {
    expect(conflict([])).toMatchObject({ base: now, members: now.members, lead: 'writer' });
    expect(isChanged(conflict([]))).toBe(false);
  });

  test('what the person changed stays, the rest is the file’s, and where both changed it the file’s is said', () => {
    const state = conflict([
      write('writer', 'role', 'mine'),
      write('writer', 'name', 'Wilma'),
      { kind: 'limit', key: 'concurrency', value: '2' },
    ]);
    expect(ids(state)).toEqual(['new', 'writer', 'lead']);
    expect(at(state, 'writer')).toMatchObject({ role: 'mine', name: 'Wilma' });
    expect(at(state, 'lead')).toMatchObject({ brief: 'theirs' });
    expect(state.limits.concurrency).toBe('2');
    expect(state.problems).toEqual([
      { place: { kind: 'member', key: 'writer', field: 'role' }, message: 'The file says “theirs” now.' },
    ]);
    expect(toSave(state, 'new').stamp).toBe('s2');
  });

  test('a member that left the file is kept as a new one where it was worked on', () => {
    const state = conflict([write('eye', 'brief', 'mine')]);
    expect(at(state, 'eye')).toMatchObject({ brief: 'mine', isNew: true });
    expect(placesOf(state.problems)).toEqual([{ kind: 'member', key: 'eye', field: 'id' }]);
    expect(ids(conflict([]))).not.toContain('eye');
  });

  test('rows that the person added, removed or moved stay so', () => {
    const state = conflict([{ kind: 'add' }, { kind: 'remove', key: 'lead' }]);
    expect(ids(state)).toEqual(['new', 'writer', 'new/1']);
    expect(ids(conflict([{ kind: 'move', key: 'writer', by: -1 }]))).toEqual(['writer', 'lead', 'new']);
  });
});

describe('the form and its host', () => {
  function desk(saved: Parameters<typeof createFormDesk>[2] = null) {
    const sent: PanelMessage[] = [];
    const made = createFormDesk(
      (message) => sent.push(message),
      () => undefined,
      saved,
    );
    return { sent, made };
  }
  const opened = () => {
    const both = desk();
    both.made.hear({ type: 'teamForm', form: form() });
    return both;
  };

  test('it opens with the host’s answer and closes when that is saved', () => {
    const { made, sent } = desk();
    made.ask();
    expect(made.state.value).toBeNull();
    const answer = { type: 'teamForm' as const, form: form() };
    expect(parseHostMessage(answer)).toEqual(answer);
    made.hear(answer);
    made.act(write('eye', 'role', 'Sees'));
    expect(made.save('new')).toBe(true);
    expect(made.save('new')).toBe(true);
    expect(sent.map(({ type }) => type)).toEqual(['configureTeam', 'saveTeam']);
    made.hear({ type: 'teamFormSaved', teamId: 'release' });
    expect(made.state.value).toBeNull();
  });

  test('what cannot be right is not sent; the rows with problems open', () => {
    const { made, sent } = opened();
    made.act({ kind: 'add' });
    made.act({ kind: 'toggle', key: 'new/1' });
    expect(made.save('running')).toBe(false);
    expect(sent).toEqual([]);
    expect(made.state.value).toMatchObject({ tried: true, saving: null, open: ['new/1'] });
  });

  test('leaving asks when something was changed, and not otherwise', () => {
    const { made } = opened();
    made.leave();
    expect(made.state.value).toBeNull();
    made.hear({ type: 'teamForm', form: form() });
    made.act(write('eye', 'role', 'Sees'));
    made.leave();
    expect(made.state.value?.asking).toBe(true);
    made.drop();
    expect(made.state.value).toBeNull();
  });

  test('WV-7 what was filled in comes back after a reload, and the file is asked for anew', () => {
    const { made } = opened();
    made.act(write('eye', 'role', 'Sees'));
    const kept = JSON.parse(JSON.stringify(made.saved())) as NonNullable<ReturnType<typeof made.saved>>;
    const next = desk(kept);
    expect(next.sent).toEqual([{ type: 'configureTeam' }]);
    expect(next.made.state.value).toMatchObject({ saving: null, tried: false });
    next.made.hear({ type: 'teamForm', form: form({ stamp: 's2' }) });
    expect(next.made.state.value?.members.at(-1)?.role).toBe('Sees');
    expect(next.made.state.value?.base.stamp).toBe('s2');
  });

  test('the form of another team takes the place of an untouched one only', () => {
    const { made } = opened();
    made.act(write('eye', 'role', 'Sees'));
    made.hear({ type: 'teamForm', form: form({ teamId: 'other' }) });
    expect(made.state.value).toMatchObject({ asking: true, base: { teamId: 'release' } });
    made.act(write('eye', 'role', "eye's role"));
    made.hear({ type: 'teamForm', form: form({ teamId: 'other' }) });
    expect(made.state.value).toMatchObject({ asking: false, base: { teamId: 'other' } });
  });

  test('where the file is, and what saving makes, is said', () => {
    const path = '.vscode/teams/release.team.json';
    expect(placeWords(form())).toBe(path);
    expect(placeWords(form({ place: { kind: 'new', path, from: 'demo' } }))).toContain(`Saving makes ${path}.`);
  });
});
