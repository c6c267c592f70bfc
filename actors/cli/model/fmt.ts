// `troupe model fmt`: the one layout of model files.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, parse, renderDiagnostic } from '../../../adapters/ocm/model/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { counted, modelArguments } from './session.ts';

const OPTIONS = { check: { type: 'boolean' } } as const;

/** Names the files that change, or with `--check` those that would; a file with errors stays as it is. */
export async function run(args: readonly string[]): Promise<number> {
  const { roots, values } = modelArguments(args, OPTIONS);
  const onlyCheck = values['check'] === true;
  const files = roots.flatMap(modelFiles);
  let changed = 0;
  let broken = 0;
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const syntax = parse(file, text);
    for (const diagnostic of syntax.diagnostics) process.stderr.write(`${renderDiagnostic(diagnostic, text)}\n`);
    if (syntax.diagnostics.length > 0) {
      broken++;
      continue;
    }
    const formatted = format(syntax);
    if (formatted === text) continue;
    changed++;
    process.stdout.write(`${file}\n`);
    if (!onlyCheck) writeFileSync(file, formatted);
  }
  const done = `${changed} ${onlyCheck ? (changed === 1 ? 'needs' : 'need') : 'got'} another layout`;
  const left = broken === 0 ? '' : `, ${broken} left alone because of errors`;
  process.stderr.write(`${counted(files.length, 'file')}: ${done}${left}\n`);
  return broken > 0 || (onlyCheck && changed > 0) ? 1 : 0;
}

/** @throws {TerminalError} the path cannot be read, or has no model file */
function modelFiles(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new TerminalError(`there is no '${path}'`);
  if (!stat.isDirectory()) return [path];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.model') && !/(?:^|[\\/])\./.test(file))
    .sort();
  if (files.length === 0) throw new TerminalError(`there is no model file in '${path}'`);
  return files.map((file) => join(path, file));
}
