// What the preview shows: one snapshot or problem per scene, and what is done with it before the picture is taken.
const MEMBERS = [
  ['lead', 'Ada', 'Leads the team and sums up', { kind: 'codicon', id: 'compass' }],
  ['writer', 'Writer', 'Drafts release notes from the change log', { kind: 'codicon', id: 'edit' }],
  ['reviewer', 'Reviewer', 'Checks every claim against the code', { kind: 'codicon', id: 'eye' }],
  ['tester', 'Grace Hopper', 'Runs the tests', { kind: 'letters', letters: 'GH' }],
];

export const NO_USAGE = { turns: 0, unknownCost: 0, cost: 0, inputTokens: 0, outputTokens: 0, mismatches: 0 };
export const SOME_USAGE = { ...NO_USAGE, turns: 7, cost: 0.4213, inputTokens: 184_210, outputTokens: 9_120 };

function members(changes = {}) {
  return MEMBERS.map(([id, name, role, icon]) => ({
    id,
    name,
    role,
    icon,
    isLead: id === 'lead',
    engine: 'Scripted (offline)',
    status: 'idle',
    since: null,
    position: null,
    roomId: null,
    queued: 0,
    usage: { ...NO_USAGE },
    failure: null,
    ...changes[id],
  }));
}

function conversation(changes = {}, statuses = {}) {
  return {
    runId: 'run-1',
    teamId: 'release',
    teamName: 'Release team',
    title: 'Prepare a release note.',
    isArchived: false,
    forkOf: null,
    members: members(statuses),
    rooms: [
      {
        id: 'main',
        name: 'release',
        kind: 'public',
        members: MEMBERS.map(([id]) => id),
        contact: 'lead',
        suggestion: 'Prepare a release note.',
      },
      { id: 'drafts', name: 'drafts', kind: 'private', members: ['lead', 'writer'], contact: 'lead', suggestion: null },
      { id: 'ada', name: 'Ada', kind: 'direct', members: ['lead'], contact: 'lead', suggestion: null },
    ],
    runner: 'here',
    busy: false,
    stopping: false,
    waits: [],
    limits: [],
    usage: { ...NO_USAGE },
    tasks: { blocked: 0, ready: 0, in_progress: 0, completed: 0 },
    waiting: 0,
    readOnly: null,
    ...changes,
  };
}

export function snapshot(posts, changes, statuses) {
  return {
    type: 'snapshot',
    hostEpoch: 'epoch-1',
    revision: 100,
    conversation: conversation(changes, statuses),
    roomId: 'main',
    posts: posts.map((post, index) => ({
      id: `post-${index}`,
      roomId: 'main',
      revision: index + 1,
      index: 0,
      to: [],
      unresolved: [],
      hop: null,
      blocks: null,
      position: post.sender.kind === 'member' ? `${post.sender.id}/${index}` : null,
      answers: [],
      isAcknowledgement: false,
      isInherited: false,
      at: at(post.minute ?? index),
      ...Object.fromEntries(Object.entries(post).filter(([key]) => key !== 'minute')),
    })),
    hasOlder: false,
    drafts: {},
    live: [],
  };
}

const at = (minute) => new Date(Date.now() - 40 * 60_000 + minute * 60_000).toISOString();
export const you = { kind: 'person' };
export const by = (id) => ({ kind: 'member', id });
export const hop = (n) => ({ hop: n, cap: 8 });

export const TALK = [
  {
    sender: you,
    text: 'Prepare a release note.',
    to: ['lead'],
    at: new Date(Date.now() - 26 * 3_600_000).toISOString(),
  },
  {
    sender: by('lead'),
    text: '@Writer please draft a note for 2.4. Keep it to what users can see.',
    to: ['writer'],
    hop: hop(0),
  },
  {
    sender: by('writer'),
    text: 'Here is a first draft.\n\n2.4 brings rooms you can pin, a faster search, and fixes for three crashes.\n\n@Reviewer could you check the claim about search?',
    to: ['reviewer'],
    hop: hop(1),
  },
  {
    sender: by('reviewer'),
    text: 'Search is 2.1 times as fast on the large sample, not three times. The rest holds. @writer',
    to: ['writer'],
    hop: hop(2),
  },
  { sender: by('writer'), text: 'Thank you, corrected: “search is twice as fast”.', hop: hop(3) },
  { sender: by('writer'), text: 'The note stands in docs/release-2.4.md.', hop: hop(3), minute: 5 },
  { sender: { kind: 'notice' }, text: 'Stopped after 8 hops: @Reviewer was next.' },
  { sender: you, text: '@tester @ghost does the suite pass?', to: ['tester'], unresolved: ['ghost'] },
  { sender: by('tester'), text: 'All 412 tests pass on main.', hop: hop(0) },
];

