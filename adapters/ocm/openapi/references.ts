// References to types: members of the object that describes the place.
import type { BuiltInType, Type } from '../model/mod.ts';
import type { JsonText } from './json-text.ts';

const BUILT_IN: Readonly<Record<BuiltInType['kind'], readonly [type: string, format?: string]>> = {
  boolean: ['boolean'],
  integer: ['integer', 'int32'],
  long: ['integer', 'int64'],
  float: ['number', 'float'],
  string: ['string'],
  date: ['string', 'date-time'],
  interface: ['object'],
};

export const schemaRef = (name: string): string => `#/components/schemas/${name}`;

/** Writes a type into the open object. The key type of a map cannot be expressed, nor that a value is a link. */
export function writeReference(json: JsonText, type: Type): void {
  switch (type.kind) {
    case 'class':
    case 'struct':
    case 'enum':
      json.member('$ref', schemaRef(type.name.camel));
      return;
    case 'list':
      json.member('type', 'array');
      json.object('items', () => writeReference(json, type.element));
      return;
    case 'map':
      json.member('type', 'object');
      json.object('additionalProperties', () => writeReference(json, type.element));
      return;
    default: {
      const [name, format] = BUILT_IN[type.kind];
      json.member('type', name);
      if (format !== undefined) json.member('format', format);
    }
  }
}
