// long
// Pictures of each view, from a real Troupe with the demo's landscape broken in three places. They are written to the folder that
// PICTURES names, for people to look at; what can be told of them without looking is asserted.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  accessibilityProblems,
  assertNoComplaints,
  findBrowser,
  NO_BROWSER,
  openTab,
  startBrowser,
  type Tab,
} from './browser.ts';
import { keyOf } from './company.ts';
import { applyBroken, clock, openStage, type Stage } from './stage.ts';

/** It has the types of a browser, which all else here has not. */
const FACTS = './picture-facts.ts';
const { faultsOf }: { faultsOf(page: Page): Promise<readonly string[]> } = await import(FACTS);

const test = suite('pictures of the page');
const FOLDER = process.env['PICTURES'] ?? join(tmpdir(), 'troupe-pictures');

const [DESKTOP, SMALL, PHONE] = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const MEASURED = keyOf('SecurityGroup', 'measured');
const SERVER = keyOf('Server', 'shop-web-1');
const HOST = keyOf('BareMetalHost', 'warehouse-database');
const SHOP = keyOf('Project', 'shop');

/** Name of a picture, its address, and what has to be seen in it. */
const VIEWS: readonly (readonly [name: string, hash: string, shown: string])[] = [
  ['objects', '', '.root:nth-child(1), .it'],
  ['group', `#group=${SHOP}`, '.node.outer'],
  ['object', `#object=${MEASURED}`, '.ring'],
  ['object-that-waits', `#object=${SERVER}`, '.chain .failing'],
  ['object-in-its-group', `#object=${SERVER}&near=group`, '.inspector .cause'],
  ['chart', `#object=${MEASURED}&panel=chart`, '.pl.took'],
  ['chart-of-a-host', `#object=${HOST}&panel=chart`, '.state.active'],
  ['history-of-an-object', `#object=${MEASURED}&panel=history`, '.history li'],
  ['messages-of-an-object', `#object=${SERVER}&panel=messages`, '.mail li'],
  ['object-itself', `#object=${MEASURED}&panel=object`, '.diff'],
  ['timeline', '#view=timeline', '.tl .tr'],
  ['messages', '#view=messages', '.sequence .letter'],
  ['problems', '#view=problems', '.pc:nth-of-type(3)'],
  ['list', '#layout=list', '.list tbody tr'],
  ['map', '#layout=map', '.map canvas'],
  ['search', '#q=shop+waiting', '.hits'],
  ['no-match', '#q=zebra', '.nomatch'],
];

let browser: Browser;
let stage: Stage;
let brokenAt = 0;
test.before(async () => {
  mkdirSync(FOLDER, { recursive: true });
  browser = await startBrowser();
  stage = await openStage();
  await applyBroken(stage);
  brokenAt = clock.now();
});

/** Shows each view in a tab of its own, keeps its picture, and gives back what is wrong with them. */
async function faultsIn(
  suffix: string,
  views: typeof VIEWS,
  options: Parameters<typeof openTab>[2],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [name, hash, shown] of views) {
    const tab = await openTab(browser, `${stage.url}${hash}`, { reducedMotion: 'reduce', ...options });
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

/** What is asked for is there, graphs are laid out, and the kept history was read. */
async function seen({ page }: Tab, shown: string, name: string): Promise<void> {
  try {
    await page.locator(shown).first().waitFor();
    await page.locator('.node-graph[aria-busy=true]').waitFor({ state: 'detached' });
    await page.locator('.hist .bars rect').first().waitFor({ state: 'attached' });
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`);
  }
}

function texts(page: Page, selector: string): Promise<readonly string[]> {
  return page.locator(selector).allInnerTexts();
}

test('35.A: the landscape is broken in three places, and all views have their pictures, light and dark', async () => {
  const light = await faultsIn('1440-light', VIEWS, { viewport: DESKTOP, colorScheme: 'light' });
  const dark = await faultsIn('1440-dark', VIEWS, { viewport: DESKTOP, colorScheme: 'dark' });
  assert.equal([...light, ...dark], []);
});

test('35.A: on 1280 and on a phone nothing overlaps, is cut off or too small', async () => {
  const small = await faultsIn('1280-light', VIEWS, { viewport: SMALL, colorScheme: 'light' });
  const onPhones = VIEWS.filter(([name]) => !['group', 'object-in-its-group', 'map', 'search'].includes(name));
  const phone = await faultsIn('390-light', onPhones, { viewport: PHONE, colorScheme: 'light', hasTouch: true });
  const dark = await faultsIn('390-dark', onPhones.slice(0, 4), {
    viewport: PHONE,
    colorScheme: 'dark',
    hasTouch: true,
  });
  assert.equal([...small, ...phone, ...dark], []);
});

test('35.A: looking back has its pictures, with an axis of time', async () => {
  const back: typeof VIEWS = [['looking-back', `#at=${brokenAt - 3_000}`, '.hist.back .axis text, .hist.back']];
  const faults = [
    ...(await faultsIn('1440-dark', back, { viewport: DESKTOP, colorScheme: 'dark' })),
    ...(await faultsIn('1280-light', back, { viewport: SMALL, colorScheme: 'light' })),
    ...(await faultsIn('390-light', back, { viewport: PHONE, colorScheme: 'light' })),
  ];
  assert.equal(faults, []);
});

test('35.A1: root causes are on top of their cards with what they block, as names and as tiles, and first on a phone', async () => {
  const wanted = ['blocks 28', 'blocks 15', 'blocks 4'];
  for (const viewport of [DESKTOP, SMALL, PHONE]) {
    const { page, close } = await openTab(browser, stage.url, { viewport });
    const selector = viewport === PHONE ? '.home section:first-child .b' : '.root .b';
    await page.locator(selector).nth(2).waitFor();
    assert.equal(await texts(page, selector), wanted, `${viewport.width}`);
    await close();
  }
});

test('35.A4: problems count the same as the graph, and say first what is wrong', async () => {
  const { page, close } = await openTab(browser, `${stage.url}#view=problems`, { viewport: DESKTOP });
  await page.locator('.pc').nth(2).waitFor();
  assert.equal(
    (await texts(page, '.pc .big')).map((text) => Number.parseInt(text, 10)),
    [28, 15, 4],
  );
  assert.match(await page.locator('.prob .title').innerText(), /^3 root causes, 40 objects wait$/);
  for (const title of await texts(page, '.pc h3')) assert.ok(title.length <= 110, title);
  await close();
});

test.after(async () => {
  await stage?.close();
  await browser?.close();
});
if (findBrowser() === undefined) console.log(NO_BROWSER);
else test.run();