const LONG = [
  {
    sender: you,
    text: `Supercalifragilisticexpialidocious${'overlong'.repeat(40)}`,
    to: ['lead', 'writer', 'reviewer', 'tester'],
  },
  {
    sender: by('writer'),
    text:
      'https://example.com/a/very/long/path/that/never/ends/'.repeat(6) +
      '\n\tindented\n    <img src=x onerror=alert(1)>',
    hop: hop(1),
  },
  { sender: { kind: 'notice' }, text: `No member called @${'ghost'.repeat(60)}.` },
];

export const now = () => new Date(Date.now() - 12_000).toISOString();
const LONG_NAMES = { lead: { name: `Ada${'-von-und-zu'.repeat(8)}`, role: 'role '.repeat(40) } };

/** Each scene: the host's answer to `ready`, the size, and keys or text to type. */
export const SCENES = {
  empty: { answer: () => snapshot([]) },
  talk: { answer: () => snapshot(TALK) },
  running: {
    answer: () =>
      snapshot(TALK.slice(0, 3), {}, { reviewer: { status: 'running', since: now() }, tester: { status: 'queued' } }),
  },
  interrupted: {
    answer: () =>
      snapshot(
        TALK.slice(0, 4),
        {
          waiting: 2,
          waits: [
            {
              kind: 'turn',
              how: 'interrupted',
              memberId: 'writer',
              position: 'writer/2',
              roomId: 'main',
              message: null,
            },
          ],
        },
        {
          writer: { status: 'interrupted', position: 'writer/2' },
          tester: { status: 'failed', failure: 'The engine did not answer within 30 minutes.' },
        },
      ),
  },
  elsewhere: { answer: () => snapshot(TALK, { runner: 'elsewhere' }) },
  long: { answer: () => snapshot(LONG, { teamName: 'Team'.repeat(30) }, LONG_NAMES) },
  mention: { answer: () => snapshot(TALK), type: 'Could @re' },
  all: { answer: () => snapshot(TALK), type: '@' },
  hint: { answer: () => snapshot(TALK), type: '@reviewer and @writer and @nobody please look\nat this' },
  sending: { answer: () => snapshot(TALK.slice(0, 2)), type: 'Make it shorter.', press: 'Enter' },
  refused: { answer: () => snapshot(TALK.slice(0, 2)), type: 'Make it shorter.', press: 'Enter', refuse: true },
  problem: {
    answer: () => ({
      type: 'problem',
      hostEpoch: 'epoch-1',
      problem: {
        title: 'The team file could not be read.',
        detail:
          'teams/release.team.json, line 12: “hopCap” must be a whole number, 0 or more.\nMend the file, then try again.',
        actions: ['openTeamFile', 'retry', 'showLog'],
      },
    }),
  },
  waiting: { answer: () => null },
  side: {
    answer: () => snapshot(TALK, {}, { writer: { status: 'running', since: now() } }),
    click: '.side-toggle',
    width: 300,
  },
};

let sequence = 0;
const piece = (second, step, place = {}) => ({
  sequence: sequence++,
  id: `step/${sequence}`,
  parent: null,
  isOpen: false,
  at: new Date(Date.now() - 600_000 + second * 1000).toISOString(),
  step,
  ...place,
});
const FILE = Array.from({ length: 60 }, (_, line) => `${line + 1}: export const limit${line} = ${line * 7};`).join(
  '\n',
);

