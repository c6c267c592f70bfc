// `troupe csi-proxy gen`: servers, clients and conversions from protos.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  DEFAULT_BASES,
  newGroup,
  newVersion,
  Orphans,
  RUNTIME,
  type RunResult,
  run,
} from '../../../adapters/csi-proxy/generator/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { parsed } from '../command-line.ts';
import type { CsiProxyCommand } from './command.ts';
import { USAGES } from './usage.ts';

export const gen: CsiProxyCommand = async (args, { cwd, out }) => {
  const { values, positionals } = parsed(USAGES.gen, args);
  if (!existsSync(RUNTIME.codec)) throw new TerminalError("'gen' works in a checkout of the sources, not in a package");
  const folder = (given: string | undefined, otherwise: string): string =>
    given === undefined ? otherwise : resolve(cwd, given);
  const bases = {
    api: folder(values.api, DEFAULT_BASES.api),
    server: folder(values.server, DEFAULT_BASES.server),
    client: folder(values.client, DEFAULT_BASES.client),
  };
  const { ok, report } = asked(positionals, {
    bases,
    root: cwd,
    orphans: orphansOf(values.orphans),
    isCheck: values.check === true,
    isQuiet: values.quiet === true,
  });
  out.write(report);
  return ok ? 0 : 1;
};

function orphansOf(value: string | undefined): Orphans {
  if (value === undefined) return Orphans.Fail;
  if (value === Orphans.Keep || value === Orphans.Delete) return value;
  throw new TerminalError(`--orphans is keep or delete; got '${value}'`);
}

type Asked = Required<Omit<Parameters<typeof run>[0], 'inputs'>>;

/** @throws {TerminalError} the call makes no sense */
function asked([first, ...rest]: readonly string[], options: Asked): RunResult {
  if (first !== 'new-group' && first !== 'new-version') {
    return run(first === undefined ? options : { ...options, inputs: [first, ...rest] });
  }
  if (options.isCheck) throw new TerminalError(`'${first}' writes: it goes without --check`);
  const [name, from, to, ...others] = rest;
  try {
    if (first === 'new-group' && name !== undefined && from === undefined) return newGroup(name, options);
    if (
      first === 'new-version' &&
      name !== undefined &&
      from !== undefined &&
      to !== undefined &&
      others.length === 0
    ) {
      return newVersion(name, from, to, options);
    }
  } catch (error) {
    throw error instanceof RangeError ? new TerminalError(error.message, { cause: error }) : error;
  }
  throw new TerminalError(
    `usage: troupe csi-proxy gen ${first} ${first === 'new-group' ? '<name>' : '<group> <from> <to>'}`,
  );
}
