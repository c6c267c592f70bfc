// What was made of what: a file of checksums, as `sha256sum -c` reads it, of all sources and of all that kustomize's part
// was needed for. So it is seen without kubectl that a source was changed and nothing made anew, or that what was made was
// edited.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const SUMS_FILE = 'rendered.sha256';
/** What is made; and what has no part in it. */
const MADE = ['install.yaml', 'chart/'];
const SOURCES =
  /^(base|bus|crds|default|egress|monitoring|nats|roles|visualizer|webhooks|windows)\/.*\.(yaml|json)$|^render\/.*\.ts$/;

/** The file's text for what is in the folder now. */
export async function sumsOf(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll('\\', '/').replace(/^\//, ''))
    .filter(
      (name) =>
        SOURCES.test(name) || MADE.some((made) => name === made || (made.endsWith('/') && name.startsWith(made))),
    )
    .sort();
  const lines = await Promise.all(
    names.map(
      async (name) =>
        `${createHash('sha256')
          .update(await readFile(join(folder, name)))
          .digest('hex')}  ${name}`,
    ),
  );
  return `${lines.join('\n')}\n`;
}

/** Names of files that are not what they were when the sums were written: changed, new or gone. */
export async function changedSince(folder: string): Promise<readonly string[]> {
  const lines = (text: string): Set<string> => new Set(text.split('\n').filter((line) => line !== ''));
  const then = lines(await readFile(join(folder, SUMS_FILE), 'utf8').catch(() => ''));
  const now = lines(await sumsOf(folder));
  const nameOf = (line: string): string => line.slice(line.indexOf('  ') + 2);
  // mutant: sums-miss-gone ...#2.1 -> $1.difference($0.1)
  return [...new Set([...then.symmetricDifference(now)].map(nameOf))].sort();
}
