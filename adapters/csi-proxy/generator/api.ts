// API of a group from its protos, checked against the rules for a group.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  allEnums,
  allMessages,
  type Enum,
  type Message,
  ProtoError,
  type ProtoFile,
  type Rpc,
  readProto,
  SCALARS,
  type Service,
} from '../protos/mod.ts';
import type { FoundGroup, FoundVersion } from './discover.ts';
import type { Problem } from './problem.ts';

export interface VersionApi {
  readonly group: string;
  readonly version: string;
  readonly proto: ProtoFile;
  readonly service: Service;
  /** Messages by path, in the order of the file. */
  readonly messages: ReadonlyMap<string, Message>;
  readonly enums: ReadonlyMap<string, Enum>;
  /** Text after `Deprecated:` above `package`, and the rest of that comment; undefined if it is not deprecated. */
  readonly deprecation: string | undefined;
}

export interface ReadGroup {
  /** The oldest first; without those that have problems. */
  readonly versions: readonly VersionApi[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** `new_group` is served by `NewGroup`. */
export function serviceName(group: string): string {
  return group.replace(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase());
}

/** In TypeScript nested messages have the names of those around them: `Outer_Inner`. */
export function typeName(path: string): string {
  return path.replaceAll('.', '_');
}

/** `ListDisks` is `listDisks` in TypeScript. */
export function methodName(rpc: string): string {
  return rpc.charAt(0).toLowerCase() + rpc.slice(1);
}

/** Names of scalars and maps in internal types, or that TypeScript reserves. */
const TAKEN_TYPE_NAMES = new Set([
  ...['Map', ...SCALARS, 'text'],
  ...`await break case catch class const continue debugger default delete do else enum export extends false finally for
   function if implements import in instanceof interface let new null package private protected public return static
   super switch this throw true try typeof var void while with yield any bigint boolean never number object
   symbol undefined unknown arguments eval`.split(/\s+/),
]);
/** A client has these itself, and a promise of one that has `then` would never be kept. */
const TAKEN_METHOD_NAMES = ['close', 'constructor', 'then'];

/** @param shown  a path for people */
export function readGroup(group: FoundGroup, shown: (path: string) => string): ReadGroup {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const versions = group.versions.flatMap((version) => {
    const read = readVersion(group, version, shown);
    problems.push(...read.problems);
    if (read.api === undefined) return [];
    warnings.push(...unreachable(read.api));
    return [read.api];
  });
  if (problems.length === 0) problems.push(...inconsistent(group.name, versions));
  return { versions, problems, warnings };
}

function readVersion(
  { name: group }: FoundGroup,
  { name: version, folder }: FoundVersion,
  shown: (path: string) => string,
): { readonly api?: VersionApi; readonly problems: readonly Problem[] } {
  const path = join(folder, 'api.proto');
  const file = shown(path);
  let proto: ProtoFile;
  try {
    proto = readProto(readFileSync(path, 'utf8'), file);
  } catch (error) {
    if (error instanceof ProtoError) return { problems: error.problems };
    throw error;
  }
  const problems: Problem[] = [...proto.unsupported];
  const expected = serviceName(group);
  if (proto.package?.name !== version) {
    const found = proto.package === undefined ? 'there is none' : `it is '${proto.package.name}'`;
    problems.push({ at: proto.package?.at ?? { file }, message: `the package must be '${version}'; ${found}` });
  }
  const service = proto.services.find(({ name }) => name === expected);
  if (service === undefined) {
    const names = proto.services.map(({ name }) => `'${name}'`).join(', ') || 'none';
    problems.push({
      at: proto.services[0]?.at ?? { file },
      message: `did not find interface ${expected}Server: the service of group '${group}' is '${expected}'; services of the file: ${names}`,
    });
  }
  for (const { at, name } of proto.services.filter((other) => service !== undefined && other !== service)) {
    problems.push({ at, message: `'${name}' is one service too many: a version has one` });
  }
  problems.push(...nameProblems(proto));
  if (service === undefined || problems.length > 0) return { problems };
  return {
    problems,
    api: {
      group,
      version,
      proto,
      service,
      messages: new Map(allMessages(proto).map((message) => [message.path, message])),
      enums: new Map(allEnums(proto).map((of) => [of.path, of])),
      deprecation: deprecationOf(proto),
    },
  };
}

function deprecationOf({ package: declared }: ProtoFile): string | undefined {
  if (declared?.deprecated !== true) return undefined;
  return declared.comment.replace(/^[\s\S]*?^Deprecated:[ \t]*/m, '').trim();
}

function nameProblems(proto: ProtoFile): readonly Problem[] {
  const problems: Problem[] = [];
  const types = new Map<string, string>(proto.services.map(({ name }) => [name, name]));
  for (const { path, at } of [...allMessages(proto), ...allEnums(proto)]) {
    const name = typeName(path);
    const namesake = types.get(name);
    if (namesake !== undefined && namesake !== path) {
      problems.push({ at, message: `'${path}' and '${namesake}' are both '${name}' in TypeScript` });
    }
    types.set(name, path);
    if (TAKEN_TYPE_NAMES.has(name))
      problems.push({ at, message: `'${name}' has another meaning in TypeScript, or in internal types` });
  }
  for (const { path, jsonName, at } of allMessages(proto).flatMap(({ fields }) => fields)) {
    if (!/^[A-Za-z_$][\w$]*$/.test(jsonName) || jsonName === '__proto__') {
      problems.push({ at, message: `'${jsonName}', the JSON name of '${path}', is no name in TypeScript` });
    }
  }
  for (const { rpcs } of proto.services) {
    const methods = new Map<string, string>();
    for (const { name, at } of rpcs) {
      const method = methodName(name);
      const namesake = methods.get(method);
      if (namesake !== undefined) {
        problems.push({ at, message: `RPCs '${name}' and '${namesake}' are both '${method}' in TypeScript` });
      }
      methods.set(method, name);
      if (TAKEN_METHOD_NAMES.includes(method)) {
        problems.push({ at, message: `RPC '${name}': '${method}' is a name of the client's own` });
      }
    }
  }
  return problems;
}

/** The messages that can be met from some, those included; in the order of the file. */
export function reachable(api: VersionApi, from: readonly string[]): readonly Message[] {
  const met = new Set<string>();
  const meet = (path: string): void => {
    if (met.has(path)) return;
    met.add(path);
    for (const { type } of api.messages.get(path)?.fields ?? []) if (type.kind === 'message') meet(type.name);
  };
  for (const path of from) meet(path);
  return [...api.messages.values()].filter(({ path }) => met.has(path));
}

function unreachable(api: VersionApi): readonly Problem[] {
  const met = new Set(
    reachable(
      api,
      api.service.rpcs.flatMap(({ request, response }) => [request, response]),
    ),
  );
  return [...api.messages.values()]
    .filter((message) => !met.has(message))
    .map(({ at, path }) => ({ at, message: `no RPC uses message '${path}'` }));
}

function inconsistent(group: string, versions: readonly VersionApi[]): readonly Problem[] {
  const rpcs = Map.groupBy(
    versions.flatMap(({ version, service }) => service.rpcs.map((rpc) => ({ version, rpc }))),
    ({ rpc }) => rpc.name,
  );
  const types = ({ request, response }: Rpc): string => `(${typeName(request)}) returns (${typeName(response)})`;
  return [...rpcs.values()].flatMap((uses) => {
    const [first] = uses;
    const other = uses.find(({ rpc }) => first !== undefined && types(rpc) !== types(first.rpc));
    if (other === undefined) return [];
    const lines = uses.map(({ version, rpc }) => `  ${version}: ${rpc.name}${types(rpc)}`);
    const message = `Endpoint ${other.rpc.name} in API group ${group} inconsistent across versions:\n${lines.join('\n')}`;
    return [{ at: other.rpc.at, message }];
  });
}
