// `troupe csi-proxy gen`: servers, clients and conversions from protos.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
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
import type { CsiProxyCommand } from './command.ts';

const USAGE = `troupe csi-proxy gen [<folder>...]
                                    generates servers, clients and conversions from <group>/<version>/api.proto; ends
                                    with 0, with 1 if something is wrong with the protos or what belongs to them
troupe csi-proxy gen new-group <name>
                                    starts a group: its first proto, and all that is generated from it
troupe csi-proxy gen new-version <group> <from> <to>
                                    starts a version as a copy of another, hand-written conversions included

A folder is the one with all protos, or another with a group in it, marked by a doc.ts with the line
// +csi-proxy-gen; ./new-group is a folder of that name.

  --check                           writes nothing; ends with 1 if something would be written
  --orphans keep|delete             what is done with hand-written files of versions that are gone
  --api, --server, --client FOLDER  where protos, servers and clients are; adapters/csi-proxy/api and so on unless told
`;

const OPTIONS = {
  check: { type: 'boolean' },
  orphans: { type: 'string' },
  api: { type: 'string' },
  server: { type: 'string' },
  client: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const gen: CsiProxyCommand = async (args, { cwd, out }) => {
  const { values, positionals } = parsed(args);
  if (values.help === true) {
    out.write(USAGE);
    return 0;
  }
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
  });
  out.write(report);
  return ok ? 0 : 1;
};

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new TerminalError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

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
