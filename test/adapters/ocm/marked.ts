// Model texts with the complaints they deserve written into them: `⟨code⟩` stands directly before the place.
import * as assert from 'uvu/assert';
import type { Diagnostic } from '../../../adapters/ocm/model/mod.ts';
import { Workspace } from '../../../adapters/ocm/model/mod.ts';

/** Texts by path; a path without directories is a file of `svc/v1`. */
export type MarkedFiles = Readonly<Record<string, string>>;

interface Expected {
  readonly at: string;
  readonly code: string;
}

const MARKER = /⟨([a-z.-]+)⟩/u;

/** A version needs a root; files that declare none get one more file. */
export const ROOT: MarkedFiles = { 'zz_root.model': 'resource Root {\n}\n' };

/** Checks marked files and compares place and code of every complaint. @returns what was complained about */
export function complaints(files: MarkedFiles, { roots = 1 }: { roots?: number } = {}): Diagnostic[] {
  const workspace = new Workspace({ roots });
  const expected: Expected[] = [];
  for (const [name, marked] of Object.entries(files)) {
    const file = name.includes('/') ? name : `svc/v1/${name}`;
    const { text, marks } = unmark(file, marked);
    workspace.set(file, text);
    expected.push(...marks);
  }
  const found = workspace.diagnostics();
  assert.equal(
    found.map(({ place, code }) => ({ at: `${place.file}:${place.line}:${place.column}`, code })).sort(byPlace),
    expected.sort(byPlace),
    found.map(({ place, message }) => `${place.line}:${place.column} ${message}`).join('\n'),
  );
  return found;
}

function unmark(file: string, marked: string): { text: string; marks: Expected[] } {
  const marks: Expected[] = [];
  let text = marked;
  for (let match = MARKER.exec(text); match !== null; match = MARKER.exec(text)) {
    const before = text.slice(0, match.index).split('\n');
    const column = [...(before.at(-1) ?? '')].length + 1;
    marks.push({ at: `${file}:${before.length}:${column}`, code: match[1] ?? '' });
    text = text.slice(0, match.index) + text.slice(match.index + match[0].length);
  }
  return { text, marks };
}

function byPlace(a: Expected, b: Expected): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : a.code < b.code ? -1 : 1;
}
