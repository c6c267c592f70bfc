// `troupe model fmt`: the one layout of model files.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { format, modelFilesBelow, parse } from '../../../adapters/ocm/model/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { counted } from './counted.ts';
import { Complaints } from './problems.ts';
import { modelArguments, orRefuse, tellSkipped } from './session.ts';
import { unifiedDiff } from './unified.ts';
import { USAGES } from './usage.ts';

/** Stands for standard input, whose layout goes to standard output. */
const INPUT = '-';

/**
 * Names the files that change, or with `--check` those that would, or with `--diff` shows how; a file with errors stays
 * as it is.
 */
export async function run(args: readonly string[]): Promise<number> {
  const { roots, values } = modelArguments(USAGES.fmt, args);
  const [diff, check] = [values['diff'] === true, values['check'] === true];
  if (roots.includes(INPUT)) {
    if (roots.length > 1) throw new TerminalError("standard input, '-', cannot be laid out together with files");
    return await layOutInput({ diff, check });
  }
  const files = [...new Set(roots.flatMap(modelFiles))];
  const complaints = new Complaints();
  let changed = 0;
  let broken = 0;
  for (const file of files) {
    const { text, formatted } = laidOut(file, readFileSync(file), complaints);
    if (formatted === undefined) broken++;
    else if (formatted !== text) {
      changed++;
      process.stdout.write(diff ? unifiedDiff(file, text, formatted) : `${file}\n`);
      if (!diff && !check) orRefuse(() => writeFileSync(file, formatted));
    }
  }
  complaints.tellRest();
  const done = diff || check ? `${changed === 1 ? 'needs' : 'need'} another layout` : 'got another layout';
  const left = broken === 0 ? '' : `, ${broken} left unchanged because of errors`;
  process.stderr.write(`${counted(files.length, 'file')}: ${changed} ${done}${left}\n`);
  return broken > 0 || ((diff || check) && changed > 0) ? 1 : 0;
}

/** @returns no layout for what has errors, which were complained about */
function laidOut(
  file: string,
  bytes: Uint8Array,
  complaints: Complaints,
): { text: string; formatted: string | undefined } {
  const syntax = parse(file, bytes);
  const { text, diagnostics } = syntax;
  for (const diagnostic of diagnostics) complaints.report(diagnostic, text);
  return { text, formatted: diagnostics.length > 0 ? undefined : format(syntax) };
}

async function layOutInput({ diff, check }: { diff: boolean; check: boolean }): Promise<number> {
  const complaints = new Complaints();
  const { text, formatted } = laidOut('<stdin>', await buffer(process.stdin), complaints);
  complaints.tellRest();
  if (formatted === undefined) return 1;
  if (diff) process.stdout.write(unifiedDiff('<stdin>', text, formatted));
  else if (!check) process.stdout.write(formatted);
  return (diff || check) && formatted !== text ? 1 : 0;
}

/** @throws {TerminalError} the path cannot be read, or has no model file */
function modelFiles(path: string): string[] {
  const stat = orRefuse(() => statSync(path, { throwIfNoEntry: false }));
  if (stat === undefined) throw new TerminalError(`there is no '${path}'`);
  if (!stat.isDirectory()) return [path];
  const { files, skipped } = orRefuse(() => modelFilesBelow(path));
  tellSkipped(skipped);
  if (files.length === 0) throw new TerminalError(`there is no model file in '${path}'`);
  return files;
}
