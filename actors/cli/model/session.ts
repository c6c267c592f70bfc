// The common part of the commands of `troupe model`: their arguments, a model that is read and checked, and read again when it
// changes.

import {
  type Diagnostic,
  readModel,
  Severity,
  type Skipped,
  Workspace,
  watchModel,
} from '../../../adapters/ocm/model/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { systemClock } from '../../base/clock.ts';
import { plain } from '../../base/printable.ts';
import { stopSignal } from '../../process/process.ts';
import { parsed, type Usage } from '../command-line.ts';
import { counted } from './counted.ts';
import { tellAll } from './problems.ts';

/** Reading that takes longer shows how far it is. */
const PATIENCE_MS = 500;
const PROGRESS_EVERY_MS = 100;

export interface ModelArguments {
  readonly roots: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

/** A model without errors, and the complaints about it. */
export interface Checked {
  readonly workspace: Workspace;
  readonly warnings: number;
}

export interface ModelUse {
  readonly roots: readonly string[];
  readonly watch: boolean;
  readonly report?: (diagnostics: readonly Diagnostic[]) => void;
}

/** @throws {TerminalError} an unknown option, or no directory */
export function modelArguments(usage: Usage, args: readonly string[]): ModelArguments {
  const { values, positionals } = parsed(usage, args);
  if (positionals.length === 0) throw new TerminalError('a directory of a model is missing');
  return { roots: positionals, values: values as ModelArguments['values'] };
}

/**
 * Reads a model, reports its diagnostics, and runs some work if it has no errors; with `watch` again after every
 * change, until the process receives the signal to stop.
 *
 * @param of.report  takes all complaints each time; unless told, they and their number go to standard error
 * @param work  @returns the exit code
 * @returns the exit code of the last time: 1 for a model with errors, else what `work` said
 * @throws {TerminalError} a directory that cannot be read, or that has no service
 */
export async function withModel(
  { roots, watch, report }: ModelUse,
  work: (checked: Checked) => Promise<number> | number,
): Promise<number> {
  const clock = systemClock();
  const workspace = new Workspace({ roots: roots.length });
  const signal = watch ? stopSignal() : undefined;
  // Watched first: what changes while it is read is not missed.
  const changes = signal && orRefuse(() => watchModel({ workspace, roots, clock, signal }));
  readOrRefuse(workspace, roots, clock);
  const once = async (): Promise<number> => {
    const { errors, warnings } = report === undefined ? complain(workspace) : countOf(workspace.diagnostics());
    report?.(workspace.diagnostics());
    if (errors === 0) return await work({ workspace, warnings });
    if (report !== undefined) return 1;
    process.stderr.write(`${counted(errors, 'error')}, ${counted(warnings, 'warning')}\n`);
    return 1;
  };
  let code = await once();
  for await (const _ of changes ?? []) code = await once();
  return code;
}

/**
 * Reads a model once and complains about it.
 *
 * @param of.warnings  which warnings are printed
 * @returns undefined for one with errors
 * @throws {TerminalError} a directory that cannot be read, or that has no service
 */
export function checkedModel(
  roots: readonly string[],
  of: { readonly warnings: (warning: Diagnostic) => boolean },
): Workspace | undefined {
  const workspace = new Workspace({ roots: roots.length });
  readOrRefuse(workspace, roots, systemClock());
  return complain(workspace, of.warnings).errors === 0 ? workspace : undefined;
}

function readOrRefuse(workspace: Workspace, roots: readonly string[], clock: Clock): void {
  const progress = process.stderr.isTTY ? new Progress(clock, 'reading model files') : undefined;
  const { versions, skipped } = orRefuse(() => readModel(workspace, roots, (done, of) => progress?.at(done, of)));
  progress?.clear();
  tellSkipped(skipped);
  if (versions > 0) return;
  throw new TerminalError(`no model in '${roots.join("', '")}': it is expected in <dir>/<service>/<version>/*.model`);
}

/** Says which links were left out. */
export function tellSkipped(skipped: readonly Skipped[]): void {
  for (const { path, reason } of skipped)
    process.stderr.write(`troupe: ${plain(`'${path}' is left out: ${reason}`)}\n`);
}

/** A directory that cannot be read is the caller's mistake. */
export function orRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new TerminalError(error.message, { cause: error });
  }
}

function complain(
  workspace: Workspace,
  isTold: (warning: Diagnostic) => boolean = () => true,
): { errors: number; warnings: number } {
  const diagnostics = workspace.diagnostics().filter((each) => each.severity === Severity.Error || isTold(each));
  tellAll(diagnostics, (file) => workspace.syntax(file)?.text);
  return countOf(diagnostics);
}

function countOf(diagnostics: readonly Diagnostic[]): { errors: number; warnings: number } {
  const errors = diagnostics.filter(({ severity }) => severity === Severity.Error).length;
  return { errors, warnings: diagnostics.length - errors };
}

/** One line on the terminal that says how far something is, if it takes long. */
export class Progress {
  readonly #clock: Clock;
  readonly #what: string;
  #nextAt: number;
  #shown = false;

  constructor(clock: Clock, what: string) {
    this.#clock = clock;
    this.#what = what;
    this.#nextAt = clock.now() + PATIENCE_MS;
  }

  at(done: number, of: number): void {
    const now = this.#clock.now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + PROGRESS_EVERY_MS;
    this.#shown = true;
    process.stderr.write(`\r${this.#what}: ${done} of ${of}`);
  }

  clear(): void {
    if (this.#shown) process.stderr.write('\r\x1b[K');
  }
}
