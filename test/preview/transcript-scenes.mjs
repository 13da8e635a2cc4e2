// What the transcript shows besides plain talk: trees of nodes, long posts, notices that wait, texts being written.
import { by, hop, NO_USAGE, now, reasoning, snapshot, SOME_USAGE, TALK, you } from './scenes.mjs';

const text = (words) => ({ kind: 'text', text: words });
const paragraph = (...children) => ({
  kind: 'paragraph',
  children: children.map((one) => (typeof one === 'string' ? text(one) : one)),
});
const CODE =
  'export function clamp(value: number, low: number, high: number): number {\n  return Math.min(high, Math.max(low, value));\n}';

const RICH = [
  { sender: you, text: '@Writer show me the change', to: ['writer'] },
  {
    sender: by('writer'),
    text: 'Here is the change.\n\n…',
    hop: hop(0),
    answers: [{ id: 'post-0', sender: 'you' }],
    blocks: [
      { kind: 'heading', level: 2, children: [text('What changed')] },
      paragraph(
        'The bounds are checked ',
        { kind: 'strong', children: [text('once')] },
        ', in ',
        { kind: 'code', text: 'clamp' },
        ' of ',
        {
          kind: 'link',
          target: { kind: 'file', path: 'src/clamp.ts', line: 12 },
          children: [text('src/clamp.ts')],
        },
        '.',
      ),
      { kind: 'codeBlock', language: 'ts', text: CODE },
      {
        kind: 'list',
        ordered: false,
        start: 1,
        tight: true,
        items: ['no branch for NaN', 'one test for each bound'].map((one) => ({
          checked: null,
          children: [paragraph(one)],
        })),
      },
      {
        kind: 'table',
        align: [null, 'right'],
        head: [[text('Case')], [text('Time')]],
        rows: [
          [[text('before')], [text('2.4 ms')]],
          [[text('after')], [text('1.1 ms')]],
        ],
      },
      { kind: 'quote', children: [paragraph('Two calls per frame were one too many.')] },
      paragraph({ kind: 'mention', ids: ['reviewer'], text: '@Reviewer' }, ' please look at the bounds.'),
    ],
    to: ['reviewer'],
  },
  {
    sender: by('reviewer'),
    text: '@Writer ok, thanks!',
    to: ['writer'],
    hop: hop(1),
    isAcknowledgement: true,
    answers: [{ id: 'post-1', sender: 'writer' }],
  },
];

const LONG_TEXT = Array.from(
  { length: 120 },
  (_, line) => `${line + 1}. What was looked at, and what it was found to be.`,
).join('\n');
const limited = { chain: 'chain-1', limit: 'hopCap' };
const limitWait = { kind: 'limit', ...limited, roomId: 'main', next: ['reviewer'], canContinue: true };
const turnWait = (how, memberId, position, message = null) => ({
  kind: 'turn',
  how,
  memberId,
  position,
  roomId: 'main',
  message,
});

const LIMITS = [
  { key: 'hopCap', value: 6, source: 'machine' },
  { key: 'costCeiling', value: 2.5, source: 'team' },
  { key: 'turnsPerMember', value: 16, source: 'default' },
  { key: 'concurrency', value: 1, source: 'workspace' },
  { key: 'tailMessages', value: 20, source: 'user' },
  { key: 'turnTimeoutMinutes', value: 30, source: 'default' },
];
const USAGE = {
  usage: { ...SOME_USAGE, unknownCost: 1, mismatches: 1 },
  limits: LIMITS,
};
const USED = {
  writer: { usage: { ...NO_USAGE, turns: 4, cost: 0.3, inputTokens: 120_000, outputTokens: 7000, mismatches: 1 } },
  reviewer: { usage: { ...NO_USAGE, turns: 2, cost: 0.1213, inputTokens: 64_210, outputTokens: 2120 } },
  tester: { usage: { ...NO_USAGE, turns: 1, unknownCost: 1 } },
};

/** A room of many posts; the newest are loaded. */
export const many = (count) =>
  Array.from({ length: count }, (_, index) => ({
    sender: index % 3 === 0 ? you : by(index % 3 === 1 ? 'writer' : 'reviewer'),
    text: `${index}: ${'What was found, and what is to be done about it. '.repeat(1 + ((index * 7) % 5))}`,
    minute: index / 20,
    ...(index % 3 === 0
      ? {}
      : { hop: hop(index % 3), answers: [{ id: `post-${index - 1}`, sender: index % 3 === 1 ? 'you' : 'writer' }] }),
  }));

export const TRANSCRIPT_SCENES = {
  rich: { answer: () => snapshot(RICH) },
  'long-post': {
    answer: () =>
      snapshot([
        RICH[0],
        { sender: by('writer'), text: LONG_TEXT, hop: hop(0), answers: [{ id: 'post-0', sender: 'you' }] },
        RICH[2],
      ]),
  },
  waits: {
    answer: () =>
      snapshot(
        [
          ...TALK.slice(0, 4),
          { sender: { kind: 'notice' }, text: 'Stopped after 8 hops: @Reviewer was next.', limited },
          {
            sender: { kind: 'notice' },
            text: 'Grace Hopper could not answer: the engine did not answer within 30 minutes.',
            position: 'tester/8',
          },
        ],
        {
          waits: [
            limitWait,
            turnWait('failed', 'tester', 'tester/8', 'The engine did not answer within 30 minutes.'),
            turnWait('interrupted', 'writer', 'writer/9'),
            turnWait('stopped', 'lead', 'lead/4'),
          ],
        },
      ),
  },
  'waits-above': {
    answer: () =>
      snapshot([...TALK.slice(6), ...TALK.slice(0, 1)], {
        waits: [limitWait, { ...limitWait, chain: 'chain-2', limit: 'costCeiling', canContinue: false }],
      }),
  },
  writing: {
    answer: () => ({
      ...snapshot(
        TALK.slice(0, 4),
        { busy: true },
        {
          writer: { status: 'running', since: now(), position: 'writer/9', roomId: 'main' },
          reviewer: { status: 'stopping', since: now(), position: 'reviewer/4', roomId: 'main' },
          tester: { status: 'running', since: now(), position: 'tester/1', roomId: 'main' },
        },
      ),
      live: [
        {
          position: 'writer/9',
          memberId: 'writer',
          roomId: 'main',
          text: 'The second draft is shorter. It says what is new first, and why it is',
        },
      ],
    }),
    replies: reasoning,
  },
  forked: {
    answer: () =>
      snapshot(
        TALK.map((post, index) => ({ ...post, isInherited: index < 6 })),
        { forkOf: 'run-0' },
      ),
  },
  usage: { answer: () => snapshot(TALK, USAGE, USED), click: '.usage-button' },
  'room-menu': { answer: () => snapshot(TALK, USAGE, USED), click: 'button[aria-label="More Room Actions"]' },
  'post-menu': {
    answer: () => snapshot(TALK),
    hover: '[data-post="post-8"]',
    click: '[data-post="post-8"] .post-more',
  },
  many: { answer: () => snapshot(many(300)) },
};
