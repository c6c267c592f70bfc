// `troupe convert [FILE...]`: manifests in another version of their API, without a cluster.

import type { readFile, writeFile } from 'node:fs/promises';
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { TerminalError, toErrorData } from '../../../bus/mod.ts';
import { plain } from '../../base/printable.ts';

/** Name of the standard input, as many commands have it. */
const STANDARD_INPUT = '-';

export interface ConvertDeps {
  readonly adapters: readonly Pick<Adapter, 'manifests'>[];
  /** Files, or `-` for `input`, which is converted if there are none. */
  readonly names: readonly string[];
  /** Undefined: the latest one of each adapter. */
  readonly version: string | undefined;
  /** Files are written in place of being printed. */
  readonly isInPlace: boolean;
  readonly readFile: typeof readFile;
  readonly writeFile: typeof writeFile;
  readonly input: AsyncIterable<Buffer | string>;
  readonly out: NodeJS.WritableStream;
  readonly notes: NodeJS.WritableStream;
}

/**
 * Objects that cannot be converted stay as they are, and are reported with file, line and document; a file with such a
 * document is not written.
 *
 * @returns the exit code: 0, 1 if something could not be converted, or 2 if a text is neither YAML nor JSON
 * @throws {TerminalError} the call makes no sense, or a file cannot be read
 */
export async function convert(deps: ConvertDeps): Promise<number> {
  const { adapters, names, version, isInPlace, notes, out } = deps;
  const all = adapters.flatMap(({ manifests }) => manifests ?? []);
  const versions = [...new Set(all.flatMap((each) => each.versions))];
  if (version !== undefined && !versions.includes(version))
    throw new TerminalError(`--to must be one of ${versions.join(', ')}; got '${version}'`);
  if (isInPlace && (names.length === 0 || names.includes(STANDARD_INPUT)))
    throw new TerminalError('--write needs files that are written');
  const texts: string[] = [];
  let problems = 0;
  let isUnreadable = false;
  for (const given of names.length === 0 ? [STANDARD_INPUT] : names) {
    const name = given === STANDARD_INPUT ? undefined : given;
    const before = name === undefined ? await textOf(deps.input) : await readText(deps, name);
    let text = before;
    let found = 0;
    for (const manifests of all) {
      const to = version ?? manifests.versions.at(-1);
      if (to === undefined || !manifests.versions.includes(to)) continue;
      const converted = manifests.convert(text, to);
      text = converted.text;
      for (const { line, document, message } of converted.problems)
        notes.write(`${name ?? 'standard input'}:${line}: document ${document}: ${plain(message)}\n`);
      found += converted.problems.length;
      isUnreadable ||= converted.problems.some((problem) => problem.isUnreadable === true);
    }
    problems += found;
    if (!isInPlace) texts.push(text);
    else if (name !== undefined && found === 0 && text !== before) {
      await deps.writeFile(name, text);
      notes.write(`${name}\n`);
    }
  }
  if (!isInPlace) out.write(joined(texts));
  if (isUnreadable) return 2;
  return problems === 0 ? 0 : 1;
}

/** As one text: documents of different files are not to run into each other. */
function joined(texts: readonly string[]): string {
  return texts
    .map((text, at) => {
      const isSeparate = at === 0 || /^(?:\s*(?:#.*)?\n)*---/.test(text);
      const isEnded = text.endsWith('\n') || at === texts.length - 1;
      return `${isSeparate ? '' : '---\n'}${text}${isEnded ? '' : '\n'}`;
    })
    .join('');
}

async function textOf(input: AsyncIterable<Buffer | string>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of input) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

/** @throws {TerminalError} it cannot be read */
async function readText({ readFile }: Pick<ConvertDeps, 'readFile'>, name: string): Promise<string> {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    throw new TerminalError(`'${name}' cannot be read: ${toErrorData(error).message}`, { cause: error });
  }
}
