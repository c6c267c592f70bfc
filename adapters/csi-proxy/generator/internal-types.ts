// The internal types of a group, read from its hand-written `types.ts`.
import { hint } from '../../text/nearest.ts';
import { Cardinality, type Position } from '../protos/mod.ts';
import type { Problem } from './problem.ts';
import { SCALAR_NAMES, type Shape, type ShapeType } from './shape.ts';
import {
  bare,
  declarationOf,
  type Interface,
  keyName,
  type PropertyValue,
  readSource,
  type Source,
  type Type,
  type Variables,
} from './source.ts';

export interface InternalField {
  readonly name: string;
  readonly shape: Shape;
  readonly at: Position;
}

export interface InternalMessage {
  readonly name: string;
  readonly at: Position;
  /** Fields by name, in the order of the file. */
  readonly fields: ReadonlyMap<string, InternalField>;
}

export interface InternalEnum {
  readonly name: string;
  readonly at: Position;
  readonly numbers: ReadonlyMap<string, number>;
}

export interface InternalTypes {
  readonly file: string;
  readonly messages: ReadonlyMap<string, InternalMessage>;
  readonly enums: ReadonlyMap<string, InternalEnum>;
  /** Names that the file imports, as it calls them. */
  readonly imported: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

/** A message without fields is `type Name = Empty`. */
const EMPTY = 'Empty';
const KEYWORDS: Readonly<Record<string, string>> = { TSStringKeyword: 'text', TSBooleanKeyword: 'bool' };

/** @param file  stands in the places; nothing is read from it */
export function readInternalTypes(text: string, file: string): InternalTypes {
  const source = readSource(text, file);
  return new Reading(source, file).read();
}

class Reading {
  readonly #source: Source;
  readonly #file: string;
  readonly #problems: Problem[];
  readonly #messages = new Map<string, InternalMessage>();
  readonly #enums = new Map<string, InternalEnum>();

  constructor(source: Source, file: string) {
    this.#source = source;
    this.#file = file;
    this.#problems = [...source.problems];
  }

  read(): InternalTypes {
    const declared = this.#source.statements.map(declarationOf).filter(({ isExported }) => isExported);
    const interfaces: Interface[] = [];
    const empty = this.#namesOfEmpty();
    for (const { declaration } of declared) {
      if (declaration.type === 'TSInterfaceDeclaration') interfaces.push(declaration);
      else if (declaration.type === 'VariableDeclaration') this.#enumsOf(declaration);
      else if (declaration.type === 'TSTypeAliasDeclaration' && empty.has(referenced(declaration.typeAnnotation))) {
        this.#add({ name: declaration.id.name, at: this.#source.at(declaration.id), fields: new Map() });
      }
    }
    const names = new Set(interfaces.map(({ id }) => id.name));
    for (const declaration of interfaces) this.#message(declaration, names);
    return {
      file: this.#file,
      messages: this.#messages,
      enums: this.#enums,
      imported: this.#imported(),
      problems: this.#problems,
    };
  }

