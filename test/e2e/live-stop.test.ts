// Stop in the very first turn: beside Send, in the status bar and as a command; what is on screen and in the record. The
// tests of this file follow each other. TEAMROOM_LONG=1 plays the scenario with reloads too.
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { processes } from '../../scripts/process-tree.mjs';
import { eventsOfTurn, readRecord, textOf } from './lab/record.js';
import {
  goOnUntil,
  interruptions,
  newConversation,
  playScenario,
  PLAINLY,
  SCENARIO_LIMIT,
  type Interruption,
  type ScenarioStep,
} from './lab/scenario.js';
import { readScreen } from './lab/screen.js';
import { scriptedTeam } from './lab/scripted-team.js';
import { TeamPanel } from './lab/team-panel.js';
import { useLab } from './lab/use-lab.js';
import { waitFor } from './lab/wait.js';

const EIGHT_SECONDS = 8000;

/** A turn that goes on thinking, two times a second, and never ends by itself. */
const RESTLESS = Array.from({ length: 120 }, (_, at) => [{ think: `Thought ${at + 1}.` }, { pauseMs: 500 }]).flat();

const use = useLab({
  workspaceFiles: scriptedTeam({
    id: 'pair',
    room: { id: 'build', name: 'Build' },
    members: [
      {
        id: 'ada',
        script: [
          { when: { contains: ['migrate'] }, steps: RESTLESS, say: 'I have begun.', stream: 20, hang: true },
          { say: 'Here I am.' },
        ],
      },
      { id: 'ben', script: [{ say: 'Eight seconds are over.', pauseMs: EIGHT_SECONDS }] },
    ],
  }),
});
const panel = new TeamPanel(() => use.workbench);

const statusBar = (): Locator => use.workbench.page.locator('#teamroom\\.teamroom\\.teamroom\\.status');

/** Ids of what the extension hosts of the lab have started. */
function children(): number[] {
  const hosts = use.lab.hosts();
  return processes()
    .filter(({ parent, zombie }) => hosts.includes(parent) && !zombie)
    .map(({ pid }) => pid)
    .toSorted((a, b) => a - b);
}

/** Goes on until Ada is at work, and Stop offers to end that. */
async function adaWorks(): Promise<void> {
  await goOnUntil(panel, 'Ada at work', () => panel.shows('Ada is working'));
}

async function stopButton(): Promise<Locator> {
  return (await panel.frame()).getByRole('button', { name: 'Stop', exact: true });
}

async function isStopped(): Promise<void> {
  await panel.sees('Chat cancelled.');
  await panel.losesSight(/is (working|stopping)/);
  await (await stopButton()).waitFor({ state: 'hidden' });
}

const STEPS: readonly ScenarioStep[] = [
  {
    what: 'Ada is in the very first turn',
    act: async () => {
      await panel.post('Please migrate the tables');
      await adaWorks();
    },
  },
  {
    what: 'Stop was pressed',
    act: async () => {
      await adaWorks();
      await (await stopButton()).click();
      await isStopped();
    },
  },
  {
    what: 'the next post is answered',
    act: async () => {
      await panel.post('Are you there?');
      await panel.waitForPosts(3);
    },
  },
];

async function playStop(interruption: Interruption): Promise<void> {
  const screen = await playScenario({ lab: use.lab, workbench: use.workbench, panel }, STEPS, interruption);
  expect(screen).toEqual({
    title: 'Please migrate the tables',
    draft: '',
    rows: [
      'You → @Ada Please migrate the tables',
      'Chat cancelled.',
      'You → @Ada Are you there?',
      'A Ada Lead answers you Here I am. Reasoning',
    ],
  });
}

