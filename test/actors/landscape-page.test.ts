// needs: chromium
// The page in a browser, on a running Troupe: the sample landscape comes up while it is open, and can be looked back at.
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import { serveVisualizer } from '../../actors/visualizer/server.ts';
import { openstackWith } from '../../adapters/openstack/mod.ts';
import { inRealTime } from '../world/environments.ts';
import { World } from '../world/world.ts';
import { keyOf, withSource } from './causes.suite.ts';
import { landscape, type SampleObject } from './landscape.ts';
import { assertNoComplaints, findBrowser, NO_BROWSER, openTab, startBrowser, type Tab } from './visualizer/browser.ts';

const test = suite('landscape on the page');
let browser: Browser;
test.before(async () => {
  browser = await startBrowser();
});

const SUBNET = { kind: 'Subnet', name: 'shop-web-v4' } as const;
const NETWORK = 'shop-web';

async function withPage(run: (world: World, open: (hash?: string) => Promise<Tab>) => Promise<void>): Promise<void> {
  const world = await World.open(inRealTime);
  const tabs: Tab[] = [];
  try {
    await withSource(world, [openstackWith({})], async (source) => {
      const address = { host: '127.0.0.1', port: 0 };
      const server = await serveVisualizer({ source, clock: world.clock, token: undefined, address });
      try {
        await run(world, async (hash = '') => {
          const tab = await openTab(browser, `${server.url}${hash}`);
          tabs.push(tab);
          return tab;
        });
        for (const tab of tabs) await assertNoComplaints(tab);
      } finally {
        for (const tab of tabs) await tab.close();
        await server.close();
      }
    });
  } finally {
    await world.close();
  }
}

/** The state that the chosen object is in. */
function lit(page: Page, path: string): Promise<unknown> {
  return page.locator('.now code', { hasText: path }).waitFor();
}

function manifests(objects: readonly SampleObject[]): readonly SampleObject['manifest'][] {
  return objects.map(({ manifest }) => manifest);
}

test('the landscape comes up while the page is open, from the first object that waits to the last that is available', () =>
  withPage(async (world, open) => {
    await world.outside(world.name('public'));
    const objects = landscape(world).flat();
    const isNetwork = ({ kind, name }: SampleObject): boolean => kind === 'Network' && name === NETWORK;
    const { page } = await open('#layout=list');
    await world.apply(...manifests(objects.filter((object) => !isNetwork(object))));
    const row = (name: string) => page.locator('.list tbody tr', { hasText: name }).first();
    await row(SUBNET.name).waitFor();

    // One subnet is followed: it waits, its chart says so, and why is one click away.
    const object = encodeURIComponent(keyOf(world, SUBNET));
    const { page: followed } = await open(`#object=${object}`);
    await lit(followed, 'claiming.awaitingDependencies');
    await followed.locator('.cause', { hasText: NETWORK }).first().waitFor();
    await followed.getByRole('tab', { name: 'Chart' }).click();

    await world.apply(...manifests(objects.filter(isNetwork)));
    await lit(followed, 'idle.available');
    for (const { kind, name } of objects) await world.available(kind, name);
    const states = page.getByRole('group', { name: 'States' });
    await states.filter({ hasText: /^\s*Available\s*\d+\s*$/ }).waitFor();

    // What it was like before is still there to be seen.
    await followed.getByRole('slider', { name: 'Moment' }).focus();
    await followed.keyboard.press('Home');
    await followed.locator('.hist.back').waitFor();
    await followed.keyboard.press('.');
    await lit(followed, 'idle.available');
    for (let steps = 0; steps < 2; steps++) await followed.keyboard.press('[');
    await followed.locator('.now code', { hasText: 'idle.available' }).waitFor({ state: 'detached' });

    // And it goes as it came.
    for (const { kind, name } of objects) await world.delete(kind, name);
    for (const { kind, name } of objects) await world.gone(kind, name);
    await page.locator('.list tbody tr').first().waitFor({ state: 'detached' });
  }));

test.after(() => browser.close());
if (findBrowser() === undefined) console.log(NO_BROWSER);
else test.run();
