// Random values for a structural schema: ones that fit its types and limits, and ones with a single flaw.

import { setDefaults } from '../../../../adapters/simulated/kubernetes/schemas/pruning.ts';
import { validateRules } from '../../../../adapters/simulated/kubernetes/schemas/rules.ts';
import type { Schema } from '../../../../adapters/simulated/kubernetes/schemas/schema.ts';
import { hasFormat } from '../../../../adapters/text/formats.ts';
import { isList, isMap, type JsonMap, put } from '../../../../adapters/text/json.ts';
import { fc } from '../../../world/properties.ts';

/** Most items of a list, and fields of a map, where the schema allows more. */
const MANY = 3;

/** Longest text where the schema allows more, in code points. */
const LONG = 24;

const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });

const uuid = fc
  .tuple(hex(8), hex(4), hex(4), hex(4), hex(12))
  .chain((parts) => fc.constantFrom(parts.join('-'), parts.join('-').toUpperCase(), parts.join('')));

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc
    .date({ min: new Date('1970-01-02'), max: new Date('2200-01-01'), noInvalidDate: true })
    .chain((date) =>
      fc.constantFrom(
        date.toISOString(),
        date.toISOString().replace(/\.\d+Z/, 'Z'),
        date.toISOString().replace('Z', '+02:00'),
      ),
    ),
  date: fc
    .date({ min: new Date('1970-01-02'), max: new Date('2200-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  duration: fc.constantFrom('1s', '5m', '1h30m', '250ms', '0s', '1.5h', '2 days', '3 weeks', '10 m'),
  uuid,
  cidr: fc.oneof(
    fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([address, bits]) => `${address}/${bits}`),
    fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })).map(([address, bits]) => `${address}/${bits}`),
  ),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  mac: hex(12).map((digits) => digits.replace(/..(?=.)/g, '$&:')),
  uri: fc.oneof(fc.webUrl(), fc.constantFrom('/path', 'file:///etc/x', 'urn:a:b', 'mailto:a@b.c')),
  hostname: fc.domain(),
  email: fc.emailAddress(),
  byte: fc.base64String({ minLength: 4, maxLength: LONG }),
};

export const anyValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constant('x'),
    fc.integer({ min: -9, max: 9 }),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 2 }),
  ),
})).value;

const inUnicode = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abcXYZ019-_. é漢😀'), minLength, maxLength }),
    fc.string({ unit: fc.constantFrom(...'abcdef'), minLength, maxLength }),
  );

/** Values of a schema's types and limits that keep to its rules, except for `oldSelf`. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const any = sound(schema);
  const value = schema.rules.length === 0 ? any : any.filter((candidate) => isLawful(schema, candidate));
  return schema.nullable
    ? fc.oneof({ arbitrary: value, weight: 5 }, { arbitrary: fc.constant(null), weight: 1 })
    : value;
}

/** Whether the rules of this level say yes, once defaults are set. */
function isLawful(schema: Schema, value: unknown): boolean {
  const complete = structuredClone(value);
  setDefaults(schema, complete);
  return validateRules(schema, complete, undefined).length === 0;
}

function sound(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.intOrString) return fc.oneof(fc.integer({ min: -100, max: 100 }), inUnicode(0, 8));
  switch (schema.type) {
    case 'string':
      return text(schema);
    case 'integer':
      return wholeNumber(schema);
    case 'number':
      return fc.oneof(
        wholeNumber(schema),
        fc.integer({ min: (schema.minimum ?? -9) * 4, max: (schema.maximum ?? 9) * 4 }).map((quarters) => quarters / 4),
      );
    case 'boolean':
      return fc.boolean();
    case 'array':
      return list(schema);
    case 'object':
      return map(schema);
    default:
      return anyValue;
  }
}

function text(schema: Schema): fc.Arbitrary<string> {
  const least = schema.minLength ?? 0;
  const most = Math.min(schema.maxLength ?? LONG, Math.max(LONG, least));
  const form = FORMATS[schema.format];
  const raw =
    schema.pattern !== undefined
      ? fc.stringMatching(withoutUnicodeFlag(schema.pattern.source), { maxLength: most })
      : (form ?? inUnicode(least, most));
  const { maxLength = Number.POSITIVE_INFINITY } = schema;
  return raw.filter((value) => {
    const length = [...value].length;
    return (
      length >= least &&
      length <= maxLength &&
      value.isWellFormed() &&
      (form === undefined || hasFormat(schema.format, value))
    );
  });
}

