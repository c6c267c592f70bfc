// Part of a structural schema that expressions need.
import { canonical, isMap, type JsonMap } from '../text/json.ts';

export interface CelSchema {
  /** Empty when the schema leaves it open. */
  readonly type: string;
  readonly format: string;
  readonly intOrString: boolean;
  /** Whether it is the schema of a whole object within another. */
  readonly embedded: boolean;
  readonly enum: readonly unknown[] | undefined;
  readonly properties: ReadonlyMap<string, CelSchema> | undefined;
  readonly required: readonly string[];
  readonly additional: CelSchema | undefined;
  /** `additionalProperties: true`. */
  readonly anyAdditional: boolean;
  readonly items: CelSchema | undefined;
  readonly listType: 'atomic' | 'set' | 'map';
  readonly listKeys: readonly string[];
  readonly maxLength: number | undefined;
  readonly maxItems: number | undefined;
  readonly maxProperties: number | undefined;
  readonly default: unknown;
  readonly hasDefault: boolean;
}

/** The keys of an item of a list of type map, with the defaults of the schema, as text. */
export function itemKey(schema: CelSchema, item: unknown): string {
  if (!isMap(item)) return canonical(item);
  const key: JsonMap = {};
  for (const name of schema.listKeys) {
    const value = item[name] ?? schema.items?.properties?.get(name)?.default;
    if (value !== undefined) key[name] = value;
  }
  return canonical(key);
}
