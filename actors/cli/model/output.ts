// The common part of the generators of `troupe model`: a model in, files out, all of them or none.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Model } from '../../../adapters/ocm/model/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { systemClock } from '../../base/clock.ts';
import { counted } from './counted.ts';
import {
  type Leftovers,
  leftoversOf,
  manifestName,
  nextManifest,
  readManifest,
  removeLeftovers,
  textOf,
} from './manifest.ts';
import { type ModelArguments, modelArguments, Progress, withModel } from './session.ts';
import { type CommandName, USAGES } from './usage.ts';

/** Texts by path below the output folder. */
export type OutputFiles = ReadonlyMap<string, string>;

/**
 * Runs a generator; with `--watch` again after every change, with `--check` only to say what it would do. Files that an
 * earlier run for the same model wrote, and this one does not, go.
 *
 * @param command  its name: files that it wrote are known by it
 * @param make  called for a model without errors; nothing is written before it is done, and nothing at all for undefined
 * @throws {TerminalError} the call makes no sense, or the files cannot be written
 */
export async function generate(
  command: CommandName,
  args: readonly string[],
  make: (model: Model, values: ModelArguments['values']) => OutputFiles | undefined,
): Promise<number> {
  const { roots, values } = modelArguments(USAGES[command], args);
  const output = values['output'];
  if (typeof output !== 'string' || output === '') throw new TerminalError('--output needs a folder to write to');
  for (const root of roots) {
    const below = relative(resolve(root), resolve(output));
    if (below === '' || below.startsWith('..') || isAbsolute(below)) continue;
    throw new TerminalError(`the output '${output}' is inside the model '${root}', and would be read as a part of it`);
  }
  const [watch, check] = [values['watch'] === true, values['check'] === true];
  if (watch && check) throw new TerminalError('--check says what is out of date once, --watch never ends');
  const model = roots.map((root) => relative(resolve(output), resolve(root)).split(sep).join('/')).join(' ');
  return await withModel({ roots, watch }, ({ workspace }) => {
    const files = make(workspace.model(), values);
    if (files === undefined) return 1;
    return orRefuseOutput(output, () => {
      const old = readManifest(output, command);
      const leftovers = leftoversOf(output, old, files, model);
      if (check) return tellDifferences(output, files, leftovers);
      const manifest = [manifestName(command), nextManifest(old, files, model)] as const;
      const written = write(output, files, manifest);
      removeLeftovers(output, leftovers.ours);
      for (const file of leftovers.changed) {
        process.stderr.write(`${join(output, file)}: not made any more, but edited, so it stays\n`);
      }
      const removed = leftovers.ours.length === 0 ? '' : `, ${leftovers.ours.length} removed`;
      process.stdout.write(`${counted(files.size, 'file')} in ${output}, ${written} written${removed}\n`);
      return 0;
    });
  });
}

/** @returns the exit code: 1 when something is not as it would be written */
function tellDifferences(output: string, files: OutputFiles, { ours, changed }: Leftovers): number {
  const lines = [
    ...[...files].flatMap(([file, text]) => {
      const found = textOf(join(output, file));
      if (found === text) return [];
      return [`${join(output, file)}: ${found === undefined ? 'missing' : 'out of date'}\n`];
    }),
    ...[...ours, ...changed].map((file) => `${join(output, file)}: not made any more\n`),
  ];
  process.stdout.write(lines.join(''));
  const state = lines.length === 0 ? 'all up to date' : `${lines.length} not up to date`;
  process.stderr.write(`${counted(files.size, 'file')} in ${output}: ${state}\n`);
  return lines.length === 0 ? 0 : 1;
}

/**
 * Writes the files whose text is another. One that is there is written beside itself and takes its place when all others
 * are written too: when one cannot be written, what is there stays as it was, and what is new goes.
 */
function write(output: string, files: OutputFiles, manifest: readonly [file: string, text: string]): number {
  const changed = [...files, manifest].flatMap(([file, text]) => {
    const path = join(output, file);
    const isNew = statSync(path, { throwIfNoEntry: false }) === undefined;
    if (!isNew && readFileSync(path, 'utf8') === text) return [];
    return [{ path, text, written: isNew ? path : `${path}.${process.pid}.tmp` }];
  });
  const progress = process.stderr.isTTY ? new Progress(systemClock(), 'writing files') : undefined;
  const begun: string[] = [];
  for (const folder of new Set(changed.map(({ path }) => dirname(path)))) makeFolder(folder);
  try {
    for (const { text, written } of changed) {
      begun.push(written);
      writeFileSync(written, text);
      progress?.at(begun.length, changed.length);
    }
    for (const { path, written } of changed) if (written !== path) renameSync(written, path);
  } catch (error) {
    for (const path of begun) rmSync(path, { force: true });
    throw error;
  } finally {
    progress?.clear();
  }
  return changed.filter(({ path }) => path !== join(output, manifest[0])).length;
}

/**
 * Makes a folder and those above it, from the top on. The system's own recursive call never comes back where a folder
 * seems not to be there and cannot be made either, as behind a link that leads nowhere or below /proc.
 */
function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = resolve(folder); statSync(at, { throwIfNoEntry: false })?.isDirectory() !== true; at = dirname(at)) {
    missing.unshift(at);
    if (at === dirname(at)) break;
  }
  for (const each of missing) {
    try {
      mkdirSync(each);
    } catch (error) {
      // Another one may make the same folder meanwhile.
      if (statSync(each, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
    }
  }
}

/** An error of the system is for the caller to repair. */
function orRefuseOutput<T>(output: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new TerminalError(`nothing could be written to '${output}': ${error.message}`, { cause: error });
  }
}
