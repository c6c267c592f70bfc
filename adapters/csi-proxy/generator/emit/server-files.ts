// The generated files of a group's server: what all versions share, each version, and the group.
import { methodName, typeName, type VersionApi } from '../api.ts';
import type { Conversion } from '../conversions.ts';
import { conversionName, Direction } from '../hand-written.ts';
import type { InternalTypes } from '../internal-types.ts';
import { GENERATED_HEADER, type GroupPaths, RUNTIME, specifier, type VersionPaths } from '../layout.ts';
import { compareText } from '../problem.ts';
import { defaultText } from '../shape.ts';
import { assigned, docText, importText, quoted, sortedImports, wrapped } from './text.ts';

export interface TypesFile {
  /** The oldest first. */
  readonly versions: readonly VersionApi[];
  readonly internal: InternalTypes;
  /** Internal messages that conversions begin with. */
  readonly needed: readonly string[];
  readonly group: GroupPaths;
}

/** `internal/types_generated.ts`: the calls of all versions, and the internal messages as they begin. */
export function typesFile({ versions, internal, needed, group }: TypesFile): string {
  const path = group.typesGenerated;
  // For a call of several versions, the newest has the best documentation.
  const rpcs = new Map(versions.flatMap(({ service }) => service.rpcs.map((rpc) => [rpc.name, rpc])));
  const calls = [...rpcs.values()]
    .sort((a, b) => compareText(a.name, b.name))
    .map((rpc) => {
      const isDeprecated = versions.every(({ service, deprecation }) =>
        service.rpcs.every(({ name, deprecated }) => name !== rpc.name || deprecated || deprecation !== undefined),
      );
      const parameters = ['context: CallContext', `request: internal.${typeName(rpc.request)}`, 'version: Version'];
      const result = `): Promise<internal.${typeName(rpc.response)}>;`;
      const doc = docText({ comment: rpc.comment, deprecation: isDeprecated ? '' : undefined }, '  ');
      return `${doc}${wrapped(`  ${methodName(rpc.name)}(`, parameters, result, '  ')}\n`;
    });
  const defaults = needed.toSorted(compareText).map((name) => {
    const fields = [...(internal.messages.get(name)?.fields.values() ?? [])];
    const values = fields.map((field) => `${field.name}: ${defaultText(field.shape)}`);
    const before = `  ${name}: (): internal.${name} => (`;
    if (values.length === 0) return `${before}{}),\n`;
    const line = `${before}{ ${values.join(', ')} }),`;
    return line.length <= 120 ? `${line}\n` : `${before}{\n${values.map((value) => `    ${value},\n`).join('')}  }),\n`;
  });
  return [
    `${GENERATED_HEADER}\n`,
    importText(['type CallContext'], specifier(path, RUNTIME.server)),
    `import type * as internal from '${specifier(path, group.types)}';\n\n`,
    `export type { VersionedAPI } from '${specifier(path, RUNTIME.server)}';\n\n`,
    '/** The oldest first. */\n',
    `${assigned('export type Version =', `${versions.map(({ version }) => quoted(version)).join(' | ')};`)}\n\n`,
    '/** The calls of all versions. */\n',
    `export interface ServerInterface {\n${calls.join('')}}\n\n`,
    '/** Internal messages with the defaults of their fields. */\n',
    `export const defaults = {\n${defaults.join('')}};\n`,
  ].join('');
}

export interface VersionServerFile {
  readonly api: VersionApi;
  readonly conversions: readonly Conversion[];
  readonly group: GroupPaths;
  readonly paths: VersionPaths;
}

/** `<version>/server_generated.ts`. */
export function versionServerFile({ api, conversions, group, paths }: VersionServerFile): string {
  const path = paths.server;
  const { service, version } = api;
  const isHandWritten = new Set(
    conversions.filter((one) => one.isHandWritten).map((one) => conversionName(one.message, one.direction)),
  );
  const used = new Set<string>();
  const use = (message: string, direction: Direction): string => {
    const name = conversionName(message, direction);
    used.add(name);
    return name;
  };
  const handlers = service.rpcs.map((rpc) => {
    const [request, response, method] = [typeName(rpc.request), typeName(rpc.response), methodName(rpc.name)];
    const deprecation = rpc.deprecated ? '' : undefined;
    const input = [use(request, Direction.In), 'request', `defaults.${request}()`];
    const output = [use(response, Direction.Out), 'output', `pb.${response}.create()`];
    return [
      docText({ comment: rpc.comment, deprecation }, '    '),
      `    async ${method}(context, request) {\n`,
      `${wrapped('      const input = requestFrom(', input, ');', '      ')}\n`,
      `      const output = await groupServer.${method}(context, input, version);\n`,
      `${wrapped('      return responseFrom(', output, ');', '      ')}\n`,
      '    },\n',
    ].join('');
  });
  const names = [...used].sort(compareText);
  const [byHand, generated] = [
    names.filter((name) => isHandWritten.has(name)),
    names.filter((name) => !isHandWritten.has(name)),
  ];
  const doc = docText({ deprecation: api.deprecation });
  const register = 'handleAll';
  const registration = wrapped(
    `  return { register: (grpcServer) => ${register}(`,
    ['grpcServer', `pb.${service.name}`, 'handlers', 'groupServer'],
    ') };',
    '  ',
  );
  return [
    `${GENERATED_HEADER}\n`,
    sortedImports([
      `import * as pb from '${specifier(path, paths.messages)}';\n`,
      importText(['requestFrom', 'responseFrom'], specifier(path, RUNTIME.converting)),
      importText(['type Handlers', register], specifier(path, RUNTIME.server)),
      importText(['defaults', 'type ServerInterface', 'type VersionedAPI'], specifier(path, group.typesGenerated)),
      byHand.length > 0 ? importText(byHand, specifier(path, paths.conversion)) : '',
      generated.length > 0 ? importText(generated, specifier(path, paths.conversionGenerated)) : '',
    ]),
    `\n${doc}export const version = ${quoted(version)};\n\n`,
    `${doc}export function newVersionedServer(groupServer: ServerInterface): VersionedAPI {\n`,
    `  const handlers: Handlers<typeof pb.${service.name}> = {\n${handlers.join('\n')}  };\n`,
    `${registration}\n}\n`,
  ].join('');
}

/** `api_group_generated.ts`. */
export function apiGroupFile(
  group: string,
  versions: readonly { readonly api: VersionApi; readonly paths: VersionPaths }[],
  paths: GroupPaths,
): string {
  const path = paths.apiGroup;
  const imports = versions.map(
    ({ api, paths: { server } }) => `import * as ${api.version} from '${specifier(path, server)}';\n`,
  );
  const names = versions.map(({ api }) => api.version);
  return [
    `${GENERATED_HEADER}\n`,
    sortedImports([
      importText(['type RegisteredAPI'], specifier(path, RUNTIME.server)),
      importText(['type ServerInterface'], specifier(path, paths.typesGenerated)),
      ...imports,
      importText(['type Server'], specifier(path, paths.serverClass)),
    ]),
    `\nexport const groupName = ${quoted(group)};\n\n`,
    '/** All versions, the oldest first. That `server` answers the calls of all of them is proved by the compiler. */\n',
    'export function versionedAPIs(server: Server): readonly RegisteredAPI[] {\n',
    '  const groupServer: ServerInterface = server;\n',
    `${wrapped('  return [', names, '].map(({ version, newVersionedServer }) => ({', '  ')}\n`,
    '    group: groupName,\n    version,\n    registrant: newVersionedServer(groupServer),\n  }));\n}\n',
  ].join('');
}
