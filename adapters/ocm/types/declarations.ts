// The types of a version as TypeScript.
import type { Attribute, DeclaredType, EnumType, StructType, Type, Version } from '../model/mod.ts';
import { Identifiers, literal, memberName, upperSnake } from './identifiers.ts';
import { note } from './notes.ts';

const BUILT_IN: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  integer: 'number',
  long: 'number',
  float: 'number',
  string: 'string',
  date: 'string',
  interface: 'unknown',
};

/** Names of types in one module, and the imports that they need. */
export class TypeNames {
  /** Versions whose types are used. */
  readonly imported = new Set<Version>();
  readonly #version: Version;
  /** A type called `Record` hides the global one. */
  readonly #record: string;

  constructor(version: Version) {
    this.#version = version;
    this.#record = version.types.some(({ name }) => name.camel === 'Record') ? 'globalThis.Record' : 'Record';
  }

  of(type: Type): string {
    switch (type.kind) {
      case 'class':
      case 'struct':
      case 'enum':
        return this.#declared(type);
      case 'list':
        return `${this.of(type.element)}[]`;
      case 'map':
        return `${this.#record}<string, ${this.of(type.element)}>`;
      default:
        return BUILT_IN[type.kind] ?? 'unknown';
    }
  }

  ofAttribute({ type, link }: Attribute): string {
    if (!link || type.kind !== 'list') return this.of(type);
    const { camel } = type.element.name;
    return `{ kind?: '${camel}List' | '${camel}ListLink'; href?: string; items?: ${this.of(type)} }`;
  }

  #declared({ name, version }: DeclaredType): string {
    if (version === this.#version) return name.camel;
    this.imported.add(version);
    return `${moduleName(version)}.${name.camel}`;
  }
}

/** Name of a version's module in imports. */
export function moduleName({ service, name }: Version): string {
  return `${service.name.snake}_${name.snake}`;
}

export function declarations({ types }: Version, names: TypeNames): string {
  const constants = new Identifiers();
  return types.map((type) => (type.kind === 'enum' ? enumeration(type, constants) : structure(type, names))).join('\n');
}

/** A union of the known texts that other texts fit too, and the known ones as values. */
function enumeration(type: EnumType, constants: Identifiers): string {
  const texts = [...new Set(type.values.map(({ wireName }) => literal(wireName)))];
  const values = constants.take(`${upperSnake(type.name)}_VALUES`);
  const known = type.values.map((value) => `${note(value, '  ')}  ${literal(value.wireName)},\n`).join('');
  return (
    `${note(type, '')}export type ${type.name.camel} = ${[...texts, '(string & {})'].join(' | ')};\n\n` +
    `/** What a '${type.name.camel}' is known to be. */\n` +
    `export const ${values} = Object.freeze([\n${known}] as const);\n`
  );
}

function structure(type: StructType, names: TypeNames): string {
  const { camel } = type.name;
  const identity =
    type.kind === 'class'
      ? `  kind?: '${camel}' | '${camel}Link';\n  /** Unique identifier of the object. */\n  id?: string;\n  /** Self link. */\n  href?: string;\n`
      : '';
  const attributes = type.attributes.map(
    (attribute) => `${note(attribute, '  ')}  ${memberName(attribute.wireName)}?: ${names.ofAttribute(attribute)};\n`,
  );
  return `${note(type, '')}export interface ${camel} {\n${identity}${attributes.join('')}}\n`;
}
