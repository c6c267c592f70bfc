// Models that a process is given: their classes become kinds, as the bindings say.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapter } from '../../adapters/api/adapter.ts';
import { modelAdapter, type WritesAs } from '../../adapters/ocm/adapter.ts';
import {
  BINDINGS_FILE,
  type Binding,
  bindingsOfAll,
  bindKinds,
  type ModelKind,
  parseBindings,
} from '../../adapters/ocm/kinds/mod.ts';
import { type Model, readModel, renderDiagnostic, Severity, Workspace } from '../../adapters/ocm/model/mod.ts';
import { TerminalError } from '../../bus/errors.ts';

/** Directories and bindings of a process's models. */
export interface ModelPlace {
  /** Directories of models. */
  readonly roots: readonly string[];
  /** Undefined: the file in the first directory, if there is one. */
  readonly bindings: string | undefined;
}

/** A model without errors, and its kinds. */
export interface LoadedModels {
  readonly model: Model;
  readonly kinds: readonly ModelKind[];
}

/** @throws {TerminalError} a model or a binding is wrong, or cannot be read */
export function loadModels({ roots, bindings: file }: ModelPlace): LoadedModels {
  const workspace = new Workspace({ roots: roots.length });
  const { versions } = readable(() => readModel(workspace, roots));
  if (versions === 0) throw new TerminalError(`no model in '${roots.join("', '")}'`);
  const errors = workspace.diagnostics().filter(({ severity }) => severity === Severity.Error);
  const [first] = errors;
  if (first !== undefined) {
    const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more: see 'troupe model check')`;
    throw new TerminalError(`the model has errors: ${renderDiagnostic(first, undefined).trimEnd()}${more}`);
  }
  const model = workspace.model();
  const bindings = readBindings(roots, file);
  const { kinds, problems } = bindKinds(model, bindings ?? bindingsOfAll(model));
  // Without bindings a class that fits in no kind is none.
  if (bindings !== undefined && problems.length > 0) throw new TerminalError(problems.join('; '));
  return { model, kinds };
}

/** @throws {TerminalError} as `loadModels` */
export function modelAdapterOf(place: ModelPlace, writesAs: WritesAs): Adapter {
  return modelAdapter(loadModels(place).kinds, writesAs);
}

/**
 * Reads the bindings.
 *
 * @param file  the one that was named; undefined for that of the first directory
 * @returns undefined where none was named and there is none
 * @throws {TerminalError} it cannot be read, or is wrong
 */
export function readBindings(roots: readonly string[], file: string | undefined): readonly Binding[] | undefined {
  const path = file ?? join(roots[0] ?? '', BINDINGS_FILE);
  if (file === undefined && statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  return parseBindings(
    readable(() => readFileSync(path, 'utf8')),
    path,
  );
}

/** Error of a model that cannot be read, for the caller to fix. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new TerminalError(error.message, { cause: error });
  }
}