/** A pattern as the generator takes it. */
const withoutUnicodeFlag = (source: string): RegExp => new RegExp(source);

function wholeNumber({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  format,
  multipleOf,
}: Schema): fc.Arbitrary<number> {
  const limit = format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  const least = minimum === undefined ? Math.min(-5, maximum ?? 0) : Math.ceil(minimum) + (exclusiveMinimum ? 1 : 0);
  const most = maximum === undefined ? Math.max(least + 100, 1_000) : Math.floor(maximum) - (exclusiveMaximum ? 1 : 0);
  const step = multipleOf !== undefined && Number.isInteger(multipleOf) ? multipleOf : 1;
  return fc
    .oneof(fc.integer({ min: least, max: Math.max(least, Math.min(most, limit)) }), fc.constantFrom(least, most))
    .map((value) => Math.floor(value / step) * step);
}

function list(schema: Schema): fc.Arbitrary<unknown[]> {
  const minLength = schema.minItems ?? 0;
  const maxLength = Math.max(minLength, Math.min(schema.maxItems ?? MANY, MANY));
  const item = schema.items === undefined ? anyValue : valuesOf(schema.items);
  if (schema.listType === 'atomic') return fc.array(item, { minLength, maxLength });
  const selector = (one: unknown): string =>
    JSON.stringify(
      schema.listType === 'set' || !isMap(one)
        ? one
        : schema.listKeys.map((key) => one[key] ?? schema.items?.properties?.get(key)?.default),
    );
  return fc.uniqueArray(item, { minLength, maxLength, selector });
}

function map(schema: Schema): fc.Arbitrary<unknown> {
  const { properties, additional, minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  if (properties === undefined) {
    const maxKeys = Math.min(maxProperties, MANY);
    const field = additional === undefined ? anyValue : valuesOf(additional);
    if (additional === undefined && !schema.preserve && !schema.anyAdditional) return fc.constant({});
    return fc.dictionary(fc.stringMatching(/^[a-zA-Z._/-]{1,6}$/), field, {
      minKeys: minProperties,
      maxKeys,
      noNullPrototype: true,
    });
  }
  const fields = Object.fromEntries([...properties].map(([name, child]) => [name, valuesOf(child)]));
  const optional = [...properties.keys()].filter((name) => !schema.required.includes(name));
  const chosen =
    schema.rules.length > 0 ? fc.subarray(optional) : fc.oneof(fc.subarray(optional), fc.constant(optional));
  return chosen
    .map((names) => [...schema.required, ...names].filter((name) => fields[name] !== undefined))
    .filter((names) => names.length >= minProperties)
    .map((names) => (names.length > maxProperties ? [...names.slice(0, maxProperties)] : names))
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, fields[name] ?? fc.constant(null)])), {
        noNullPrototype: true,
      }),
    );
}

/** A place in a value. */
interface Site {
  readonly schema: Schema;
  readonly value: unknown;
  /** The parent and the key in it. */
  readonly parent: JsonMap | unknown[];
  readonly key: string | number;
}

function sitesOf(schema: Schema, root: JsonMap): Site[] {
  const sites: Site[] = [];
  const visit = (node: Schema, value: unknown): void => {
    const enter = (child: Schema | undefined, parent: Site['parent'], key: string | number, field: unknown): void => {
      if (child === undefined) return;
      sites.push({ schema: child, value: field, parent, key });
      visit(child, field);
    };
    if (isList(value)) for (const [index, item] of value.entries()) enter(node.items, value, index, item);
    else if (isMap(value)) {
      for (const [key, field] of Object.entries(value))
        enter(node.properties?.get(key) ?? node.additional, value, key, field);
    }
  };
  visit(schema, root);
  return sites;
}

function set({ parent, key }: Site, value: unknown): void {
  if (isList(parent)) parent[Number(key)] = value;
  else put(parent, String(key), value);
}