function steps() {
  sequence = 0;
  return [
    piece(
      0,
      { kind: 'thought', text: 'The claim is “three times as fast”. I look at the benchmark before I say ' },
      { id: 't1', isOpen: true },
    ),
    piece(3, { kind: 'thought', text: 'anything about it, and at the change that made it.' }, { id: 't1' }),
    piece(3, {
      kind: 'plan',
      entries: [
        { text: 'Find the benchmark of the search', status: 'completed' },
        { text: 'Run it on the large sample', status: 'in_progress' },
        { text: 'Compare it with the note', status: 'pending' },
      ],
    }),
    piece(4, { kind: 'tool-call', name: 'grep', input: '{"pattern":"bench.*search","path":"bench"}' }, { id: 'c1' }),
    piece(4.24, {
      kind: 'tool-result',
      callId: 'c1',
      text: 'bench/search.ts:12: bench("search, large sample")',
      isError: false,
    }),
    piece(
      5,
      {
        kind: 'tool-call',
        name: 'agent',
        input: JSON.stringify(
          { task: 'Run the benchmark three times and tell the median.', folder: 'bench', limit: 120, attempts: 3 },
          null,
          2,
        ),
      },
      { id: 'c2' },
    ),
    piece(6, { kind: 'thought', text: 'First a warm-up.' }, { parent: 'c2' }),
    piece(7, { kind: 'tool-call', name: 'read_file', input: '{"path":"src/limits.ts"}' }, { id: 'c3', parent: 'c2' }),
    piece(8, { kind: 'tool-result', callId: 'c3', text: FILE, isError: false }, { parent: 'c2' }),
    piece(
      9,
      { kind: 'tool-call', name: 'run', input: '{"command":"npm run bench -- search"}' },
      { id: 'c4', parent: 'c2' },
    ),
    piece(
      50,
      { kind: 'tool-result', callId: 'c4', text: 'bench: <b>not</b> found in PATH\nexit code 127', isError: true },
      { parent: 'c2' },
    ),
    piece(51, { kind: 'tool-result', callId: 'c2', text: 'median 2.1 ×', isError: false }),
    piece(52, { kind: 'text', text: 'Search is 2.1 times as fast on the large sample, not three times.' }),
    piece(53, { kind: 'error', message: 'This step was not saved: it is too large.' }),
    piece(53, { kind: 'usage', inputTokens: 48_210, outputTokens: 1_204, cost: 0.1834, model: 'scripted-1' }),
  ];
}

export const reasoning = (changes = {}) => ({
  reasoning: [
    {
      type: 'reasoning',
      after: null,
      isPush: false,
      steps: steps(),
      hasMore: false,
      isRunning: false,
      isPartial: false,
      problem: null,
      ...changes,
    },
  ],
});
const many = () =>
  Array.from({ length: 200 }, (_, index) => piece(index, { kind: 'thought', text: `Thought number ${index + 1}.` }));

const ITEMS = [
  ['run-1', 'Prepare a release note.', null, 2, { isOpen: true, isRunning: true }],
  [
    'run-2',
    'Why does search time out on Mondays?',
    'Search timed out again this morning for three customers, all of them in the second region.',
    40,
    { waits: 2 },
  ],
  ['run-3', null, null, 300, {}],
  [
    'run-4',
    'Research: which queue?',
    'Compare the four queues that are on the table and say which one you would take.',
    3000,
    { waits: 1 },
  ],
  ['run-5', 'Old incident', null, 90_000, { problem: 'It was written by a newer version of Teamroom.' }],
  ['run-6', 'Supercalifragilistic'.repeat(8), 'x'.repeat(300), 9000, {}],
];
const conversations = (changes = {}) => ({
  conversations: [
    {
      type: 'conversations',
      query: '',
      archived: false,
      hasMore: false,
      items: ITEMS.map(([runId, title, preview, minutes, more]) => ({
        runId,
        title,
        preview,
        teamName: 'Release team',
        activeAt: new Date(Date.now() - minutes * 60_000).toISOString(),
        waits: 0,
        isRunning: false,
        isArchived: false,
        isOpen: false,
        problem: null,
        ...more,
      })),
      ...changes,
    },
  ],
});
const BUSY = {
  writer: { status: 'running', since: now(), position: 'writer/9', queued: 2 },
  reviewer: { status: 'stopped', position: 'reviewer/3', usage: SOME_USAGE },
  tester: { status: 'failed', position: 'tester/8', failure: 'The engine did not answer within 30 minutes.' },
  lead: { status: 'stopping', position: 'lead/1' },
};

