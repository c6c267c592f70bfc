// Rules with the verdicts of a real API server (verdicts.txt), and the schema and value for which they hold.
import { readFileSync } from 'node:fs';

interface Verdict {
  readonly rule: string;
  /** `true`, `false`, `refused: <why>` if the rule cannot be stored, or `error: <why>` if its evaluation fails. */
  readonly verdict: string;
}

const text = (maxLength: number): object => ({ type: 'string', maxLength });
const ofFormat = (format: string): object => ({ type: 'string', format, maxLength: 100 });

const list = (type: string, items: object, more: object = {}): object => ({
  type: 'array',
  maxItems: 10,
  'x-kubernetes-list-type': type,
  items,
  ...more,
});
const pairs = {
  type: 'object',
  required: ['name'],
  properties: { name: text(10), v: { type: 'integer' } },
};

export const PROPERTIES = {
  s: list('set', text(10)),
  s2: list('set', text(10)),
  m: list('map', pairs, { 'x-kubernetes-list-map-keys': ['name'] }),
  n: list('atomic', { type: 'integer' }),
  t: { type: 'string', format: 'date-time' },
  u: { type: 'string', format: 'date-time' },
  dd: { type: 'string', format: 'date' },
  du: { type: 'string', format: 'duration' },
  b: ofFormat('byte'),
  num: { type: 'number' },
  i32: { type: 'integer' },
  q: text(20),
  url: text(100),
  nul: { ...text(5), nullable: true },
  mp: { type: 'object', maxProperties: 5, additionalProperties: { ...text(5), nullable: true } },
  any: { 'x-kubernetes-int-or-string': true, maxLength: 10 },
  emb: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { k: text(5) } },
};

export const VALUE = {
  s: ['b', 'a', 'c'],
  s2: ['a', 'b', 'c'],
  m: [
    { name: 'b', v: 1 },
    { name: 'a', v: 2 },
  ],
  n: [1, 2],
  t: '2024-01-01T00:00:00.000001Z',
  u: '2024-01-01T00:00:00.000002Z',
  dd: '2024-01-02',
  du: '90m',
  b: 'aGVsbG8=',
  num: 1,
  i32: 3,
  q: '1Gi',
  url: 'https://example.com:443',
  nul: null,
  mp: { a: 'x', b: null },
  any: '5%',
  emb: { k: 'v', z: 1 },
};

export const withRule = (rule: string): Record<string, unknown> => ({
  type: 'object',
  properties: PROPERTIES,
  'x-kubernetes-validations': [{ rule }],
});

/** Verdicts by the heading of their part of the file. */
export function verdicts(): ReadonlyMap<string, readonly Verdict[]> {
  const file = readFileSync(new URL('verdicts.txt', import.meta.url), 'utf8');
  const parts = file.split(/\n\n# /).slice(1);
  return new Map(
    parts.map((part) => {
      const [heading = '', ...lines] = part.trimEnd().split('\n');
      return [heading, lines.map(verdictIn)];
    }),
  );
}

function verdictIn(line: string): Verdict {
  const at = line.lastIndexOf(' => ');
  return { rule: line.slice(0, at), verdict: line.slice(at + 4) };
}
