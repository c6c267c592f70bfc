// long
// Pictures of each view, from a real Troupe with the demo's landscape broken in three places. They are written to the folder that
// PICTURES names, for people to look at; what can be told of them without looking is asserted.
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findBrowser, NO_BROWSER, openTab, startBrowser } from './browser.ts';
import { keyOf } from './company.ts';
import { DESKTOP, faultsIn, PHONE, SMALL, texts, type View } from './pictures.ts';
import { applyBroken, clock, openStage, type Stage } from './stage.ts';

const test = suite('pictures of the page');

const MEASURED = keyOf('SecurityGroup', 'measured');
const SERVER = keyOf('Server', 'shop-web-1');
const HOST = keyOf('BareMetalHost', 'warehouse-database');
const SHOP = keyOf('Project', 'shop');

const VIEWS: readonly View[] = [
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
  browser = await startBrowser();
  stage = await openStage();
  await applyBroken(stage);
  brokenAt = clock.now();
});

function faults(
  suffix: string,
  views: readonly View[],
  options: Parameters<typeof faultsIn>[3],
): Promise<readonly string[]> {
  return faultsIn({ browser, url: stage.url }, suffix, views, options);
}

test('35.A: the landscape is broken in three places, and all views have their pictures, light and dark', async () => {
  const light = await faults('1440-light', VIEWS, { viewport: DESKTOP, colorScheme: 'light' });
  const dark = await faults('1440-dark', VIEWS, { viewport: DESKTOP, colorScheme: 'dark' });
  assert.equal([...light, ...dark], []);
});

test('35.A: on 1280 and on a phone nothing overlaps, is cut off or too small', async () => {
  const small = await faults('1280-light', VIEWS, { viewport: SMALL, colorScheme: 'light' });
  const onPhones = VIEWS.filter(([name]) => !['group', 'object-in-its-group', 'map', 'search'].includes(name));
  const phone = await faults('390-light', onPhones, { viewport: PHONE, colorScheme: 'light', hasTouch: true });
  const dark = await faults('390-dark', onPhones.slice(0, 4), {
    viewport: PHONE,
    colorScheme: 'dark',
    hasTouch: true,
  });
  assert.equal([...small, ...phone, ...dark], []);
});

test('35.A: looking back has its pictures, with an axis of time', async () => {
  const back: readonly View[] = [['looking-back', `#at=${brokenAt - 3_000}`, '.hist.back .axis text, .hist.back']];
  const found = [
    ...(await faults('1440-dark', back, { viewport: DESKTOP, colorScheme: 'dark' })),
    ...(await faults('1280-light', back, { viewport: SMALL, colorScheme: 'light' })),
    ...(await faults('390-light', back, { viewport: PHONE, colorScheme: 'light' })),
  ];
  assert.equal(found, []);
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