test('C12 Stop ends the very first turn: eight seconds later nothing of it has followed, in the record and in /proc', async () => {
  const { lab } = use;
  await panel.open();
  const before = children();
  await panel.post('Please migrate the tables');
  await panel.sees('Ada is working');
  // Not before it has said something of its own.
  await waitFor('three thoughts', async () => {
    const thoughts = (await readRecord(lab)).filter(({ type }) => type === 'step:recorded');
    return thoughts.length >= 3 ? true : undefined;
  });
  // Five clicks of an impatient hand, faster than any answer can come.
  await (await stopButton()).click({ clickCount: 5 });
  await isStopped();
  expect(await panel.draft()).toBe('');
  const waiting = await readScreen(panel);
  expect(waiting.rows).toEqual([
    'You → @Ada Please migrate the tables',
    'Chat cancelled.',
    'Ada was stopped. Resume Skip Reasoning',
  ]);

  await panel.post('@ben Tell me when eight seconds are over');
  await panel.sees('Ben is working');
  await panel.sees('Eight seconds are over.');
  const events = await readRecord(lab);
  const stops = events.filter(({ type }) => type === 'conversation:cancelled');
  expect(stops).toHaveLength(1);
  const own = eventsOfTurn(events, 'team/ada/1');
  const [cancelled, ...others] = own.filter(({ type }) => type === 'turn:cancelled');
  expect(others).toEqual([]);
  expect(textOf(cancelled ?? fail(), 'reason')).toBe('stopped');
  expect(Date.parse(cancelled?.timestamp ?? '')).toBeGreaterThanOrEqual(Date.parse(stops[0]?.timestamp ?? ''));
  // The turn's end is its last event: no step, no answer and no failure followed it, in any stream.
  expect(own.filter(({ type }) => type.startsWith('graph:node-')).map(({ type }) => type)).toEqual([
    'graph:node-dispatched',
    'graph:node-attempt-started',
  ]);
  expect(own.at(-1)?.type).toMatch(/^(turn:cancelled|usage:recorded)$/);
  expect(own.filter(({ timestamp }) => timestamp > (cancelled?.timestamp ?? ''))).toEqual([]);
  const answered = events.find((event) => event.type === 'graph:node-completed' && textOf(event, 'nodeId') === 'ben');
  const silence = Date.parse(answered?.timestamp ?? '') - Date.parse(cancelled?.timestamp ?? '');
  expect(silence).toBeGreaterThanOrEqual(EIGHT_SECONDS);
  await waitFor('the processes from before', () => (same(children(), before) ? true : undefined));
});

test('After it the composer works: the next post is answered, and Chat cancelled. stands there once', async () => {
  await panel.post('Are you there?');
  const posts = await panel.waitForPosts(5);
  expect(posts.at(-1)).toEqual({ who: 'Ada', to: '', text: 'Here I am.' });
  const { rows } = await readScreen(panel);
  expect(rows.filter((row) => row.includes('Chat cancelled.'))).toEqual(['Chat cancelled.']);
  await use.workbench.screenshot('live-stopped');
});

test('Played step by step, the screen shows the post, the notice and the next answer', async () => {
  await playStop(PLAINLY);
});

test.for(interruptions('with a killed extension host after each step'))(
  'Stop ends the same %s',
  { timeout: SCENARIO_LIMIT },
  playStop,
);

test('SP-6 With the panel closed, the status bar stops the first turn, and so does the command', async () => {
  const { workbench } = use;
  const ways = [() => statusBar().click(), () => workbench.runCommand('Teamroom: Stop')];
  for (const stop of ways) {
    await newConversation({ workbench, panel });
    await panel.post('Please migrate the tables');
    await panel.sees('Ada is working');
    await workbench.runCommand('View: Close All Editors');
    await statusBar().filter({ hasText: 'Team: 1 running' }).waitFor();
    await stop();
    await statusBar().filter({ hasText: 'Teamroom: 1 waiting' }).waitFor();
    const events = await readRecord(use.lab);
    expect(events.filter(({ type }) => type === 'conversation:cancelled')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'turn:cancelled')).toHaveLength(1);
    await panel.open();
    await isStopped();
    expect(await panel.posts()).toHaveLength(1);
  }
});

function same(one: readonly number[], other: readonly number[]): boolean {
  return one.join() === other.join();
}

function fail(): never {
  throw new Error('The turn was not cancelled.');
}
