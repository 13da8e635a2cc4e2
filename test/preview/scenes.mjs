// What the preview shows: one snapshot or problem per scene, and what is done with it before the picture is taken.
const MEMBERS = [
  ['lead', 'Ada', 'Leads the team and sums up', { kind: 'codicon', id: 'compass' }],
  ['writer', 'Writer', 'Drafts release notes from the change log', { kind: 'codicon', id: 'edit' }],
  ['reviewer', 'Reviewer', 'Checks every claim against the code', { kind: 'codicon', id: 'eye' }],
  ['tester', 'Grace Hopper', 'Runs the tests', { kind: 'letters', letters: 'GH' }],
];

const NO_USAGE = { turns: 0, unknownCost: 0, cost: 0, inputTokens: 0, outputTokens: 0, mismatches: 0 };
const SOME_USAGE = { ...NO_USAGE, turns: 7, cost: 0.4213, inputTokens: 184_210, outputTokens: 9_120 };

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
    waiting: 0,
    readOnly: null,
    ...changes,
  };
}

function snapshot(posts, changes, statuses) {
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
const you = { kind: 'person' };
const by = (id) => ({ kind: 'member', id });
const hop = (n) => ({ hop: n, cap: 8 });

const TALK = [
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

const now = () => new Date(Date.now() - 12_000).toISOString();
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
        { waiting: 2 },
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
