// `troupe csi-proxy call` and `ls`: csi-proxy for people at a prompt.
import { text } from 'node:stream/consumers';
import { pipePath } from '../../../adapters/csi-proxy/base/pipes.ts';
import { Code, codeName, StatusError } from '../../../adapters/csi-proxy/base/status.ts';
import { allServices } from '../../../adapters/csi-proxy/client/all_services_generated.ts';
import { openConnection } from '../../../adapters/csi-proxy/client/open-connection.ts';
import { servedVersions } from '../../../adapters/csi-proxy/client/open-newest.ts';
import { fromJson, type Method, toJson, WireError } from '../../../adapters/csi-proxy/codec/mod.ts';
import { AbsentError, TerminalError, TransientError, type TroupeError } from '../../../bus/errors.ts';
import { systemClock } from '../../base/clock.ts';
import { parsed } from '../command-line.ts';
import type { CsiProxyCommand } from './command.ts';
import { USAGES } from './usage.ts';

export const call: CsiProxyCommand = async (args, { out }) => {
  const { values, positionals } = parsed(USAGES.call, args);
  const [group, name, json = '{}', ...extra] = positionals;
  if (group === undefined || name === undefined || extra.length > 0) {
    throw new TerminalError("'call' takes a group, a method and a request, such as 'call disk ListDiskIDs'");
  }
  const clock = systemClock();
  const methods = methodsOf(group, name);
  const prefix = values['pipe-prefix'];
  const version = values.version ?? (await newestOf(group, [...methods.keys()], { prefix, pipe: values.pipe }));
  const method = methods.get(version);
  if (method === undefined) {
    throw new TerminalError(`${group} ${version} has no ${name}; these have: ${[...methods.keys()].join(', ')}`);
  }
  const request = requestOf(method, json === '-' ? await text(process.stdin) : json);
  const connection = await openConnection(values.pipe ?? pipePath(group, version, prefix), { clock });
  try {
    const timeout = values['timeout-ms'];
    const options = timeout === undefined ? {} : { timeoutMs: milliseconds(timeout) };
    const response = await connection.call(method, request, options);
    return print(out, `${JSON.stringify(toJson(method.response, response), undefined, 2)}\n`);
  } catch (error) {
    throw error instanceof StatusError ? forPeople(error) : error;
  } finally {
    connection.close();
  }
};

export const ls: CsiProxyCommand = async (args, { out }) => {
  const { values, positionals } = parsed(USAGES.ls, args);
  if (positionals.length > 0) throw new TerminalError(`'ls' goes without '${positionals[0]}'`);
  if (values.output !== 'text' && values.output !== 'json') {
    throw new TerminalError(`--output must be text or json; got '${values.output}'`);
  }
  const clock = systemClock();
  const pipePrefix = values['pipe-prefix'];
  const groups = await Promise.all(
    Object.entries(allServices).map(async ([group, versions]) => {
      const served = await servedVersions(group, Object.keys(versions), { clock, pipePrefix });
      return served.map((version) => ({ group, version, pipe: pipePath(group, version, pipePrefix) }));
    }),
  );
  const served = groups.flat();
  if (values.output === 'json') print(out, `${JSON.stringify(served, undefined, 2)}\n`);
  else if (served.length > 0) print(out, table([{ group: 'GROUP', version: 'VERSION', pipe: 'PIPE' }, ...served]));
  if (served.length === 0) throw new AbsentError(`no process serves on '${pipePath('*', '*', pipePrefix)}'`);
  return 0;
};

/** Method by version. */
function methodsOf(group: string, name: string): Map<string, Method<object, object>> {
  const versions = Object.hasOwn(allServices, group) ? allServices[group] : undefined;
  if (versions === undefined) {
    throw new TerminalError(`there is no group '${group}'; there is: ${Object.keys(allServices).join(', ')}`);
  }
  const methods = Object.entries(versions).flatMap(([version, service]) =>
    Object.values(service).map((method) => ({ version, method })),
  );
  const found = methods.filter(({ method }) => method.name.toLowerCase() === name.toLowerCase());
  if (found.length > 0) return new Map(found.map(({ version, method }) => [version, method]));
  const names = [...new Set(methods.map(({ method }) => method.name))].sort();
  throw new TerminalError(`group ${group} has no method '${name}'; it has: ${names.join(', ')}`);
}

async function newestOf(
  group: string,
  versions: readonly string[],
  { prefix, pipe }: { prefix: string; pipe: string | undefined },
): Promise<string> {
  if (pipe !== undefined) throw new TerminalError('--pipe needs --version: a pipe does not tell which one it serves');
  const [newest] = await servedVersions(group, versions, { clock: systemClock(), pipePrefix: prefix });
  if (newest !== undefined) return newest;
  throw new AbsentError(
    `no process serves ${versions.join(', ')} of group ${group} on '${pipePath(group, '*', prefix)}'`,
  );
}

function requestOf(method: Method<object, object>, json: string): object {
  try {
    return fromJson(method.request, JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new TerminalError(`the request is no JSON: ${error.message}`, { cause: error });
    if (error instanceof WireError) throw new TerminalError(`the request: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The status as `NOT_FOUND: ...`; a rejection by the server means an invalid call. */
function forPeople(error: StatusError): TroupeError {
  const message = `${codeName(error.code)}: ${error.message}`;
  const Kind = error.code === Code.InvalidArgument ? TerminalError : TransientError;
  return new Kind(message, { cause: error });
}

function milliseconds(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new TerminalError(`--timeout-ms must be a whole number of milliseconds, at least 1; got '${value}'`);
}

function table(rows: readonly { readonly group: string; readonly version: string; readonly pipe: string }[]): string {
  const width = (name: 'group' | 'version'): number => Math.max(...rows.map((row) => row[name].length)) + 2;
  const [groups, versions] = [width('group'), width('version')];
  return rows.map(({ group, version, pipe }) => `${group.padEnd(groups)}${version.padEnd(versions)}${pipe}\n`).join('');
}

function print(out: NodeJS.WritableStream, text: string): number {
  out.write(text);
  return 0;
}
