// The page in Chromium: how soon 136 and 5,000 objects are painted, how late a change is seen at 500 a second, and what is left in
// memory after as many changes as half an hour brings. The figures of time hold on a machine that has nothing else to do; nodes
// and memory hold on any.
import type { CDPSession, Page } from 'playwright-core';
import { systemClock } from '../../actors/base/clock.ts';
import { serveVisualizer } from '../../actors/visualizer/server.ts';
import { openTab, startBrowser } from '../actors/visualizer/browser.ts';
import { broken, company } from '../actors/visualizer/company.ts';
import { keyOf, Scripted } from '../actors/visualizer/scripted.ts';
import type { Report } from './figures.ts';

export interface PageOptions {
  /** Objects of the large landscape. */
  readonly count: number;
  onProgress(line: string): void;
}

const clock = systemClock({ seed: 5 });
const [BATCH, BATCHES_A_SECOND, SECONDS] = [50, 10, 10] as const;
/** Changes of half an hour at 500 a second, and in one message of the accelerated feed. */
const [HALF_AN_HOUR, AT_ONCE] = [900_000, 5_000] as const;

export async function page({ count, onProgress }: PageOptions): Promise<Report['figures']> {
  const browser = await startBrowser();
  const small = new Scripted(() => clock.now());
  small.put(broken(company(), clock.now()));
  const large = new Scripted(() => clock.now());
  large.fill(count);
  try {
    onProgress('136 objects');
    const first = await shown(browser, small, '.root:nth-child(1)');
    await first.end();
    onProgress(`${count} objects`);
    const second = await shown(browser, large, '.map canvas');
    onProgress('500 changes a second');
    const changes = await changed(second.page, large);
    onProgress('as many changes as in half an hour');
    const memory = await grown(second.page, second.session, large);
    await second.end();
    return {
      'small.firstMs': first.figures.firstMs,
      'small.nodes': first.figures.nodes,
      'large.firstMs': second.figures.firstMs,
      'large.nodes': second.figures.nodes,
      'changes.delayMs': changes.delayMs,
      'changes.scriptMsABatch': changes.scriptMsABatch,
      'memory.heapMb': memory.heapMb,
      'memory.grownMb': memory.grownMb,
    };
  } finally {
    await browser.close();
  }
}

interface Shown {
  readonly page: Page;
  readonly session: CDPSession;
  readonly figures: { readonly firstMs: number; readonly nodes: number };
  end(): Promise<void>;
}

async function shown(
  browser: Awaited<ReturnType<typeof startBrowser>>,
  source: Scripted,
  selector: string,
): Promise<Shown> {
  const server = await serveVisualizer({ source, clock, token: undefined, address: { host: '127.0.0.1', port: 0 } });
  const beganAt = clock.now();
  const tab = await openTab(browser, server.url, { viewport: { width: 1440, height: 900 } });
  await tab.page.locator(selector).first().waitFor();
  const firstMs = clock.now() - beganAt;
  const session = await tab.page.context().newCDPSession(tab.page);
  const nodes = await tab.page.locator('*').count();
  return {
    page: tab.page,
    session,
    figures: { firstMs, nodes },
    async end() {
      await tab.close();
      await server.close();
    },
  };
}

/** Time that scripts of the page ran so far, in milliseconds. */
async function scriptMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1_000;
}

/** 500 changes a second; how late one that stands out is seen, at most. */
async function changed(
  tab: Page,
  source: Scripted,
): Promise<{ readonly delayMs: number; readonly scriptMsABatch: number }> {
  const session = await tab.context().newCDPSession(tab);
  await session.send('Performance.enable');
  const probe = keyOf('Server', 'team-01', 'servers-0');
  const before = await scriptMs(session);
  let [delayMs, at] = [0, clock.now()];
  for (let second = 0; second < SECONDS; second++) {
    for (let batch = 0; batch < BATCHES_A_SECOND; batch++) {
      source.churn(BATCH, () => clock.random());
      at += 1_000 / BATCHES_A_SECOND;
      await clock.sleep(Math.max(0, at - clock.now()));
    }
    const isHeld = second % 2 === 0;
    const sentAt = clock.now();
    source.move(probe, isHeld ? 'deleting.blocked' : 'idle.available', isHeld ? 'held' : 'available');
    await (isHeld
      ? tab.locator('.dt .held').first().waitFor()
      : tab.locator('.dt .held').first().waitFor({ state: 'detached' }));
    delayMs = Math.max(delayMs, clock.now() - sentAt);
  }
  const spent = (await scriptMs(session)) - before;
  return { delayMs, scriptMsABatch: spent / (SECONDS * BATCHES_A_SECOND) };
}

/** Heap after the first tenth of the changes and in the end, in mebibytes, without garbage. */
async function grown(
  tab: Page,
  session: CDPSession,
  source: Scripted,
): Promise<{ readonly heapMb: number; readonly grownMb: number }> {
  const heapMb = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 2 ** 20;
  };
  let before = 0;
  for (let sent = 0; sent < HALF_AN_HOUR; sent += AT_ONCE) {
    source.churn(AT_ONCE, () => clock.random());
    source.steps.length = 0;
    await tab.evaluate(() => undefined);
    // The bounded history is full by then.
    if (before === 0 && sent >= HALF_AN_HOUR / 5) before = await heapMb();
  }
  const after = await heapMb();
  return { heapMb: after, grownMb: after - before };
}
