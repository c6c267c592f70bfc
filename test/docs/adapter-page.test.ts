// The page for authors of adapters: the tutorial is short, and every public name has its place there, a description and an example.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentedIn } from '../adapters/surface.ts';
import { blocksOf, ROOT } from './blocks.ts';

const test = suite('page of adapters');
const PAGE = 'adapters/README.md';
const MODULES = ['adapters/mod.ts', 'actors/testing/mod.ts'];
/** Code that adapters outside of Troupe consist of. */
const EXAMPLES = ['adapters/template', 'test/example-adapter'];
const LONGEST_TUTORIAL = 80;

async function examples(): Promise<string> {
  const page = await readFile(join(ROOT, PAGE), 'utf8');
  const texts = blocksOf(PAGE, page).map(({ text }) => text);
  // Spans of code on the page count: most calls fit in one.
  for (const [, span = ''] of page.matchAll(/`([^`\n]+)`/g)) if (/[({=]/.test(span)) texts.push(span);
  for (const folder of EXAMPLES) {
    for (const file of await readdir(join(ROOT, folder), { recursive: true }))
      if (file.endsWith('.ts')) texts.push(await readFile(join(ROOT, folder, file), 'utf8'));
  }
  return texts.join('\n');
}

const has = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);

test('35.C5: one kind, from nothing to running, takes 80 lines', async () => {
  const page = await readFile(join(ROOT, PAGE), 'utf8');
  const [, tutorial = ''] = page.split(/^## Tutorial: one kind.*$/m);
  const lines = tutorial.split(/^## /m)[0]?.trim().split('\n') ?? [];
  assert.ok(lines.length > 20 && lines.length <= LONGEST_TUTORIAL, `${lines.length} lines`);
});

test('35.C5: every public name is on the page, and every member is described there or at its declaration', async () => {
  const code = [...(await readFile(join(ROOT, PAGE), 'utf8')).matchAll(/```[\s\S]*?```|`[^`]+`/g)].join('\n');
  const missing: string[] = [];
  for (const module of MODULES) {
    for (const { name, members } of await documentedIn(module)) {
      if (!has(code, name)) missing.push(name);
      for (const member of members)
        if (member.comment === '' && !has(code, member.name)) missing.push(`${name}.${member.name}`);
    }
  }
  assert.equal(missing, []);
});

test('35.C2: every public name has a description and an example', async () => {
  const code = await examples();
  const lacking: string[] = [];
  for (const module of MODULES) {
    for (const { name, from, comment } of await documentedIn(module)) {
      if (comment === '') lacking.push(`${from}: ${name} has no description`);
      // The type of a schema, of a port or of a result is seen in what makes it or takes it.
      if (/^[a-z]/.test(name) && !comment.includes('@example') && !has(code, name))
        lacking.push(`${from}: ${name} has no example`);
    }
  }
  assert.equal(lacking, []);
});

test.run();
