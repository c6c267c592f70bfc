// Searches, orders and pages of many objects that change, beside a plain evaluation of the same conditions over an array.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Bucket } from '../../../../adapters/ocm/gateway/search/bucket.ts';
import { likeMatcher } from '../../../../adapters/ocm/gateway/search/like.ts';
import type { StoredObject } from '../../../../adapters/ocm/gateway/store/store.ts';
import { compiled, object, orderIn } from './things.ts';

const test = suite('search, by properties');

type Truth = boolean | null;
type Row = {
  readonly id: string;
  readonly name?: string;
  readonly managed?: boolean;
  readonly compute?: number;
  readonly region?: string;
  readonly tags?: readonly string[];
  readonly created?: string;
};

/** A condition: its text, and what it is of a row, written down as plainly as it can be. */
interface Condition {
  readonly text: string;
  readonly of: (row: Row) => Truth;
}

const TEXTS = ['', 'a', 'b', "it's", 'ab', 'B'] as const;
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const text = fc.constantFrom(...TEXTS);
const number = fc.integer({ min: -2, max: 4 });
/** One instant each, in their order; the last two are one instant. */
const DATES = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z', '2026-01-02T01:00:00Z', '2026-01-02T02:00:00+01:00'];
const date = fc.constantFrom(...DATES);
const instant = (of: string): number => Math.min(DATES.indexOf(of), 2);

const not = (truth: Truth): Truth => (truth === null ? null : !truth);

function textIs(value: string | undefined, other: string): Truth {
  if (value !== undefined) return value === other;
  return other === '' ? true : null;
}

function holds(relation: string, order: number): boolean {
  if (order === 0) return relation.endsWith('=');
  return order < 0 ? relation.startsWith('<') : relation.startsWith('>');
}

const textField = fc.constantFrom<readonly [string, (row: Row) => string | undefined]>(
  ['name', ({ name }) => name],
  ['region.id', ({ region }) => region],
  ['region', ({ region }) => region],
);

const simple: fc.Arbitrary<Condition> = fc.oneof(
  fc.tuple(textField, text).map(([[field, get], other]) => ({
    text: `${field} = ${quoted(other)}`,
    of: (row: Row): Truth => textIs(get(row), other),
  })),
  fc.tuple(textField, text).map(([[field, get], other]) => ({
    text: `${field}<>${quoted(other)}`,
    of: (row: Row): Truth => not(textIs(get(row), other)),
  })),
  fc.tuple(textField, text).map(([[field, get], other]) => ({
    text: `${field} >= ${quoted(other)}`,
    of: (row: Row): Truth => {
      const value = get(row);
      return value === undefined ? null : value >= other;
    },
  })),
  fc.tuple(textField, fc.array(text, { maxLength: 3 }), fc.boolean()).map(([[field, get], others, negated]) => ({
    text: `${field} ${negated ? 'NOT ' : ''}IN (${others.map(quoted).join(', ')})`,
    of: (row: Row): Truth => {
      const value = get(row);
      const isIn: Truth =
        value === undefined ? (others.includes('') ? true : null) : others.includes(value as (typeof TEXTS)[number]);
      return negated ? not(isIn) : isIn;
    },
  })),
  fc.tuple(textField, fc.boolean()).map(([[field, get], negated]) => ({
    text: `${field} is ${negated ? 'not ' : ''}null`,
    of: (row: Row): Truth => (get(row) === undefined) !== negated,
  })),
  number.map((other) => ({
    text: `nodes.compute = ${other}`,
    of: ({ compute }: Row): Truth => (compute === undefined ? null : compute === other),
  })),
  number.map((other) => ({
    text: `nodes.compute * 2 - 1 < ${other}`,
    of: ({ compute }: Row): Truth => (compute === undefined ? null : compute * 2 - 1 < other),
  })),
  fc.tuple(textField, text, text).map(([[field, get], low, high]) => ({
    text: `${field} between ${quoted(low)} and ${quoted(high)}`,
    of: (row: Row): Truth => {
      const value = get(row);
      return value === undefined ? null : value >= low && value <= high;
    },
  })),
  fc.tuple(textField, text).map(([[field, get], other]) => ({
    text: `${field} like ${quoted(`%${other}`)}`,
    of: (row: Row): Truth => get(row)?.endsWith(other) ?? null,
  })),
  fc.tuple(textField, text).map(([[field, get], other]) => ({
    text: `${field} ~= ${quoted(other)}`,
    of: (row: Row): Truth => get(row)?.includes(other) ?? null,
  })),
  fc.tuple(fc.constantFrom('<', '<=', '>', '>='), number).map(([relation, other]) => ({
    text: `nodes.compute ${relation} ${other}`,
    of: ({ compute }: Row): Truth => (compute === undefined ? null : holds(relation, compute - other)),
  })),
  fc.tuple(fc.constantFrom('<', '<=', '>', '>=', '='), date).map(([relation, other]) => ({
    text: `creation_timestamp ${relation} '${other}'`,
    of: ({ created }: Row): Truth =>
      created === undefined ? null : holds(relation, instant(created) - instant(other)),
  })),
  fc.tuple(number, number).map(([low, high]) => ({
    text: `nodes.compute between ${low} and ${high}`,
    of: ({ compute }: Row): Truth => (compute === undefined ? null : compute >= low && compute <= high),
  })),
  fc
    .boolean()
    .map((other) => ({ text: `managed = '${other}'`, of: ({ managed = false }: Row): Truth => managed === other })),
  text.map((other) => ({
    text: `tags = ${quoted(other)}`,
    of: ({ tags = [] }: Row): Truth => (tags.length === 0 ? (other === '' ? true : null) : tags.includes(other)),
  })),
);

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    fc.tuple(tie('condition'), tie('condition')).map(([a, b]) => ({
      text: `(${a.text}) and (${b.text})`,
      of: (row: Row): Truth => {
        const [x, y] = [a.of(row), b.of(row)];
        return x === false || y === false ? false : x === null || y === null ? null : true;
      },
    })),
    fc.tuple(tie('condition'), tie('condition')).map(([a, b]) => ({
      text: `${a.text} or ${b.text}`,
      of: (row: Row): Truth => {
        const [x, y] = [a.of(row), b.of(row)];
        return x === true || y === true ? true : x === null || y === null ? null : false;
      },
    })),
    tie('condition').map((a) => ({ text: `not (${a.text})`, of: (row: Row): Truth => not(a.of(row)) })),
  ),
}));

