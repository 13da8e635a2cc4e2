// The browser of a lab: the machine's Chromium, with a profile folder, because VS Code keeps `workspaceState`, secrets
// and window state in the browser. Open the same folder again and it is tomorrow.
import { chromium as playwright, type BrowserContext } from 'playwright-core';
import { chromium } from '../../../scripts/chromium.mjs';

const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * @param profile folder of the browser profile; made when missing
 * @param colorScheme what the page is told the person prefers
 * @returns a browser with a 1400 × 900 window
 */
export async function openBrowser(profile: string, colorScheme: 'dark' | 'light' = 'dark'): Promise<BrowserContext> {
  const context = await playwright.launchPersistentContext(profile, {
    executablePath: await chromium(),
    // Chromium's sandbox does not work for root, nor in most containers.
    args: ['--no-sandbox', ...QUIET],
    viewport: { width: 1400, height: 900 },
    colorScheme,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(20_000);
  return context;
}
