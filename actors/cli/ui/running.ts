// The page of the `troupe dev` or `troupe demo` that works in a folder: a file there says where it is, as long as it is there.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TerminalError } from '../../../bus/mod.ts';
import type { Config } from '../../base/config.ts';
import type { Visualizer } from '../../visualizer/server.ts';
import { startVisualizer, type VisualizerDeps } from '../../visualizer/visualizer.ts';
import type { Inspected } from '../../visualizer/wire.ts';

const FILE = 'visualizer-url';
/** Longest wait for the page, in milliseconds. */
const ANSWER_MS = 3_000;

/** Serves the page, and says so in the folder until it is closed. @throws {TerminalError} as `startVisualizer` */
export async function openVisualizer(
  config: Pick<Config, 'visualizer' | 'namespaces'>,
  deps: VisualizerDeps,
  folder: string,
): Promise<Visualizer | undefined> {
  const visualizer = await startVisualizer(config, deps);
  if (visualizer === undefined) return undefined;
  const file = resolve(folder, FILE);
  await writeFile(file, `${visualizer.link}\n`, { mode: 0o600 });
  return {
    ...visualizer,
    async close() {
      await rm(file, { force: true });
      await visualizer.close();
    },
  };
}

/** URL of the page. @throws {TerminalError} no process serves one */
export async function runningUrl(folder: string): Promise<URL> {
  const file = resolve(folder, FILE);
  const start = "start 'troupe dev', or name its folder with --data";
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new TerminalError(`no visualizer runs in '${folder}': ${start}`, { cause: error });
  }
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new TerminalError(`'${file}' holds no address: ${start}`);
  const url = new URL(text);
  try {
    // Whatever it answers: a process that was killed leaves its file behind.
    await (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })).body?.cancel();
  } catch (error) {
    throw new TerminalError(`the visualizer of '${folder}' does not answer at ${url}; ${start}`, {
      cause: error,
    });
  }
  return url;
}

/**
 * Whether the page can show an object: it is there, and of a kind that is shown.
 *
 * @param url  of the page, with the token if it takes one
 * @returns undefined: it does not say now
 */
export async function isShown(url: URL, key: string): Promise<boolean | undefined> {
  const asked = new URL('/api/object', url);
  asked.searchParams.set('key', key);
  const token = url.searchParams.get('token');
  try {
    const answer = await fetch(asked, {
      headers: token === null ? {} : { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (answer.status === 404) return false;
    if (!answer.ok) return undefined;
    const { object } = (await answer.json()) as Partial<Inspected>;
    return object !== undefined;
  } catch {
    return undefined;
  }
}