function remove({ parent, key }: Site): void {
  if (isList(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

/** Makes one flaw at a site, or answers undefined where there is no place for it. */
type Flaw = (site: Site, choice: number) => (() => void) | undefined;

const FLAWS: Readonly<Record<string, Flaw>> = {
  'wrong type': (site, choice) => {
    const others = ['text', 7, 1.5, true, [], ['a'], {}, { a: 1 }, '', '5'];
    return () => set(site, others[choice % others.length]);
  },
  null: (site) => () => set(site, null),
  missing: (site) => () => remove(site),
  'unknown field': (site) => (isMap(site.value) ? () => put(site.value as JsonMap, 'bogus', 1) : undefined),
  'too large': (site) => {
    const { maximum, multipleOf } = site.schema;
    return maximum === undefined ? undefined : () => set(site, maximum + (multipleOf ?? 1));
  },
  'too small': (site) =>
    site.schema.minimum === undefined ? undefined : () => set(site, (site.schema.minimum ?? 0) - 1),
  'too long': (site, choice) => {
    const { maxLength } = site.schema;
    const unit = ['a', 'é', '😀'][choice % 3] ?? 'a';
    return maxLength === undefined || maxLength > 3_000 ? undefined : () => set(site, unit.repeat(maxLength + 1));
  },
  'as long as may be': (site, choice) => {
    const { maxLength } = site.schema;
    const unit = ['a', 'é', '😀'][choice % 3] ?? 'a';
    return maxLength === undefined || maxLength > 3_000 ? undefined : () => set(site, unit.repeat(maxLength));
  },
  'too short': (site) => (site.schema.minLength === undefined ? undefined : () => set(site, '')),
  'against the pattern': (site, choice) => {
    const texts = ['', ' ', '!', 'a,b', '-a', 'a-', 'A\n', 'é', 'a b', '.', '1'];
    return site.schema.pattern === undefined ? undefined : () => set(site, texts[choice % texts.length]);
  },
  'against the format': (site, choice) => {
    const texts = [
      '',
      'x',
      '2020-13-01T00:00:00Z',
      '2020-02-30',
      '1.2.3.4',
      '1.2.3.4/33',
      'fe80::/10',
      '::',
      '10.0.0.1/8',
      '010.0.0.0/8',
      'a b',
      '5',
      'zz-yy',
      '2020-01-01t00:00:00z',
      '1.2.3.4/08',
      '::ffff:1.2.3.4/96',
      'http://[::1',
      '%zz',
    ];
    return site.schema.format === '' || site.schema.type !== 'string'
      ? undefined
      : () => set(site, texts[choice % texts.length]);
  },
  'out of range of the format': (site, choice) => {
    const numbers = [2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 31 - 1, 1e19, 1e300];
    return site.schema.type === 'integer' ? () => set(site, numbers[choice % numbers.length]) : undefined;
  },
  'not in the enumeration': (site) => (site.schema.enum === undefined ? undefined : () => set(site, 'bogus')),
  'another of the enumeration': (site, choice) => {
    const values = site.schema.enum;
    return values === undefined ? undefined : () => set(site, values[choice % values.length]);
  },
  'an item twice': (site, choice) => {
    const { value } = site;
    if (!isList(value) || value.length === 0) return undefined;
    return () => void value.push(structuredClone(value[choice % value.length]));
  },
  'too many items': (site) => {
    const { value } = site;
    const { maxItems } = site.schema;
    if (!isList(value) || value.length === 0 || maxItems === undefined || maxItems > 300) return undefined;
    return () => {
      for (let index = 0; value.length <= maxItems; index++) {
        const [first] = value;
        value.push(typeof first === 'string' ? `item-${index}` : structuredClone(first));
      }
    };
  },
  'no items': (site) =>
    isList(site.value) || isMap(site.value) ? () => set(site, isList(site.value) ? [] : {}) : undefined,
};

export const FLAW_NAMES = Object.keys(FLAWS);

/**
 * A copy of the object with the named flaw at a place that `choice` picks, or undefined where it has no such place. The
 * result may be valid all the same.
 */
export function flawed(schema: Schema, object: JsonMap, name: string, choice: number): JsonMap | undefined {
  const result = structuredClone(object);
  const flaw = FLAWS[name];
  const makers = sitesOf(schema, result)
    .filter(({ key, parent }) => parent !== result || (key !== 'apiVersion' && key !== 'kind' && key !== 'metadata'))
    .filter(({ parent }) => parent !== result['metadata'])
    .flatMap((site) => flaw?.(site, choice) ?? []);
  makers[Math.floor(choice / 101) % makers.length]?.();
  return makers.length === 0 ? undefined : result;
}
