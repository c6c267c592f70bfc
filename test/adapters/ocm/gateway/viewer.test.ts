// long
// The pages about a served model in a browser, under their own policy.
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sharedToken } from '../../../../adapters/ocm/gateway/auth/shared-token.ts';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import {
  accessibilityProblems,
  assertNoComplaints,
  findBrowser,
  NO_BROWSER,
  openTab,
  startBrowser,
} from '../../../actors/visualizer/browser.ts';
import { type ServingOptions, serving } from './served.ts';
import { CLUSTERS } from './store.suite.ts';

const test = suite('pages of a served model');

let browser: Browser;
test.before(async () => {
  browser = await startBrowser();
});

/** Without complaints at its end. */
async function withPages(run: (page: Page) => Promise<void>, options: ServingOptions = {}): Promise<void> {
  const served = await serving(memoryStore(), options);
  try {
    const tab = await openTab(browser, `http://127.0.0.1:${served.port}/docs`);
    try {
      await run(tab.page);
      await assertNoComplaints(tab);
      assert.equal(served.defects, []);
    } finally {
      await tab.close();
    }
  } finally {
    await served.close();
  }
}

/** The list of clusters, unfolded. */
async function clusters(page: Page) {
  await page.getByRole('link', { name: 'clusters_mgmt v1', exact: true }).click();
  const operation = page.locator('#operations-clusters-get_api_clusters_mgmt_v1_clusters');
  await operation.locator('button.opblock-summary-control').click();
  await operation.getByText('Parameters').first().waitFor();
  return operation;
}

test('36.6: the services lead to their operations; nothing is refused, or fetched from elsewhere (OCM-VIEWER-1)', () =>
  withPages(async (page) => {
    assert.equal(await accessibilityProblems(page), []);
    const operation = await clusters(page);
    assert.match(await operation.innerText(), CLUSTERS);
    assert.match(await operation.innerText(), 'search');
    assert.equal(await accessibilityProblems(page), []);
    await page.getByRole('link', { name: 'All services' }).click();
    await page.getByRole('heading', { name: 'Services' }).waitFor();
  }));

test('36.6: with a token the page calls this server, and no other that the document names', () =>
  withPages(
    async (page) => {
      const operation = await clusters(page);
      const tried = async (): Promise<string> => {
        const answered = page.waitForResponse((response) => response.url().includes(CLUSTERS));
        await operation.getByRole('button', { name: 'Execute' }).click();
        return `${(await answered).status()}`;
      };
      await operation.getByRole('button', { name: 'Try it out' }).click();
      assert.is(await tried(), '401');
      await page.locator('button.authorize').first().click();
      await page.locator('.auth-container input').fill('s3cret');
      await page.locator('.auth-btn-wrapper button.authorize').click();
      await page.locator('.auth-btn-wrapper button.btn-done').click();
      assert.is(await tried(), '200');
    },
    { authenticator: sharedToken('s3cret') },
  ));

test.after(() => browser.close());
if (findBrowser() === undefined) console.log(NO_BROWSER);
else test.run();
