// Makes the recordings of the README from real runs: the demo on a terminal, and the page while its landscape comes up, is broken in
// three places, and is looked at.
//
//   node --conditions=@troupe/source test/recordings/main.ts [terminal | page]
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTab, startBrowser } from '../actors/visualizer/browser.ts';
import { applyBroken, clock, openStage } from '../actors/visualizer/stage.ts';
import { decodePng, encodeApng, type Frame } from './apng.ts';
import { type Screenshot, svgOf, Terminal } from './terminal.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [COLUMNS, ROWS] = [112, 38] as const;
/** Least time between two pictures of the terminal in a recording, and how long the last one stays, in milliseconds. */
const [APART_MS, LAST_MS] = [300, 6_000] as const;
/** A pause, and a whole recording, are at most so long, in milliseconds: a slow machine makes no slow recording. */
const [PAUSE_MS, WHOLE_MS] = [1_000, 36_000] as const;
const VIEWPORT = { width: 1160, height: 740 };

/** The demo on a terminal of util-linux's `script`, from its first line to its last. */
async function recordTerminal(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-recording-'));
  const node = process.execPath;
  const demo = `stty rows ${ROWS} cols ${COLUMNS}; exec ${node} ${join(ROOT, 'actors/troupe.cjs')} demo --data ${folder}`;
  const run = spawn('script', ['-qefc', demo, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const terminal = new Terminal(COLUMNS, ROWS);
  terminal.write('\x1b[90m$\x1b[0m troupe demo\n');
  const shots: Screenshot[] = [{ lines: terminal.lines(), atMs: 0 }];
  const beganAt = clock.now();
  run.stdout.setEncoding('utf8').on('data', (text: string) => {
    terminal.write(text.replaceAll(folder, '.troupe').replaceAll('\r\n', '\n'));
    const atMs = clock.now() - beganAt;
    const shot = { lines: terminal.lines(), atMs };
    const last = shots.at(-1);
    if (last !== undefined && last.atMs > 0 && atMs - last.atMs < APART_MS)
      shots[shots.length - 1] = { ...shot, atMs: last.atMs };
    else shots.push(shot);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    run.once('error', () => reject(new Error("there is no 'script' on the PATH: it is part of util-linux")));
    run.once('exit', resolve);
  });
  await rm(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the demo ended with ${code}`);
  const label = 'Terminal: troupe demo creates and deletes the cloud of a small company';
  await keep('deploy/demo.svg', svgOf(hastened(shots), { columns: COLUMNS, rows: ROWS, label, lastMs: LAST_MS }));
}

/** The same pictures without long pauses, and all together within the time of a recording. */
function hastened(shots: readonly Screenshot[]): readonly Screenshot[] {
  let atMs = 0;
  const close = shots.map((shot, index) => {
    atMs += Math.min(PAUSE_MS, shot.atMs - (shots[index - 1]?.atMs ?? shot.atMs));
    return { ...shot, atMs };
  });
  const rate = Math.min(1, WHOLE_MS / Math.max(1, atMs));
  return close.map((shot) => ({ ...shot, atMs: shot.atMs * rate }));
}

/** The page, from an empty landscape to the way to a root cause. */
async function recordPage(): Promise<void> {
  const browser = await startBrowser();
  const stage = await openStage(60);
  const { page, close } = await openTab(browser, `${stage.url}#namespace=company-cloud`, {
    viewport: VIEWPORT,
    colorScheme: 'light',
  });
  const frames: Frame[] = [];
  const shoot = async (delayMs: number): Promise<void> => {
    frames.push({ pixels: decodePng(await page.screenshot()), delayMs });
  };
  try {
    let isUp = false;
    const up = applyBroken(stage).finally(() => {
      isUp = true;
    });
    await page.locator('.card').first().waitFor();
    while (!isUp) {
      await shoot(450);
      await clock.sleep(700);
    }
    await up;
    await page.locator('.root').nth(2).waitFor();
    await clock.sleep(500);
    await shoot(2_500);
    for (const [selector, shown] of [
      ['.root', '.ring'],
      ['#tab-chart', '.pl.took'],
      ['#tab-object', '.diff'],
      ['#view-problems', '.pc:nth-of-type(3)'],
      ['#view-timeline', '.tl .tr.cr'],
    ] as const) {
      await page.locator(selector).first().click();
      await page.locator(shown).first().waitFor();
      await clock.sleep(900);
      if (selector.startsWith('#view')) await page.keyboard.press('Escape');
      await clock.sleep(200);
      await shoot(2_800);
    }
    await keep('deploy/page.png', encodeApng(frames));
  } finally {
    await close();
    await stage.close();
    await browser.close();
  }
}

async function keep(path: string, content: string | Buffer): Promise<void> {
  await writeFile(join(ROOT, path), content);
  process.stdout.write(`${path}: ${Buffer.byteLength(content)} bytes\n`);
}

const [, , which = ''] = process.argv;
if (which !== 'page') await recordTerminal();
if (which !== 'terminal') await recordPage();
