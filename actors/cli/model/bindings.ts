// The bindings of a model as the commands are told them: a file that is named, or lies in the directory of the model.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BINDINGS_FILE, type Binding, parseBindings } from '../../../adapters/ocm/kinds/mod.ts';
import { orRefuse } from './session.ts';

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
    orRefuse(() => readFileSync(path, 'utf8')),
    path,
  );
}
