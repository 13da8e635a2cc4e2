// What a person reads in the panel: rows of the room in order, and what stands below and above them.
import type { TeamPanel } from './team-panel.js';
import { waitFor } from './wait.js';

export interface Screen {
  /** Posts, notices and what waits, in order, each as one line of words without its time. */
  readonly rows: readonly string[];
  /** Of the conversation. */
  readonly title: string;
  readonly draft: string;
}

// Text, not a function: it runs in the page, whose types are not those of the tests.
const READ_ROWS = `(() => {
  const kinds = 'article, [role=note], [role=group]';
  const words = (one) => one.innerText.replace(/\\b\\d\\d:\\d\\d\\b/g, '').replace(/\\s+/g, ' ').trim();
  return [...document.querySelectorAll('[role=log] :is(' + kinds + ')')]
    .filter((one) => one.parentElement.closest(kinds) === null)
    .map(words);
})()`;

/** @returns what is on screen now; looks again when the panel goes away meanwhile */
export async function readScreen(panel: TeamPanel): Promise<Screen> {
  return waitFor('the screen', async () => {
    try {
      const frame = await panel.frame();
      const rows = await frame.evaluate<readonly string[]>(READ_ROWS);
      const title = await frame.getByRole('button', { name: /^Conversation: / }).innerText({ timeout: 5_000 });
      return { rows, title: title.trim(), draft: await panel.draft() };
    } catch {
      return undefined;
    }
  });
}
