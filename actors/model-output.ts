// What the generators of `troupe model` share: a model in, files out, all of them or none.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Model } from '../adapters/ocm/model/mod.ts';
import { TerminalError } from '../bus/errors.ts';
import { systemClock } from './clock.ts';
import { counted, type ModelArguments, modelArguments, Progress, withModel } from './model-session.ts';

/** Texts by path below the output folder. */
export type OutputFiles = ReadonlyMap<string, string>;

const OPTIONS = { output: { type: 'string', short: 'o' }, watch: { type: 'boolean' } } as const;

/**
 * Runs a generator; with `--watch` again after every change.
 *
 * @param make  called for a model without errors; nothing is written before it is done
 * @throws {TerminalError} the call makes no sense, or the files cannot be written
 */
export async function generate(
  args: readonly string[],
  options: ParseArgsOptionsConfig,
  make: (model: Model, values: ModelArguments['values']) => OutputFiles,
): Promise<number> {
  const { roots, values } = modelArguments(args, { ...options, ...OPTIONS });
  const output = values['output'];
  if (typeof output !== 'string' || output === '') throw new TerminalError('--output needs a folder to write to');
  for (const root of roots) {
    const below = relative(resolve(root), resolve(output));
    if (below === '' || below.startsWith('..') || isAbsolute(below)) continue;
    throw new TerminalError(`the output '${output}' is inside the model '${root}', and would be read as a part of it`);
  }
  return await withModel({ roots, watch: values['watch'] === true }, ({ workspace }) => {
    const files = make(workspace.model(), values);
    const written = write(output, files);
    process.stdout.write(`${counted(files.size, 'file')} in ${output}, ${written} written\n`);
    return 0;
  });
}

/** Writes the files whose text is another: beside them first, so that when one cannot be written none has changed. */
function write(output: string, files: OutputFiles): number {
  const changed = [...files].map(([file, text]) => ({ path: join(output, file), text })).filter(isChanged);
  const staged = (path: string): string => `${path}.${process.pid}.tmp`;
  const progress = process.stderr.isTTY ? new Progress(systemClock(), 'writing files') : undefined;
  const stages: string[] = [];
  try {
    for (const folder of new Set(changed.map(({ path }) => dirname(path)))) mkdirSync(folder, { recursive: true });
    for (const { path, text } of changed) {
      stages.push(staged(path));
      writeFileSync(staged(path), text);
      progress?.at(stages.length, changed.length);
    }
    for (const { path } of changed) renameSync(staged(path), path);
  } catch (error) {
    for (const stage of stages) rmSync(stage, { force: true });
    if (!(error instanceof Error)) throw error;
    throw new TerminalError(`nothing could be written to '${output}': ${error.message}`, { cause: error });
  } finally {
    progress?.clear();
  }
  return changed.length;
}

function isChanged({ path, text }: { path: string; text: string }): boolean {
  try {
    return readFileSync(path, 'utf8') !== text;
  } catch {
    // What is not there, or cannot be read, is written, which then says what is wrong with it.
    return true;
  }
}
