// long
// Pictures of 5,000 objects of a real Troupe: the demo's landscape broken in three places, and the teams of the company, three of
// which have a problem of their own. They are written to the folder that PICTURES names.
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findBrowser, NO_BROWSER, openTab, startBrowser } from './browser.ts';
import { DESKTOP, faultsIn, PHONE, SMALL, texts, type View } from './pictures.ts';
import { applyBroken, openStage, type Stage } from './stage.ts';
import { applyTeams, keyIn, QUOTA, type TeamRoots } from './teams.ts';

const test = suite('pictures of 5,000 objects');

const WAITING_SERVER = keyIn(QUOTA, 'Server', 'web-1');

const VIEWS: readonly View[] = [
  ['5000-objects', '', '.map canvas'],
  ['5000-list', '#layout=list', '.list tbody tr'],
  ['5000-search', '#q=payments+waiting', '.hits'],
  ['5000-namespace', `#namespace=${QUOTA}`, '.root:nth-child(1), .it'],
  ['5000-object', `#object=${WAITING_SERVER}`, '.chain .failing'],
  ['5000-timeline', '#view=timeline', '.tl .tr'],
  ['5000-messages', '#view=messages', '.sequence .letter'],
  ['5000-problems', '#view=problems', '.pc:nth-of-type(3)'],
];
const ON_PHONES = VIEWS.filter(([name]) => ['5000-list', '5000-object', '5000-problems'].includes(name));

let browser: Browser;
let stage: Stage;
let roots: TeamRoots;
test.before(async () => {
  browser = await startBrowser();
  stage = await openStage(2);
  await applyBroken(stage);
  roots = await applyTeams(stage);
});

function faults(
  suffix: string,
  views: readonly View[],
  options: Parameters<typeof faultsIn>[3],
): Promise<readonly string[]> {
  return faultsIn({ browser, url: stage.url }, suffix, views, options);
}

test('35.A1: 5,000 objects of a running Troupe have their pictures, light and dark', async () => {
  const light = await faults('1440-light', VIEWS, { viewport: DESKTOP, colorScheme: 'light' });
  const dark = await faults('1440-dark', VIEWS, { viewport: DESKTOP, colorScheme: 'dark' });
  assert.equal([...light, ...dark], []);
});

test('35.A1: on 1280 and on a phone nothing of 5,000 objects overlaps, is cut off or too small', async () => {
  const small = await faults('1280-light', VIEWS, { viewport: SMALL, colorScheme: 'light' });
  const phone = await faults('390-light', ON_PHONES, { viewport: PHONE, colorScheme: 'light', hasTouch: true });
  const dark = await faults('390-dark', ON_PHONES, { viewport: PHONE, colorScheme: 'dark', hasTouch: true });
  assert.equal([...small, ...phone, ...dark], []);
});

test('35.A1: the map has every object, and namespaces with problems first', async () => {
  const { page, close } = await openTab(browser, stage.url, { viewport: DESKTOP });
  await page.locator('.map canvas').first().waitFor();
  const [heading = ''] = await texts(page, '.map-head h2');
  assert.ok(Number.parseInt(heading.replaceAll(',', ''), 10) >= 5_000, heading);
  assert.match(await page.locator('.map-head p').innerText(), /^3 namespaces with problems, those first/);
  await close();
});

test('35.A1: a team that waits for one security group is one problem, with all that it blocks', async () => {
  const { page, close } = await openTab(browser, `${stage.url}#view=problems`, { viewport: DESKTOP });
  const card = page.locator('.pc', { hasText: roots.quota.name }).filter({ hasText: QUOTA }).first();
  await card.waitFor();
  assert.is(Number.parseInt(await card.locator('.big').innerText(), 10), roots.quota.blocks);
  await close();
});

test.after(async () => {
  await stage?.close();
  await browser?.close();
});
if (findBrowser() === undefined) console.log(NO_BROWSER);
else test.run();
