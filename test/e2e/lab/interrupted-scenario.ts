// The first conversation as a list of steps, so that the window can be taken away after each of them. What is running
// or waiting then is set going again as a person does it, by the buttons that the panel offers.
import { RELEASE_NOTE, RELEASE_NOTE_FILE, SUGGESTION } from './demo-team.js';
import type { ShownPost, TeamPanel } from './team-panel.js';
import { waitFor } from './wait.js';
import type { Workbench } from './workbench.js';

export interface Step {
  readonly what: string;
  readonly act: (panel: TeamPanel, workbench: Workbench) => Promise<unknown>;
}

const DRAFT = 'Is this note';

/** Up to the moment when the draft stands in the composer and the room file is open. */
export const STEPS: readonly Step[] = [
  { what: 'the panel is open', act: (panel) => panel.open() },
  {
    what: 'the suggestion is posted',
    act: async (panel) => {
      await panel.click(`Post “${SUGGESTION}”`);
      await panel.waitForPosts(1);
    },
  },
  ...['Lead', 'Writer', 'Reviewer', 'Writer', 'Lead'].map((name, index) => ({
    what: `turn ${index + 1} is running (${name})`,
    act: (panel: TeamPanel) => goOn(panel, index + 1, name),
  })),
  { what: 'the exchange is over', act: (panel) => goOn(panel, RELEASE_NOTE.length) },
  {
    what: 'the lead has answered "hello"',
    act: async (panel) => {
      await panel.post('hello');
      await goOn(panel, RELEASE_NOTE.length + 2);
    },
  },
  {
    what: 'a draft is written and the room file is open',
    act: async (panel, workbench) => {
      await panel.write(DRAFT);
      await panel.click('Open Room File');
      await workbench.tab('release.txt').waitFor();
      await panel.open();
    },
  },
];

/** What the panel shows at the end, however often it was interrupted. */
export interface Ending {
  readonly posts: readonly ShownPost[];
  readonly draft: string;
  readonly file: string;
}

/** @returns what is on screen now, in the panel and in the tab of the room file */
export async function ending(panel: TeamPanel, workbench: Workbench): Promise<Ending> {
  await panel.losesSight('is working');
  const posts = await panel.waitForPosts(RELEASE_NOTE.length + 2);
  const draft = await waitFor('the draft', async () => (await panel.draft()) || undefined);
  await workbench.tab('release.txt').click();
  return { posts, draft, file: await workbench.editorText() };
}

/** @param greeting what the lead answers to "hello" */
export function expectedEnding(greeting: string): Ending {
  return {
    posts: [...RELEASE_NOTE, { who: 'You', to: '@Lead', text: 'hello' }, { who: 'Lead', to: '', text: greeting }],
    draft: DRAFT,
    file: `${RELEASE_NOTE_FILE}you [you/2/0]: hello\nlead [team/lead/3/0]: ${greeting}\n`,
  };
}

/**
 * Presses Resume and Resume Team as long as the panel offers them, until there are enough posts.
 *
 * @param running the member that must be seen at work then; with more posts than `count` it has been
 */
async function goOn(panel: TeamPanel, count: number, running?: string): Promise<void> {
  await waitFor(`${count} posts${running === undefined ? '' : ` and ${running} at work`}`, async () => {
    const posts = await panel.posts();
    if (posts.length > count) return true;
    if (posts.length === count && (running === undefined || (await panel.shows(`${running} is working`)))) return true;
    await panel.clickIfThere('Resume');
    await panel.clickIfThere('Resume Team');
    return undefined;
  });
}
