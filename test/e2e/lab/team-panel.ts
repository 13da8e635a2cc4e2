// The team panel as a person sees it: what stands in it, and what they do there. Every look finds the frame anew, since
// a reload or a killed host makes another.
import type { Frame, Locator } from 'playwright-core';
import { waitFor } from './wait.js';
import type { Workbench } from './workbench.js';

/** A post on screen. */
export interface ShownPost {
  readonly who: string;
  /** `@Writer and @Reviewer`; empty when it is addressed to nobody. */
  readonly to: string;
  readonly text: string;
}

interface RawPost {
  /** The name that a screen reader tells: who, to whom, when. */
  readonly label: string;
  readonly text: string;
}

// Text, not a function: it runs in the page, whose types are not those of the tests.
const READ_POSTS = `[...document.querySelectorAll('article')].map((article) => ({
  label: article.getAttribute('aria-label') ?? '',
  text: article.querySelector('.post-text')?.textContent ?? '',
}))`;

export class TeamPanel {
  readonly #window: () => Workbench;

  /** @param window the window that it is in, asked for at each look */
  constructor(window: () => Workbench) {
    this.#window = window;
  }

  /** Opens the panel by its command, or brings it to the front. */
  async open(): Promise<void> {
    await this.#window().runCommand('Teamroom: Open Team Panel');
    await this.isReady();
  }

  /** Waits until there is a place to write. */
  async isReady(): Promise<void> {
    await waitFor('the composer', async () => ((await isVisible(await this.composer())) ? true : undefined));
  }

  frame(): Promise<Frame> {
    return this.#window().panel();
  }

  /** @returns true when words are in view anywhere in the panel now */
  async shows(words: string | RegExp): Promise<boolean> {
    return isVisible((await this.frame()).getByText(words).filter({ visible: true }).first());
  }

  /** Waits for words anywhere in the panel. */
  async sees(words: string | RegExp, limit?: number): Promise<void> {
    await waitFor(`${String(words)} in the panel`, async () => ((await this.shows(words)) ? true : undefined), limit);
  }

  /** Waits until words are nowhere in the panel. */
  async losesSight(words: string | RegExp, limit?: number): Promise<void> {
    const look = async (): Promise<true | undefined> => ((await this.shows(words)) ? undefined : true);
    await waitFor(`${String(words)} to leave the panel`, look, limit);
  }

  async click(button: string | RegExp): Promise<void> {
    await (await this.frame()).getByRole('button', { name: button }).filter({ visible: true }).first().click();
  }

  /** Clicks a button if it is there, and waits until it is gone. */
  async clickIfThere(button: string): Promise<void> {
    const found = (await this.frame()).getByRole('button', { name: button, exact: true }).first();
    if (!(await isVisible(found))) return;
    await found.click();
    await found.waitFor({ state: 'hidden' });
  }

  /** When this panel's document was made: another panel has another. */
  async birth(): Promise<number> {
    return (await this.frame()).evaluate<number>('performance.timeOrigin');
  }

  /** Waits for a panel that was made later, with a conversation in it. */
  async isBornAfter(time: number): Promise<void> {
    await waitFor('another panel', async () => {
      const born = await this.birth().catch(() => time);
      return born > time ? true : undefined;
    });
    await this.isReady();
  }

  async composer(): Promise<Locator> {
    return (await this.frame()).getByRole('textbox', { name: /^Post to/ });
  }

  /** Writes into the composer, key by key, and leaves it there. */
  async write(text: string): Promise<void> {
    const box = await this.composer();
    await box.click();
    await box.pressSequentially(text);
  }

  /** Writes a post and sends it with Enter. */
  async post(text: string): Promise<void> {
    await this.write(text);
    await (await this.composer()).press('Enter');
  }

  /** What stands in the composer. */
  async draft(): Promise<string> {
    return (await this.composer()).inputValue();
  }

  /** The posts on screen, oldest first; those still on their way are not among them. */
  async posts(): Promise<ShownPost[]> {
    return waitFor('the posts', async () => {
      try {
        const shown = await (await this.frame()).evaluate<readonly RawPost[]>(READ_POSTS);
        return shown.flatMap(({ label, text }) => {
          const read = /^(.+?)(?: to (@.+))?, \d\d:\d\d$/su.exec(label);
          return read === null ? [] : [{ who: read[1] ?? '', to: read[2] ?? '', text }];
        });
      } catch {
        return undefined; // The frame went away while we looked.
      }
    });
  }

  /** Waits until as many posts are shown. */
  async waitForPosts(count: number, limit?: number): Promise<ShownPost[]> {
    return waitFor(
      `${count} posts`,
      async () => {
        const posts = await this.posts();
        return posts.length >= count ? posts : undefined;
      },
      limit,
    );
  }
}

async function isVisible(found: Locator): Promise<boolean> {
  return found.isVisible().catch(() => false);
}