  /** Name of the type of a message without fields: a message may have the same name. */
  #namesOfEmpty(): ReadonlySet<string | undefined> {
    const names = this.#source.statements.flatMap((statement) =>
      statement.type !== 'ImportDeclaration'
        ? []
        : statement.specifiers.flatMap((specifier) =>
            specifier.type === 'ImportSpecifier' && keyName(specifier.imported) === EMPTY ? [specifier.local.name] : [],
          ),
    );
    return new Set(names);
  }

  #imported(): ReadonlySet<string> {
    const names = this.#source.statements.flatMap((statement) =>
      statement.type === 'ImportDeclaration' ? statement.specifiers.map(({ local }) => local.name) : [],
    );
    return new Set(names);
  }

  #typeNames(interfaces: ReadonlySet<string>): readonly string[] {
    return [...SCALAR_NAMES, 'Uint8Array', 'Map', ...this.#enums.keys(), ...interfaces, ...this.#messages.keys()];
  }

  #add(message: InternalMessage): void {
    if (this.#messages.has(message.name)) this.#problem(message.at, `'${message.name}' is declared twice`);
    this.#messages.set(message.name, message);
  }

  #problem(at: Position, message: string): void {
    this.#problems.push({ at, message });
  }

  /** Constants that are an object of numbers are enums; others are none of the generator's business. */
  #enumsOf({ declarations }: Variables): void {
    for (const { id, init } of declarations) {
      const object = bare(init);
      if (id.type !== 'Identifier' || object?.type !== 'ObjectExpression') continue;
      const numbers = new Map<string, number>();
      for (const property of object.properties) {
        const name = property.type === 'ObjectProperty' ? keyName(property.key) : undefined;
        const number = property.type === 'ObjectProperty' ? numberOf(property.value) : undefined;
        if (name !== undefined && number !== undefined) numbers.set(name, number);
      }
      if (numbers.size > 0 && numbers.size === object.properties.length) {
        this.#enums.set(id.name, { name: id.name, at: this.#source.at(id), numbers });
      }
    }
  }

  #message({ id, body, extends: parents, typeParameters }: Interface, interfaces: ReadonlySet<string>): void {
    const at = this.#source.at(id);
    if ((parents?.length ?? 0) > 0 || typeParameters) {
      this.#problem(at, `'${id.name}' must say all its fields itself: 'extends' and type parameters are not read`);
    }
    const fields = new Map<string, InternalField>();
    for (const member of body.body) {
      const name = member.type === 'TSPropertySignature' ? keyName(member.key) : undefined;
      const place = this.#source.at(member);
      if (member.type !== 'TSPropertySignature' || name === undefined || member.computed) {
        this.#problem(place, `'${id.name}' has something in it that is no field`);
        continue;
      }
      if (member.optional || member.readonly) {
        const what = member.optional ? 'optional' : 'readonly';
        this.#problem(place, `'${id.name}.${name}' is ${what}: a field is always there, and filled in place`);
        continue;
      }
      const shape = this.#shape(member.typeAnnotation?.typeAnnotation, interfaces);
      if (typeof shape === 'string') this.#problem(place, `'${id.name}.${name}': ${shape}`);
      else fields.set(name, { name, shape, at: place });
    }
    this.#add({ name: id.name, at, fields });
  }

  /** @returns what is wrong with the type, as a text, when it is none that a proto could have */
  #shape(type: Type | undefined, interfaces: ReadonlySet<string>): Shape | string {
    const named = (type: Type): ShapeType | string => this.#named(type, interfaces);
    const single = (type: Type): Shape | string => {
      const found = named(type);
      return typeof found === 'string' ? found : { cardinality: Cardinality.Single, type: found, keyType: undefined };
    };
    if (type === undefined) return 'it has no type';
    if (type.type === 'TSParenthesizedType') return this.#shape(type.typeAnnotation, interfaces);
    if (type.type === 'TSUnionType') {
      const [first, ...others] = type.types.filter((one) => one.type !== 'TSUndefinedKeyword');
      const hasUndefined = type.types.some((one) => one.type === 'TSUndefinedKeyword');
      const found = first === undefined || others.length > 0 || !hasUndefined ? 'unions are not read' : single(first);
      if (typeof found === 'string' || found.type.kind === 'message') return found;
      return `only a message may be undefined, and '${found.type.name}' is none`;
    }
    if (type.type === 'TSArrayType') {
      const found = named(type.elementType);
      return typeof found === 'string' ? found : { cardinality: Cardinality.Repeated, type: found, keyType: undefined };
    }
    if (type.type === 'TSTypeReference' && referenced(type) === 'Map') {
      const [key, value] = (type.typeArguments?.params ?? []).map(named);
      if (key === undefined || value === undefined) return 'a Map has the types of its keys and values';
      if (typeof key === 'string') return key;
      if (typeof value === 'string') return value;
      if (key.kind !== 'scalar') return `a Map of '${key.name}' is none that a proto could have`;
      return { cardinality: Cardinality.Map, type: value, keyType: key.name };
    }
    const found = single(type);
    if (typeof found !== 'string' && found.type.kind === 'message') {
      return `a message may be absent: write '${found.type.name} | undefined'`;
    }
    return found;
  }

  #named(type: Type, interfaces: ReadonlySet<string>): ShapeType | string {
    const name = KEYWORDS[type.type] ?? referenced(type);
    switch (name) {
      case undefined:
        return type.type === 'TSNumberKeyword' || type.type === 'TSBigIntKeyword'
          ? `which number? Use one of the types ${SCALAR_NAMES.slice(0, 6).join(', ')}`
          : 'such a type is not read: use scalars, messages, enums, and lists and Maps of them';
      case 'Uint8Array':
        return { kind: 'scalar', name: 'bytes' };
      default: {
        if (SCALAR_NAMES.some((scalar) => scalar === name)) return { kind: 'scalar', name };
        if (this.#enums.has(name)) return { kind: 'enum', name };
        if (interfaces.has(name) || this.#messages.has(name)) return { kind: 'message', name };
        return `there is no exported type '${name}' in this file${hint(name, this.#typeNames(interfaces))}`;
      }
    }
  }
}

function referenced(type: Type): string | undefined {
  return type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' ? type.typeName.name : undefined;
}

function numberOf(value: PropertyValue): number | undefined {
  if (value.type === 'NumericLiteral') return value.value;
  if (value.type !== 'UnaryExpression' || value.operator !== '-') return undefined;
  return value.argument.type === 'NumericLiteral' ? -value.argument.value : undefined;
}
