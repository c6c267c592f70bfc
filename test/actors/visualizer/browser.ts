// A browser for the tests of the page: Chromium, as the system has it.
import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import * as assert from 'uvu/assert';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** What a file prints that needs a browser where there is none. */
export const NO_BROWSER = 'skipped: no Chromium on the PATH; CHROMIUM may name one';

/** Path of a browser, where there is one. */
export function findBrowser(): string | undefined {
  const named = process.env['CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const all = named === undefined ? NAMES.flatMap((name) => folders.map((folder) => join(folder, name))) : [named];
  return all.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Opened {
  readonly page: Page;
  /** Errors of scripts, refusals of the content security policy, and requests to elsewhere. */
  readonly complaints: string[];
}

export interface Tab extends Opened {
  close(): Promise<void>;
}

/** Starts a browser, which takes a second or two. */
export function startBrowser(executablePath = findBrowser()): Promise<Browser> {
  if (executablePath === undefined) return Promise.reject(new Error(NO_BROWSER));
  // As root, as in containers, its sandbox does not start; it sees nothing but this page.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** Opens a page in a profile of its own. */
export async function openTab(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  // A machine may be slow, and 5,000 objects are many.
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on('pageerror', ({ message }) => complaints.push(`error: ${message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (/Content Security Policy|Trusted ?Type|violates/i.test(text)) complaints.push(text);
  });
  page.on('request', (request) => {
    const { origin: asked, protocol } = new URL(request.url());
    if (asked !== origin && protocol !== 'data:' && protocol !== 'blob:') complaints.push(`a request to ${asked}`);
  });
  await page.addInitScript(() => {
    // Files without the types of a browser import this one, too.
    interface There {
      refusals: string[];
      addEventListener(type: string, listener: (event: Readonly<Record<string, unknown>>) => void): void;
    }
    const there = globalThis as unknown as There;
    there.refusals = [];
    there.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      there.refusals.push(`${violatedDirective}: ${blockedURI}`);
    });
  });
  await page.goto(url);
  return { page, complaints, close: () => context.close() };
}

/** Nothing was refused, and nothing went wrong. */
export async function assertNoComplaints({ page, complaints }: Opened): Promise<void> {
  const refusals = await page.evaluate(() => (globalThis as unknown as { refusals: string[] }).refusals);
  assert.equal([...complaints, ...refusals], []);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds, a line each. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    interface Violation {
      readonly id: string;
      readonly help: string;
      readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
    }
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: readonly Violation[] }> } };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, help, nodes }) =>
      nodes
        .slice(0, 3)
        .map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
  });
}
