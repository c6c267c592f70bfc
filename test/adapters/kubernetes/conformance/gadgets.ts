// A custom resource with something of everything that patches, server-side apply and tables treat in their own way.
import type { Answer, Request, Step } from './case.ts';

type Fields = Readonly<Record<string, unknown>>;

const text = { type: 'string' } as const;
const texts = (...names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, text]));
const map = (properties: Fields, more: Fields = {}): Fields => ({ type: 'object', properties, ...more });
const listOf = (items: Fields, more: Fields = {}): Fields => ({ type: 'array', items, ...more });
const set = { 'x-kubernetes-list-type': 'set' } as const;
const keyed = (...keys: readonly string[]): Fields => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});
const free = { 'x-kubernetes-preserve-unknown-fields': true } as const;

export const GADGET_SCHEMA = map({
  spec: map({
    size: { type: 'integer', maximum: 10 },
    color: { type: 'string', enum: ['red', 'green'], default: 'red' },
    flag: { type: 'boolean' },
    ratio: { type: 'number' },
    maybe: { type: 'string', nullable: true },
    steps: listOf(text),
    records: listOf(map(texts('a', 'b'))),
    tags: listOf(text, set),
    numbers: listOf({ type: 'integer' }, set),
    ports: listOf(
      map({ name: text, port: { type: 'integer' }, sub: map(texts('x')) }, { required: ['name'] }),
      keyed('name'),
    ),
    rules: listOf(
      map(
        {
          port: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP' },
          on: { type: 'boolean', default: true },
          note: text,
        },
        { required: ['port', 'protocol', 'on'] },
      ),
      keyed('port', 'protocol', 'on'),
    ),
    parts: map({ ...texts('a', 'b'), deep: map(texts('c')) }),
    whole: map(texts('a', 'b'), { 'x-kubernetes-map-type': 'atomic' }),
    options: { type: 'object', additionalProperties: text },
    nested: { type: 'object', additionalProperties: map(texts('a')) },
    either: { 'x-kubernetes-int-or-string': true },
    open: { type: 'object', ...free },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, ...free },
  }),
  status: map({
    id: text,
    seen: { type: 'integer' },
    conditions: listOf(map(texts('type', 'status'), { required: ['type'] }), keyed('type')),
  }),
});

export const GADGET_COLUMNS: readonly Fields[] = [
  { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how big' },
  { name: 'Ratio', type: 'number', jsonPath: '.spec.ratio' },
  { name: 'Flag', type: 'boolean', jsonPath: '.spec.flag' },
  { name: 'Steps', type: 'string', jsonPath: '.spec.steps' },
  { name: 'Each', type: 'string', jsonPath: '.spec.steps[*]' },
  { name: 'Options', type: 'string', jsonPath: '.spec.options', priority: 1 },
  { name: 'At', type: 'date', jsonPath: '.metadata.annotations.at' },
  { name: 'Seen', type: 'integer', format: 'int32', jsonPath: '.status.seen' },
];

export const GADGETS = '/apis/{group}/v1/namespaces/{ns}/gadgets';
export const OTHER_GADGETS = '/apis/{group}/v2/namespaces/{ns}/gadgets';

export const gadget = (name: string, spec?: Fields, metadata: Fields = {}, more: Fields = {}): Fields => ({
  apiVersion: '{group}/v1',
  kind: 'Gadget',
  metadata: { name, ...metadata },
  ...(spec === undefined ? {} : { spec }),
  ...more,
});

/**
 * The steps with what has no order in their answers put into one: owners are sorted by when they wrote, in seconds, and
 * conflicts come as a hash map has them.
 */
export function unordered(steps: readonly Step[]): Step[] {
  return steps.map((step) => ('watch' in step ? step : withPick(step)));
}

function withPick(step: Request): Request {
  const { pick } = step;
  return { ...step, pick: (answer: Answer) => sorted('', pick === undefined ? answer : pick(answer)) };
}

function sorted(key: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => sorted('', item));
    if (key !== 'managedFields' && key !== 'causes') return items;
    return items
      .map((item) => [JSON.stringify(item), item] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, item]) => item);
  }
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((name) => [name, sorted(name, (value as Record<string, unknown>)[name])]));
}