const row: fc.Arbitrary<Row> = fc.record(
  {
    id: fc.integer({ min: 0, max: 250 }).map((n) => `o${n}`),
    name: text,
    managed: fc.boolean(),
    compute: number,
    region: fc.constantFrom('a', 'b', 'ab'),
    tags: fc.array(text, { maxLength: 2 }),
    created: date,
  },
  { requiredKeys: ['id'] },
);

function stored({ id, compute, region, created, ...others }: Row): StoredObject {
  return object(id, {
    ...others,
    ...(created !== undefined && { creation_timestamp: created }),
    ...(compute !== undefined && { nodes: { compute } }),
    ...(region !== undefined && { region: { id: region } }),
  });
}

const ORDERS: readonly (readonly [string, (row: Row) => string | number | undefined, 1 | -1])[] = [
  ['', () => undefined, 1],
  ['name', ({ name }) => name, 1],
  ['name desc', ({ name }) => name, -1],
  ['nodes.compute desc', ({ compute }) => compute, -1],
  ['region.id', ({ region }) => region, 1],
  ['creation_timestamp', ({ created }) => (created === undefined ? undefined : instant(created)), 1],
];

function ordered(rows: readonly Row[], [, get, sign]: (typeof ORDERS)[number]): string[] {
  const last = (value: string | number | undefined): number => (value === undefined ? 1 : 0);
  return [...rows]
    .sort((a, b) => {
      const [x, y] = [get(a), get(b)];
      const order = last(x) - last(y) || (x === undefined || y === undefined || x === y ? 0 : x < y ? -1 : 1);
      return sign * order || (a.id < b.id ? -1 : 1);
    })
    .map(({ id }) => id);
}

test('a query gives what a walk over all objects gives, in any order, before and after changes (OCM-BUCKET-1)', () => {
  const changes = fc.array(
    fc.oneof(row, fc.record({ id: fc.constantFrom('o1', 'o2', 'o3'), gone: fc.constant(true) })),
    { minLength: 1, maxLength: 40 },
  );
  const queries = fc.array(fc.tuple(condition, fc.constantFrom(...ORDERS)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 0, maxLength: 300, size: 'max' }),
      changes,
      queries,
      (rows, later, asked) => {
        const plain = new Map<string, Row>();
        const bucket = new Bucket();
        const put = (each: Row): void => {
          plain.set(each.id, each);
          bucket.put(stored(each));
        };
        const check = (): void => {
          for (const [{ text: search, of }, order] of asked) {
            const expected = ordered(
              [...plain.values()].filter((each) => of(each) === true),
              order,
            );
            const given = bucket.query(compiled(search), orderIn(order[0])).objects.map(({ id }) => id);
            assert.equal(given, expected, `${search} in order '${order[0]}'`);
          }
        };
        rows.forEach(put);
        check();
        for (const each of later) {
          if ('gone' in each) {
            plain.delete(each.id);
            bucket.delete(each.id);
          } else put(each);
        }
        check();
      },
    ),
    { numRuns: 300 },
  );
});

test('like is what the same pattern is as a regular expression', () => {
  const pattern = fc
    .array(fc.constantFrom('a', 'b', '%', '_', '\\', '.', 'A', '😀'), { maxLength: 8 })
    .map((parts) => parts.join(''));
  const subject = fc
    .array(fc.constantFrom('a', 'b', '%', '.', 'A', '\\', '😀', '\n'), { maxLength: 8 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(pattern, subject, fc.boolean(), (like, of, ignoreCase) => {
      assert.is(
        likeMatcher(like, { ignoreCase })(of, { spend: () => undefined }),
        expressionOf(like, ignoreCase).test(of),
        `${of} like ${like}`,
      );
    }),
    { numRuns: 3_000 },
  );
});

function expressionOf(like: string, ignoreCase: boolean): RegExp {
  const literal = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');
  let source = '';
  const characters = [...like];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === '\\' && at + 1 < characters.length) source += literal(characters[++at] ?? '');
    else source += character === '%' ? '.*' : character === '_' ? '.' : literal(character);
  }
  return new RegExp(`^${source}$`, ignoreCase ? 'sui' : 'su');
}

test.run();
