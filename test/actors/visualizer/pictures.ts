// Pictures of the page in Chromium, and faults of them that a program finds.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { accessibilityProblems, assertNoComplaints, openTab, type Tab } from './browser.ts';

/** It has the types of a browser, which all else here has not. */
const FACTS = './picture-facts.ts';
const { faultsOf }: { faultsOf(page: Page): Promise<readonly string[]> } = await import(FACTS);

export const FOLDER = process.env['PICTURES'] ?? join(tmpdir(), 'troupe-pictures');

export const [DESKTOP, SMALL, PHONE] = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/** Name of a picture, its address, and what has to be seen in it. */
export type View = readonly [name: string, hash: string, shown: string];

/** Shows each view in a tab of its own, keeps its picture, and returns the faults that it finds. */
export async function faultsIn(
  { browser, url }: { readonly browser: Browser; readonly url: string },
  suffix: string,
  views: readonly View[],
  options: Parameters<typeof openTab>[2],
): Promise<readonly string[]> {
  mkdirSync(FOLDER, { recursive: true });
  const faults: string[] = [];
  for (const [name, hash, shown] of views) {
    const tab = await openTab(browser, `${url}${hash}`, { reducedMotion: 'reduce', ...options });
    try {
      await seen(tab, shown, `${name}-${suffix}`);
      await tab.page.screenshot({ path: join(FOLDER, `${name}-${suffix}.png`) });
      const found = [...(await faultsOf(tab.page)), ...(await accessibilityProblems(tab.page))];
      faults.push(...found.map((fault) => `${name}-${suffix}: ${fault}`));
      await assertNoComplaints(tab);
    } finally {
      await tab.close();
    }
  }
  return faults;
}

/** Waits until the view is there, graphs are laid out, and the kept history was read. */
async function seen({ page }: Tab, shown: string, name: string): Promise<void> {
  try {
    await page.locator(shown).first().waitFor();
    await page.locator('.node-graph[aria-busy=true]').waitFor({ state: 'detached' });
    await page.locator('.hist .bars rect').first().waitFor({ state: 'attached' });
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`);
  }
}

export function texts(page: Page, selector: string): Promise<readonly string[]> {
  return page.locator(selector).allInnerTexts();
}
