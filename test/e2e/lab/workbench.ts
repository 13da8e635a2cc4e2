// One open VS Code window, used as a person uses it: commands by F1, and the frames of our webviews.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { root } from '../../../scripts/paths.mjs';
import { waitFor } from './wait.js';

export const SCREENSHOTS = join(root, 'out', 'screenshots');

export class Workbench {
  readonly page: Page;
  readonly #active: (before: number) => Promise<void>;
  readonly #activations: () => number;

  /**
   * @param page the page that shows the workbench
   * @param activations how often the extension was activated so far
   * @param active waits until it was activated more often than a given number
   */
  constructor(page: Page, activations: () => number, active: (before: number) => Promise<void>) {
    this.page = page;
    this.#activations = activations;
    this.#active = active;
  }

  /** Opens a page of the server and waits for the workbench and our extension. */
  async goto(url: string): Promise<void> {
    await this.#opening(() => this.page.goto(url));
  }

  /**
   * Reloads the window by its command: `deactivate` runs, a new host starts, the panel is restored. The editor writes
   * its own state (open tabs, `workspaceState`, `setState`) down first.
   */
  async reload(): Promise<void> {
    await this.#opening(() =>
      Promise.all([this.page.waitForEvent('load', { timeout: 30_000 }), this.runCommand('Developer: Reload Window')]),
    );
  }

  /**
   * Reloads the page by the browser's own button. What the editor itself has not written down by then, up to five
   * seconds' worth of open tabs and `workspaceState`, is lost as with a crash; what our extension stores is not.
   */
  async reloadPage(): Promise<void> {
    await this.#opening(() => this.page.reload());
  }

  /**
   * Runs a command from the palette.
   *
   * @param title as a person sees it: `Teamroom: Open Team Panel`
   */
  async runCommand(title: string): Promise<void> {
    await waitFor(`the command ${title}`, () => this.#tryCommand(title));
  }

  /**
   * The frame of our webview that is on screen.
   *
   * @param root selector of what only the wanted document has
   * @returns the frame, found anew: a reload or a hidden tab makes another
   */
  async panel(root = '#teamroom-root'): Promise<Frame> {
    return waitFor(`a webview with ${root}`, async () => {
      for (const frame of this.page.frames()) {
        if (await showsRoot(frame, root)) return frame;
      }
      return undefined;
    });
  }

  /** Clicks the icon in the activity bar, beside its badge. */
  async clickActivityBar(name: string | RegExp): Promise<void> {
    await this.page
      .locator('.activitybar')
      .getByRole('tab', { name })
      .click({ position: { x: 10, y: 14 } });
  }

  /** The tab of an editor, by its whole title. */
  tab(title: string): Locator {
    const whole = new RegExp(`^${title.replaceAll('.', '\\.')}(?![\\w-])`);
    return this.page.locator('.tabs-container').getByRole('tab', { name: whole });
  }

  /** All of the text editor in front, as *Select All* and *Copy* give it. */
  async editorText(): Promise<string> {
    await this.page.locator('.editor-group-container.active .monaco-editor .view-lines').first().click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.press('ControlOrMeta+c');
    return this.page.evaluate<string>('navigator.clipboard.readText()');
  }

  /** After three crashes in five minutes the editor asks before it starts a host again: as often as it asks, yes. */
  async answerCrashes(until: Promise<unknown>): Promise<void> {
    let over = false;
    const ended = until.finally(() => (over = true));
    const restart = this.page.getByRole('button', { name: 'Restart Remote Extension Host' }).last();
    await waitFor('the host to be there again', async () => {
      if (over) return true;
      if (await restart.isVisible()) await succeeds(restart.click({ timeout: 2_000 }));
      return undefined;
    });
    await ended;
  }

  /** Waits for a notification. */
  async sees(words: RegExp): Promise<void> {
    await waitFor(`the notification ${String(words)}`, async () =>
      (await this.notifications()).some((text) => words.test(text)) ? true : undefined,
    );
  }

  /** The texts of the notifications on screen. */
  async notifications(): Promise<string[]> {
    return this.page.locator('.notification-list-item-message').allInnerTexts();
  }

  /**
   * @param name of the file, without extension
   * @returns the picture's path, in a folder that git ignores
   */
  async screenshot(name: string): Promise<string> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    const path = join(SCREENSHOTS, `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  /** Closes the window as a person closes a browser tab. */
  async close(): Promise<void> {
    await this.page.close({ runBeforeUnload: false });
  }

  /** An editor that takes the focus late closes the palette under one's hands: then it is opened again. */
  async #tryCommand(title: string): Promise<true | undefined> {
    const palette = this.page.locator('.quick-input-widget:visible');
    const input = palette.locator('input').first();
    await this.page.keyboard.press('F1');
    // With the focus nowhere (its tab was just closed) no key is heard: then by mouse.
    if (!(await succeeds(input.waitFor({ timeout: 1_000 })))) {
      await succeeds(this.page.locator('.command-center .search-label:visible').click({ timeout: 2_000 }));
    }
    if (!(await succeeds(input.fill(`>${title}`, { timeout: 2_000 })))) return undefined;
    const row = palette.locator('.monaco-list-row').filter({ hasText: title }).first();
    if (await succeeds(row.click({ timeout: 3_000 }))) return true;
    // A palette that was opened before the extension's commands were there does not learn of them.
    await this.page.keyboard.press('Escape');
    return undefined;
  }

  async #opening(open: () => Promise<unknown>): Promise<void> {
    const before = this.#activations();
    await open();
    await this.page.locator('.monaco-workbench .statusbar').waitFor({ timeout: 60_000 });
    await this.#active(before);
  }
}

async function succeeds(action: Promise<unknown>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  );
}

async function showsRoot(frame: Frame, root: string): Promise<boolean> {
  try {
    if ((await frame.locator(root).count()) === 0) return false;
    const holder = await frame.frameElement();
    return await holder.isVisible();
  } catch {
    return false; // It went away while we looked.
  }
}
