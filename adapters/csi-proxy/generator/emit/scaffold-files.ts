// Files that are written once, for a person to complete.
import { allEnums, allMessages, type Enum, type Message, type Rpc } from '../../protos/mod.ts';
import { methodName, typeName, type VersionApi } from '../api.ts';
import { type GroupPaths, RUNTIME, specifier } from '../layout.ts';
import { compareText } from '../problem.ts';
import { SCALAR_NAMES, shapeOf, shapeText } from '../shape.ts';
import { enumText, importing, type Use } from './messages-file.ts';
import { docText, importText, quoted, sortedImports, wrapped } from './text.ts';

/** `internal/types.ts` of a group with one version: its messages and enums as they are, by name. */
export function typesScaffold(api: VersionApi, { types: path }: GroupPaths): string {
  const { group, proto } = api;
  const { use, imports } = importingTypes(api);
  const declared = [...allMessages(proto), ...allEnums(proto)]
    .sort((a, b) => compareText(typeName(a.path), typeName(b.path)))
    .map((of) => internalTypeText(of, use));
  const imported = imports().length > 0 ? importText(imports(), specifier(path, RUNTIME.scalars)) : '';
  return `// What the server of group ${group} works on: all that some version can say.\n${imported}\n${declared.join('\n')}`;
}

/** As `importing`, of types alone. */
export function importingTypes(api: VersionApi): ReturnType<typeof importing> {
  const { use, imports } = importing(api);
  return { use: (name) => use(`type ${name.replace(/^type /, '')}`), imports };
}

/** A message or an enum as internal types have it. */
export function internalTypeText(of: Message | Enum, use: Use): string {
  if ('values' in of) return enumText(of, use);
  const name = typeName(of.path);
  const doc = docText({ comment: of.comment });
  if (of.fields.length === 0) return `${doc}export type ${name} = ${use('Empty')};\n`;
  const fields = of.fields.map((field) => {
    const shape = shapeOf(field);
    const scalars = [shape.keyType, shape.type.kind === 'scalar' ? shape.type.name : undefined];
    for (const scalar of SCALAR_NAMES) if (scalars.includes(scalar)) use(scalar);
    return `${docText({ comment: field.comment }, '  ')}  ${field.jsonName}: ${shapeText(shape)};\n`;
  });
  return `${doc}export interface ${name} {\n${fields.join('')}}\n`;
}

/** `server.ts` with a stub for each call. */
export function serverScaffold(group: string, versions: readonly VersionApi[], paths: GroupPaths): string {
  const path = paths.serverClass;
  const rpcs = new Map(versions.flatMap(({ service }) => service.rpcs.map((rpc) => [rpc.name, rpc])));
  const methods = [...rpcs.values()].sort((a, b) => compareText(a.name, b.name)).map(stubText);
  const imports = [
    { from: RUNTIME.status, names: ['Code', 'StatusError'] },
    { from: RUNTIME.server, names: ['type CallContext'] },
    { from: paths.typesGenerated, names: ['type ServerInterface', 'type Version'] },
  ].map(({ from, names }) => importText(names, specifier(path, from)));
  imports.push(`import type * as internal from '${specifier(path, paths.types)}';\n`);
  return [
    `// The server of group ${group}.\n`,
    sortedImports(imports),
    `\nexport class Server implements ServerInterface {\n${methods.join('\n')}}\n`,
  ].join('');
}

/** A method of the class in `server.ts`, to be completed. */
export function stubText({ name, request, response }: Rpc): string {
  const parameters = ['_context: CallContext', `_request: internal.${typeName(request)}`, '_version: Version'];
  const result = `): Promise<internal.${typeName(response)}> {`;
  return [
    '  /** Stub. */\n',
    `${wrapped(`  async ${methodName(name)}(`, parameters, result, '  ')}\n`,
    `    throw new StatusError(Code.Unimplemented, ${quoted(`${name} is not implemented`)});\n  }\n`,
  ].join('');
}

/** `conversion.ts` of a version. */
export function conversionScaffold({ group, version }: VersionApi): string {
  return `// What of the conversions between ${group} ${version} and the internal types is written by hand, and which fields are ignored.\n`;
}
