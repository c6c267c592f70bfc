// What an editor waits for: from an edit on its way to the language server to the complaints about it, over the protocol.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mulberry32 } from '../../actors/base/clock.ts';
import { startEditor } from '../adapters/ocm/editor.ts';

const EDITS = 200;

/** Edits files of a model one after another, those of large versions most often. @returns milliseconds */
export async function editorFigures(root: string): Promise<Record<'lsp.p50' | 'lsp.p99', number>> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.model'))
    .sort()
    .map((file) => join(root, file));
  const editor = await startEditor([root]);
  const random = mulberry32(3);
  const took: number[] = [];
  for (let index = 0; index < EDITS; index++) {
    const file = files[Math.floor(random() * files.length)] ?? '';
    const text = readFileSync(file, 'utf8');
    await editor.open(file, text);
    // Nothing is in the way of what is measured.
    await editor.hover(file, text.slice(0, 1).concat('|'));
    const name = `Edited${'x'.repeat(index)}`;
    const start = performance.now();
    await editor.edit(file, text, `${text}\nstruct ${name} {\n\tName ${name}Strin\n}\n`);
    await editor.complaints(file, (found) => found.some(({ message }) => String(message).includes(`${name}Strin'`)));
    took.push(performance.now() - start);
    await editor.close(file);
  }
  await editor.quit();
  took.sort((a, b) => a - b);
  const percentile = (share: number): number => took[Math.floor((EDITS - 1) * share)] ?? 0;
  return { 'lsp.p50': percentile(0.5), 'lsp.p99': percentile(0.99) };
}
