// long
// The page in a browser, on a running Troupe: what it names as the cause when something is wrong for real.
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serveVisualizer } from '../../actors/visualizer/server.ts';
import { openstackWith } from '../../adapters/openstack/mod.ts';
import { inRealTime } from '../world/environments.ts';
import { World } from '../world/world.ts';
import { CASES, keyOf, withSource } from './causes.suite.ts';
import { assertNoComplaints, findBrowser, NO_BROWSER, openTab, startBrowser } from './visualizer/browser.ts';

const test = suite('causes on the page');
let browser: Browser;
test.before(async () => {
  browser = await startBrowser();
});

for (const title of ['a missing domain three hops away', 'a wrong password']) {
  const staging = CASES[title];
  assert.ok(staging !== undefined, title);
  test(`${title}: its summary and the view 'Problems' say so`, async () => {
    const world = await World.open(inRealTime, staging.options);
    try {
      await withSource(world, [openstackWith({})], async (source) => {
        const staged = await staging.stage(world);
        const { clock } = world;
        const address = { host: '127.0.0.1', port: 0 };
        const server = await serveVisualizer({ source, clock, token: undefined, address });
        const tab = await openTab(browser, `${server.url}#object=${encodeURIComponent(keyOf(world, staged))}`);
        const { page } = tab;
        try {
          await page.locator('.inspector h2', { hasText: staged.name }).waitFor();
          const root = page.locator('.cause');
          for (const part of staged.summary) await root.locator('p', { hasText: part }).first().waitFor();
          for (const part of staged.advice) await root.locator('p', { hasText: part }).first().waitFor();
          const names = (staged.chain ?? []).map((label) => label.split('/')[1] ?? '');
          const lines = await page.locator('ol.chain li').allInnerTexts();
          assert.equal(lines.map((line) => names.findIndex((name) => line.includes(name)) >= 0).includes(false), false);

          await page.getByRole('tab', { name: 'Problems' }).click();
          const [summary = '', ...rest] = staged.summary;
          const problem = page.locator('.pc', { hasText: summary }).first();
          await problem.waitFor();
          const first = await page.locator('.pc').first().innerText();
          for (const part of [summary, ...rest, ...staged.advice])
            assert.ok(first.toLowerCase().includes(part.toLowerCase()), `${part} in ${first}`);
          await assertNoComplaints(tab);
        } finally {
          await tab.close();
          await server.close();
        }
      });
    } finally {
      await world.close();
    }
  });
}

test.after(() => browser.close());
if (findBrowser() === undefined) console.log(NO_BROWSER);
else test.run();
