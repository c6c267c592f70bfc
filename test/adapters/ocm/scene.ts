// An editor with two services of our own open.
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { OWN } from './corpus.ts';
import { type Editor, startEditor } from './editor.ts';

export interface Scene {
  readonly editor: Editor;
  /** Path of a file from the services down. */
  at(file: string): string;
  /** Opens a file of the disk in the editor. */
  open(file: string): Promise<string>;
}

/** A folder with two services below `model`, and an editor that has it open. */
export async function withEditor(work: (scene: Scene) => Promise<void>, roots: readonly string[] = []): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-lsp-'));
  try {
    await cp(OWN, join(folder, 'model'), { recursive: true });
    const editor = await startEditor(
      roots.length === 0 ? [folder] : [],
      roots.map((root) => join(folder, root)),
    );
    const at = (file: string): string => join(folder, 'model', file);
    const open = async (file: string): Promise<string> => {
      const path = at(file);
      await editor.open(path, await readFile(path, 'utf8'));
      return path;
    };
    await work({ editor, at, open });
    assert.is(await editor.quit(), 0);
  } finally {
    await rm(folder, { recursive: true });
  }
}