Object.assign(SCENES, {
  reasoning: {
    answer: () => snapshot(TALK.slice(0, 4)),
    replies: reasoning,
    click: '[data-reasoning="reviewer/3"] > button',
  },
  'reasoning-running': {
    answer: () => snapshot(TALK.slice(0, 4), { busy: true }, { reviewer: BUSY.writer }),
    replies: () => reasoning({ steps: steps().slice(0, 10), isRunning: true }),
    click: '.working .reasoning > button',
  },
  'reasoning-partial': {
    answer: () => snapshot(TALK.slice(0, 4)),
    replies: () => reasoning({ steps: steps().slice(0, 5), isPartial: true }),
    click: '[data-reasoning="reviewer/3"] > button',
  },
  'reasoning-many': {
    answer: () => snapshot(TALK.slice(0, 4)),
    replies: () => reasoning({ steps: many(), hasMore: true }),
    click: '[data-reasoning="reviewer/3"] > button',
  },
  'reasoning-problem': {
    answer: () => snapshot(TALK.slice(0, 4)),
    replies: () =>
      reasoning({
        steps: [],
        problem: 'The record of this turn cannot be read: the file is locked by another program.',
      }),
    click: '[data-reasoning="reviewer/3"] > button',
  },
  switcher: { answer: () => snapshot(TALK), replies: conversations, click: '.switcher-button' },
  'switcher-menu': {
    answer: () => snapshot(TALK),
    replies: conversations,
    click: ['.switcher-button', '[data-conversation="run-2"] .conversation-more'],
  },
  'switcher-empty': {
    answer: () => snapshot(TALK),
    replies: () => conversations({ items: [] }),
    click: '.switcher-button',
  },
  busy: {
    answer: () => snapshot(TALK, { busy: true, usage: SOME_USAGE }, BUSY),
    type: '@tester and @writer, @ghost and @Ada: look',
  },
  'busy-side': {
    answer: () => snapshot(TALK, { busy: true, usage: SOME_USAGE }, BUSY),
    click: '.side-toggle',
    width: 300,
  },
  everybody: { answer: () => snapshot(TALK, { busy: true, stopping: true }), type: 'hello @all of you' },
});

const LIMIT_KEYS = ['hopCap', 'costCeiling', 'turnsPerMember', 'concurrency', 'tailMessages', 'turnTimeoutMinutes'];
const DEFAULTS = {
  hopCap: 8,
  costCeiling: null,
  turnsPerMember: 16,
  concurrency: 4,
  tailMessages: 20,
  turnTimeoutMinutes: 30,
};
const teamForm = (changes = {}) => ({
  teamId: 'release',
  name: 'Release team',
  stamp: 'stamp',
  place: { kind: 'file', path: '.vscode/teams/release.team.json' },
  isInForce: true,
  lead: 'lead',
  members: MEMBERS.map(([id, name, role, icon]) => ({
    key: id,
    id,
    name: id === 'writer' ? '' : name,
    role,
    brief: `You are ${name}. ${role}. Say what you did in one paragraph, and hand over to the next by name.`,
    icon: icon.kind === 'codicon' ? icon.id : '',
    engine: id === 'tester' ? 'claude' : 'scripted',
    isNew: false,
  })),
  limits: LIMIT_KEYS.map((key) => ({
    key,
    written: key === 'hopCap' ? 6 : null,
    others: { key, value: DEFAULTS[key], source: key === 'concurrency' ? 'user' : 'default' },
  })),
  engines: [{ id: 'scripted', label: 'Scripted (offline)' }],
  problems: [],
  ...changes,
});
const form = (changes, refusal) => ({
  configureTeam: [{ type: 'teamForm', form: teamForm(changes) }],
  saveTeam: [{ type: 'teamFormRefused', teamId: 'release', form: null, problems: [], ...refusal }],
});
const SHOWN = { width: 300, click: ['.side-toggle', '[aria-label="Configure Team"]'] };
const refused = {
  problems: [
    {
      place: { kind: 'team' },
      message:
        'The file was changed meanwhile. What was changed there has been taken over here, and your changes are kept. Look it through, then save again.',
    },
    { place: { kind: 'member', key: 'reviewer', field: 'role' }, message: 'The file says “Checks everything” now.' },
  ],
};
const scenes = {
  form: { replies: () => form(), click: [] },
  'form-member': { replies: () => form(), click: ['[data-row="tester"] .form-member-toggle'] },
  'form-new': {
    replies: () => form({ place: { kind: 'new', path: '.vscode/teams/release.team.json', from: 'demo' } }),
    click: ['.form-part vscode-button', '.form-foot vscode-button:first-of-type'],
  },
  'form-refused': {
    replies: () => form({ isInForce: false }, refused),
    click: ['.form-foot vscode-button:first-of-type'],
  },
  'form-ask': {
    replies: () => form(),
    click: ['[data-row="writer"] .tool:last-child', '[aria-label="Back to the room"]'],
  },
};
for (const [name, scene] of Object.entries(scenes)) {
  SCENES[name] = {
    ...scene,
    answer: () => snapshot(TALK),
    width: 1100,
    click: ['[aria-label="Configure Team"]', ...scene.click],
  };
  SCENES[`${name}-narrow`] = { ...SCENES[name], width: 300, click: [...SHOWN.click, ...scene.click] };
}
