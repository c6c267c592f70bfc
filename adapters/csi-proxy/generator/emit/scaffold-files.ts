// The files that are written once, for a person to go on with.
import { allEnums, allMessages } from '../../protos/mod.ts';
import { methodName, typeName, type VersionApi } from '../api.ts';
import { type GroupPaths, RUNTIME, specifier } from '../layout.ts';
import { compareText } from '../problem.ts';
import { SCALAR_NAMES, shapeOf, shapeText } from '../shape.ts';
import { enumText, importing, type Use } from './messages-file.ts';
import { docText, importText, quoted, sortedImports, wrapped } from './text.ts';

/** `internal/types.ts` of a group with one version: its messages and enums as they are, by name. */
export function typesScaffold(api: VersionApi, { types: path }: GroupPaths): string {
  const { group, proto } = api;
  const { use: useType, imports } = importing(api);
  const use: Use = (name) => useType(`type ${name.replace(/^type /, '')}`);
  const messages = allMessages(proto).map((message) => {
    const name = typeName(message.path);
    const doc = docText({ comment: message.comment });
    if (message.fields.length === 0) return { name, text: `${doc}export type ${name} = ${use('Empty')};\n` };
    const fields = message.fields.map((field) => {
      const shape = shapeOf(field);
      const scalars = [shape.keyType, shape.type.kind === 'scalar' ? shape.type.name : undefined];
      for (const scalar of SCALAR_NAMES) if (scalars.includes(scalar)) use(scalar);
      return `${docText({ comment: field.comment }, '  ')}  ${field.jsonName}: ${shapeText(shape)};\n`;
    });
    return { name, text: `${doc}export interface ${name} {\n${fields.join('')}}\n` };
  });
  const enums = allEnums(proto).map((of) => ({ name: typeName(of.path), text: enumText(of, use) }));
  const declared = [...messages, ...enums].sort((a, b) => compareText(a.name, b.name)).map(({ text }) => text);
  const imported = imports().length > 0 ? importText(imports(), specifier(path, RUNTIME.scalars)) : '';
  return `// What the server of group ${group} works on: all that some version can say.\n${imported}\n${declared.join('\n')}`;
}

/** `server.ts` with a stub for each call. */
export function serverScaffold(group: string, versions: readonly VersionApi[], paths: GroupPaths): string {
  const path = paths.serverClass;
  const rpcs = new Map(versions.flatMap(({ service }) => service.rpcs.map((rpc) => [rpc.name, rpc])));
  const methods = [...rpcs.values()]
    .sort((a, b) => compareText(a.name, b.name))
    .map(({ name, request, response }) => {
      const parameters = ['_context: CallContext', `_request: internal.${typeName(request)}`, '_version: Version'];
      const result = `): Promise<internal.${typeName(response)}> {`;
      return [
        '  /** Stub. */\n',
        `${wrapped(`  async ${methodName(name)}(`, parameters, result, '  ')}\n`,
        `    throw new StatusError(Code.Unimplemented, ${quoted(`${name} is not implemented`)});\n  }\n`,
      ].join('');
    });
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

/** `conversion.ts` of a version. */
export function conversionScaffold({ group, version }: VersionApi): string {
  return `// What of the conversions between ${group} ${version} and the internal types is written by hand, and which fields are ignored.\n`;
}
