// The rules that a field shows whether it keeps, without being tried.
import type { Json } from '../../../../bus/bus.ts';
import type { Schema } from '../contract.ts';
import { CONDITIONS, type ContractProblem, ContractRule, FILTER, type Field, isIn, RESOURCE } from './fields.ts';

/** Problem of a field and its solution; undefined if there is none. */
type Judge = (field: Field) => string | undefined;

const JUDGES: readonly (readonly [ContractRule, Judge])[] = [
  [ContractRule.Documented, documented],
  [ContractRule.Bounded, bounded],
  [ContractRule.Sized, sized],
  [ContractRule.Omitted, omitted],
  [ContractRule.FilterIds, withoutIds],
  [ContractRule.References, references],
  [ContractRule.Lists, lists],
  [ContractRule.Status, status],
];

export function judgeField(kind: string, field: Field): readonly ContractProblem[] {
  return JUDGES.flatMap(([rule, judge]) => {
    const message = judge(field);
    return message === undefined ? [] : [{ kind, path: field.path, rule, message }];
  });
}

function documented({ name, schema: { description } }: Field): string | undefined {
  if (name === undefined) return description.trim() === '' ? 'has no description: say what one of them is' : undefined;
  if (description.startsWith(`${name} `) && description.slice(name.length).trim() !== '') return undefined;
  return `has a description that does not begin with its name: write '${name} is ...', not '${description}'`;
}

function bounded({ schema: { type, keywords, values } }: Field): string | undefined {
  const has = (...names: readonly string[]): boolean => names.some((name) => keywords[name] !== undefined);
  if (type === 'string' && !has('maxLength', 'format', 'enum'))
    return 'is a string of any length: give it maxLength, an enum or a format';
  if (type === 'array' && !has('maxItems')) return 'is a list of any length: give it maxItems';
  if (values !== undefined && !has('maxProperties')) return 'is a map of any size: give it maxProperties';
  return undefined;
}

function sized({ path, schema: { type, keywords } }: Field): string | undefined {
  if (type !== 'integer') return undefined;
  const { format, minimum, enum: values } = keywords;
  if (format !== 'int32' && format !== 'int64') {
    return `is an integer of format '${format ?? ''}': make it int32 or int64, with a minimum of 0 for what is unsigned`;
  }
  if (isIn(path, 'spec') && minimum === undefined && values === undefined)
    return 'is an integer without a lower end: give it a minimum, which is 0 for what cannot be negative, or an enum';
  return undefined;
}

function omitted({ schema: { keywords } }: Field): string | undefined {
  return keywords['nullable'] === true
    ? 'may be null, which says the same as leaving it out: remove nullable'
    : undefined;
}

function withoutIds({ path, name, schema }: Field): string | undefined {
  if (!isIn(path, FILTER) || path === FILTER || !isId(name, schema)) return undefined;
  return "is an id in a filter: remove it (spec.import.id imports by id), or refer to another object by a 'fooRef'";
}

function references(field: Field): string | undefined {
  const { path, name, schema, siblings } = field;
  if (!isIn(path, 'spec') || name === undefined) return undefined;
  const target = schema.reference ?? schema.items?.reference;
  const suffix = schema.items === undefined ? 'Ref' : 'Refs';
  if (target !== undefined && !name.endsWith(suffix))
    return `refers to a ${target.kind} and is not called so: name it '${name}${suffix}'`;
  if (/Refs?$/.test(name) && target === undefined) return 'is called a reference and is none: make it a ref()';
  if (/namespace$/i.test(name)) return 'names a namespace: remove it, references stay within that of the object';
  if (isIn(path, RESOURCE) && target === undefined && isId(name, schema))
    return "is the id of something: refer to its object by a 'fooRef' instead";
  return target === undefined ? undefined : saidOnce(name.replace(/Refs?$/, ''), name, Object.keys(siblings));
}

/** Problem of a value that can be given both by a reference and by another field beside it. */
function saidOnce(stem: string, name: string, siblings: readonly string[]): string | undefined {
  const others = [stem, ...['Ref', 'Refs', 'Name', 'ID', 'Id', 'IDs', 'Ids', 'UUID'].map((end) => stem + end)];
  const other = siblings.find((sibling) => sibling !== name && others.includes(sibling));
  return other === undefined ? undefined : `says what '${other}' beside it says too: keep the reference alone`;
}

/** Whether a string is an id by its name or by its format. Numbers of VLANs and the like are none. */
function isId(name: string | undefined, { type, keywords, items }: Schema): boolean {
  const text = items ?? { type, keywords };
  return text.type === 'string' && (/(^id|[a-z]I[Dd])s?$/.test(name ?? '') || text.keywords['format'] === 'uuid');
}

/** Names of members that distinguish items. */
const KEYS = ['name', 'key', 'type'];

function lists({ path, schema: { keywords, items } }: Field): string | undefined {
  if (items === undefined || !isIn(path, 'spec')) return undefined;
  const type = keywords['x-kubernetes-list-type'];
  const { properties } = items;
  if (properties === undefined)
    return type === 'set' ? undefined : `is a list of values of type '${type}': make it a set`;
  const keys = stringsIn(keywords['x-kubernetes-list-map-keys']);
  if (type === 'map') {
    const missing = keys.find((key) => properties[key]?.required !== true);
    if (keys.length > 0 && missing === undefined) return undefined;
    return `is a map by '${missing ?? ''}', which its items may leave out: key it by required fields`;
  }
  const key = KEYS.find((name) => properties[name]?.required === true);
  return key === undefined
    ? undefined
    : `is a list of type '${type}' whose items have a key: make it a map by '${key}'`;
}

/** Keywords that a status schema may have: its size, and its type. */
const STATUS_KEYWORDS = new Set(['maxLength', 'maxItems', 'maxProperties', 'x-kubernetes-list-type']);

function status({ path, schema }: Field): string | undefined {
  if (!isIn(path, 'status') || isIn(path, CONDITIONS)) return undefined;
  const { type, keywords, rules, required, immutable } = schema;
  if (path === 'status.resource.id') return 'repeats status.id: remove it';
  if (required) return 'may not be left out: take off required(), the cloud may not say it';
  if (type === 'array' && keywords['x-kubernetes-list-type'] !== 'atomic')
    return 'is a list that merges: make it atomic, each status is written as a whole';
  const judging = Object.keys(keywords).find(
    (name) =>
      !STATUS_KEYWORDS.has(name) && !(name === 'format' && (type === 'integer' || keywords[name] === 'date-time')),
  );
  const by = judging ?? (rules.length > 0 ? 'a rule' : immutable ? 'immutable()' : undefined);
  return by === undefined
    ? undefined
    : `is judged by ${by}: remove that, one value it refuses and the API server refuses the whole status`;
}

function stringsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
