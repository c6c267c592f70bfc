// The schemas of a document: those every document has, and those of the version's types.
import {
  compareNames,
  type DeclaredType,
  type EnumType,
  type StructType,
  type Type,
  type Version,
} from '../model/mod.ts';
import type { JsonText } from './json-text.ts';
import type { OpenApiOptions } from './options.ts';
import { writeReference } from './references.ts';

/** Writes the schemas into the open object, in name order; a type called `Metadata` replaces the usual one, one called
 * `Error` is replaced by it. */
export function writeSchemas(json: JsonText, version: Version, options: OpenApiOptions): void {
  if (!version.types.some(({ name }) => name.camel === 'Metadata')) writeMetadata(json);
  const added = options.closeLinks === true ? missingLinkTargets(version) : [];
  for (const type of [...version.types, ...added].sort((a, b) => compareNames(a.name, b.name))) {
    if (type.name.camel === 'Error') continue;
    json.object(type.name.camel, () => {
      if (added.includes(type)) json.object('properties', () => writeIdentity(json, type.name.camel, options));
      else if (type.kind === 'enum') writeEnum(json, type);
      else writeStruct(json, type, options);
    });
  }
  writeError(json, options);
}

/** The types of other services that links lead to without a schema for them: one a name, in name order. */
export function missingLinkTargets({ types }: Version): DeclaredType[] {
  const present = new Set(types.map(({ name }) => name.camel));
  const missing = new Map<string, DeclaredType>();
  for (const type of types) {
    for (const attribute of type.kind === 'enum' ? [] : type.attributes) {
      const target = declaredIn(attribute.type);
      if (target !== undefined && !present.has(target.name.camel)) missing.set(target.name.camel, target);
    }
  }
  return [...missing.values()].sort((a, b) => compareNames(a.name, b.name));
}

function declaredIn(type: Type): DeclaredType | undefined {
  const plain = type.kind === 'list' || type.kind === 'map' ? type.element : type;
  return plain.kind === 'class' || plain.kind === 'struct' || plain.kind === 'enum' ? plain : undefined;
}

function writeEnum(json: JsonText, { documentation, deprecated, values }: EnumType): void {
  json.optional('description', documentation);
  if (deprecated) json.member('deprecated', true);
  json.member('type', 'string');
  json.array('enum', () => {
    for (const { wireName } of values) json.element(wireName);
  });
}

function writeStruct(json: JsonText, type: StructType, options: OpenApiOptions): void {
  json.optional('description', type.documentation);
  if (type.deprecated) json.member('deprecated', true);
  json.object('properties', () => {
    if (type.kind === 'class') writeIdentity(json, type.name.camel, options);
    for (const attribute of type.attributes) {
      json.object(attribute.wireName, () => {
        json.optional('description', attribute.documentation);
        if (attribute.deprecated) json.member('deprecated', true);
        writeReference(json, attribute.type);
      });
    }
  });
}

function writeIdentity(json: JsonText, name: string, { readOnly }: OpenApiOptions): void {
  const kind = `Indicates the type of this object. Will be '${name}' if this is a complete object or '${name}Link' if it is just a link.`;
  const property = (key: string, description: string, isReadOnly: boolean | undefined): void => {
    json.object(key, () => {
      json.member('description', description);
      json.member('type', 'string');
      if (isReadOnly === true) json.member('readOnly', true);
    });
  };
  property('kind', kind, readOnly);
  property('id', 'Unique identifier of the object.', false);
  property('href', 'Self link.', readOnly);
}

function writeMetadata(json: JsonText): void {
  json.object('Metadata', () => {
    json.member('description', 'Version metadata.');
    json.object('properties', () => {
      json.object('server_version', () => {
        json.member('description', 'Version of the server.');
        json.member('type', 'string');
      });
    });
  });
}

function writeError(json: JsonText, { required }: OpenApiOptions): void {
  const text = (name: string, description: string): void => {
    json.object(name, () => {
      json.member('description', description);
      json.member('type', 'string');
    });
  };
  json.object('Error', () => {
    json.member('type', 'object');
    json.object('properties', () => {
      text('kind', "Indicates the type of this object. Will always be 'Error'");
      json.object('id', () => {
        json.member('description', 'Numeric identifier of the error.');
        json.member('type', 'integer');
        json.member('format', 'int32');
      });
      text('href', 'Self link.');
      text(
        'code',
        'Globally unique code of the error, composed of the unique identifier of the API and the numeric identifier ' +
          'of the error. For example, for if the numeric identifier of the error is `93` and the identifier of the ' +
          'API is `clusters_mgmt` then the code will be `CLUSTERS-MGMT-93`.',
      );
      text('reason', 'Human readable description of the error.');
      json.object('details', () => {
        json.member('description', 'Extra information about the error.');
        json.member('type', 'object');
        json.member('additionalProperties', true);
      });
    });
    if (required !== true) return;
    json.array('required', () => {
      for (const name of ['kind', 'id', 'href', 'code', 'reason']) json.element(name);
    });
  });
}
