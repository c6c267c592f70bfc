// `api_generated.ts`, beside a proto: its messages and enums as types and as tables of fields, and its service.
import { Cardinality, type Enum, type Field, type Message, type Scalar, type TypeRef } from '../../protos/mod.ts';
import { methodName, reachable, typeName, type VersionApi } from '../api.ts';
import { GENERATED_HEADER, RUNTIME, specifier } from '../layout.ts';
import { deprecationOf, docText, importText, quoted, wrapped } from './text.ts';

/** @param path  of the file itself */
export function messagesFile(api: VersionApi, path: string): string {
  const { version, service, messages, enums, deprecation } = api;
  const { use, imports } = importing(api);
  const rpcBuilder = use('rpc');
  const parts = [
    ...[...enums.values()].map((of) => enumText(of, use)),
    ...[...messages.values()].map((message) => messageText(message, api, use)),
  ];
  const rpcs = service.rpcs.map((rpc) => {
    const isDeprecated = rpc.deprecated || deprecation !== undefined;
    const given = [quoted(`/${version}.${service.path}/${rpc.name}`), typeName(rpc.request), typeName(rpc.response)];
    if (isDeprecated) given.push('{ isDeprecated: true }');
    const doc = docText({ comment: rpc.comment, deprecation: deprecationOf(rpc) }, '  ');
    return `${doc}${wrapped(`  ${methodName(rpc.name)}: ${rpcBuilder}(`, given, '),', '  ')}\n`;
  });
  parts.push(
    `${docText({ comment: service.comment, deprecation: deprecationOf(service) })}export const ${service.name} = {\n${rpcs.join('')}};\n`,
  );
  return `${GENERATED_HEADER}\n${importText(imports(), specifier(path, RUNTIME.codec))}\n${parts.join('\n')}`;
}

/** Says that a name is to be imported, `type Name` where only its type is, and gives the name it has in the file. */
export type Use = (name: string) => string;

/** Names to import, under others where the proto has them itself. */
export function importing({ service, messages, enums }: VersionApi): { use: Use; imports: () => readonly string[] } {
  const taken = new Set([service.name, ...[...messages.keys(), ...enums.keys()].map(typeName)]);
  const used = new Set<string>();
  return {
    use(name) {
      const bare = name.replace(/^type /, '');
      const local = taken.has(bare) ? `proto_${bare}` : bare;
      used.add(local === bare ? name : `${name} as ${local}`);
      return local;
    },
    imports: () => [...used],
  };
}

export function enumText({ path, comment, deprecated, values }: Enum, use: Use): string {
  const name = typeName(path);
  const lines = values.map(
    (value) =>
      `${docText({ comment: value.comment, deprecation: deprecationOf(value) }, '  ')}  ${value.name}: ${value.number},\n`,
  );
  const pairs = values.map((value) => `${value.name}: ${value.number}`);
  const isPlain = values.every((value) => value.comment === '' && !value.deprecated);
  const object = wrapped(`export const ${name} = { `, pairs, ' } as const;');
  const doc = docText({ comment, deprecation: deprecationOf({ deprecated }) });
  const declared =
    isPlain && !object.includes('\n') ? object : `export const ${name} = {\n${lines.join('')}} as const;`;
  const type = `export type ${name} = ${use('type OpenEnum')}<(typeof ${name})[keyof typeof ${name}]>;`;
  return `${doc}${declared}\n${docText({ deprecation: deprecationOf({ deprecated }) })}${type}\n`;
}

function messageText(message: Message, api: VersionApi, use: Use): string {
  const { path, comment, deprecated, fields } = message;
  const name = typeName(path);
  const builder = use('message');
  const members = fields.map((field) => {
    const doc = docText({ comment: field.comment, deprecation: deprecationOf(field) }, '  ');
    return `${doc}  ${field.jsonName}: ${fieldType(field, use)};\n`;
  });
  const doc = docText({ comment, deprecation: deprecationOf({ deprecated }) });
  const declared =
    fields.length === 0
      ? `export type ${name} = ${use('type Empty')};`
      : `export interface ${name} {\n${members.join('')}}`;
  const table = fields.map((field) => `  ${field.jsonName}: ${tableEntry(field, use)},\n`).join('');
  const args = `(${quoted(`${api.version}.${path}`)}, {${table && '\n'}${table}});`;
  // The compiler cannot infer the type of a constant that its own value speaks of.
  const constant = holdsItself(message, api)
    ? `export const ${name}: ${use('type MessageType')}<${name}> = ${builder}${args}`
    : `export const ${name} = ${builder}<${name}>${args}`;
  return `${doc}${declared}\n${docText({ deprecation: deprecationOf({ deprecated }) })}${constant}\n`;
}

function holdsItself(message: Message, api: VersionApi): boolean {
  const held = message.fields.flatMap(({ type }) => (type.kind === 'message' ? [type.name] : []));
  return reachable(api, held).includes(message);
}

/** A scalar has one name as a type and as the value that writes and reads it. */
function scalarName(scalar: Scalar): string {
  return scalar === 'string' ? 'text' : scalar;
}

function fieldType({ cardinality, type, keyType }: Field, use: Use): string {
  const name = type.kind === 'scalar' ? use(scalarName(type.name)) : typeName(type.name);
  if (keyType !== undefined) return `Map<${use(scalarName(keyType))}, ${name}>`;
  if (cardinality === Cardinality.Repeated) return `${name}[]`;
  return type.kind === 'message' ? `${name} | undefined` : name;
}

function tableEntry({ cardinality, type, keyType, number, marks }: Field, use: Use): string {
  const value = valueType(type, use);
  const call =
    keyType !== undefined
      ? `${use('map')}(${number}, ${use(scalarName(keyType))}, ${value})`
      : `${use(cardinality === Cardinality.Repeated ? 'list' : 'one')}(${number}, ${value})`;
  return marks.includes('secret') ? `${use('secret')}(${call})` : call;
}

function valueType({ kind, name }: TypeRef, use: Use): string {
  switch (kind) {
    case 'message':
      return `() => ${typeName(name)}`;
    case 'enum':
      return `${use('enumOf')}(${typeName(name)})`;
    case 'scalar':
      return use(scalarName(name));
  }
}
