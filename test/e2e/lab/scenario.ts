// A scenario: steps of a person that are written once and played plainly, with a reload of the window and with a killed
// extension host after each of them. Its steps set going again, by the panel's own buttons, what was cut off.
import type { Lab } from './lab.js';
import { readScreen, type Screen } from './screen.js';
import type { TeamPanel } from './team-panel.js';
import { waitFor } from './wait.js';
import type { Workbench } from './workbench.js';

export interface Play {
  readonly lab: Lab;
  readonly workbench: Workbench;
  readonly panel: TeamPanel;
}

export interface ScenarioStep {
  /** What is so when it has been done. */
  readonly what: string;
  readonly act: (play: Play) => Promise<unknown>;
}

/** What happens after each step, by the words that end a test's name. */
const INTERRUPTIONS = {
  'without any interruption': async () => undefined,
  'with a reload after each step': async ({ workbench, panel }: Play) => {
    await workbench.reload();
    await panel.isReady();
  },
  'with a killed extension host after each step': async ({ lab, workbench, panel }: Play) => {
    const before = await panel.birth();
    await workbench.answerCrashes(lab.killHost());
    await panel.isBornAfter(before);
  },
} as const;

export type Interruption = keyof typeof INTERRUPTIONS;

export const PLAINLY: Interruption = 'without any interruption';

const ALL: readonly Interruption[] = ['with a reload after each step', 'with a killed extension host after each step'];

/** How long a scenario may take on a busy machine, in milliseconds. */
export const SCENARIO_LIMIT = 6 * 60_000;

/**
 * @param usual - the interruption that `npm test` plays a scenario with; null for none.
 * @returns it, or both with TEAMROOM_LONG=1
 */
export function interruptions(usual: Interruption | null): readonly Interruption[] {
  return process.env['TEAMROOM_LONG'] === '1' ? ALL : usual === null ? [] : [usual];
}

/**
 * Plays steps from the conversation that is open.
 * @throws an Error that names the step that could not be done
 */
export async function playSteps(play: Play, steps: readonly ScenarioStep[], interruption: Interruption): Promise<void> {
  for (const { what, act } of steps) {
    try {
      await act(play);
      await INTERRUPTIONS[interruption](play);
    } catch (error) {
      throw new Error(`Not reached, or lost again: ${what}`, { cause: error });
    }
  }
}

/**
 * Plays steps in a conversation of their own.
 * @returns what is on screen at the end, when nobody is at work
 * @throws an Error that names the step that could not be done
 */
export async function playScenario(
  play: Play,
  steps: readonly ScenarioStep[],
  interruption: Interruption,
): Promise<Screen> {
  await newConversation(play);
  await playSteps(play, steps, interruption);
  await play.panel.losesSight(/is (working|stopping)/);
  return readScreen(play.panel);
}

/** Opens the panel on a conversation in which nothing was said. */
export async function newConversation({ workbench, panel }: Pick<Play, 'workbench' | 'panel'>): Promise<void> {
  await panel.open();
  if ((await readScreen(panel)).rows.length === 0) return;
  await workbench.runCommand('Teamroom: New Conversation');
  await waitFor('an empty room', async () => ((await readScreen(panel)).rows.length === 0 ? true : undefined));
  await panel.isReady();
}

/**
 * Looks again and again, and in between presses what sets a team going again that was cut off.
 * @param what what is waited for
 * @param look true when it is there
 */
export async function goOnUntil(panel: TeamPanel, what: string, look: () => Promise<boolean>): Promise<void> {
  await waitFor(
    what,
    async () => {
      if (await look()) return true;
      await panel.clickIfThere('Resume');
      await panel.clickIfThere('Resume Team');
      return undefined;
    },
    60_000,
  );
}

/** Goes on until there are so many posts, or the member is at work after one fewer. */
export async function goOnTo(panel: TeamPanel, count: number, working?: string): Promise<void> {
  await goOnUntil(panel, `${count} posts${working === undefined ? '' : `, ${working} at work`}`, async () => {
    const { length } = await panel.posts();
    if (length > count || (length === count && working === undefined)) return true;
    return length === count && working !== undefined && panel.shows(`${working} is working`);
  });
}
