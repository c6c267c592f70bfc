// Makes the picture of the README: the demo's landscape, as it is seen in a browser.
//
//   node --conditions=@troupe/source test/actors/visualizer/picture.ts
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../actors/base/clock.ts';
import { openTab, startBrowser } from './browser.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PICTURE = join(ROOT, 'deploy/visualizer.png');
/** A page that takes longer to load than that is none that people look at, in bytes. */
const MOST_BYTES = 300_000;
const DEADLINE_MS = 180_000;
const clock = systemClock();

/** The demo with its landscape up, and where its page is. */
async function startDemo(folder: string): Promise<{ demo: ChildProcess; url: string }> {
  const demo = spawn(process.execPath, [join(ROOT, 'actors/troupe.cjs'), 'demo', '--keep', '--data', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  demo.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const until = clock.now() + DEADLINE_MS;
  while (!/Ctrl-C/.test(said)) {
    if (clock.now() > until || demo.exitCode !== null) throw new Error(`the demo did not come up:\n${said}`);
    await clock.sleep(200);
  }
  return { demo, url: (await readFile(join(folder, 'visualizer-url'), 'utf8')).trim() };
}

const folder = await mkdtemp(join(tmpdir(), 'troupe-picture-'));
const { demo, url } = await startDemo(folder);
const browser = await startBrowser();
try {
  const { page } = await openTab(browser, url, { viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
  await page.locator('.card').nth(6).waitFor();
  // The history is drawn by then.
  await clock.sleep(3_000);
  await page.screenshot({ path: PICTURE });
  const { size } = await stat(PICTURE);
  if (size > MOST_BYTES) throw new Error(`${PICTURE} has ${size} bytes, more than ${MOST_BYTES}`);
  process.stdout.write(`${PICTURE}: ${size} bytes\n`);
} finally {
  await browser.close();
  demo.kill('SIGINT');
  await new Promise((resolve) => demo.once('exit', resolve));
  await rm(folder, { recursive: true, force: true });
}
