// Sets of paths into an object, in the form in which `metadata.managedFields` keeps them (FieldsV1): a node for each step
// of a path, and in it the steps that follow.
//
// A step is `f:name` for a field, `k:{"type":"Ready"}` for an item of a list of type map, `v:"x"` for an item of a set. A
// node without steps is a path of the set, and so is one with the step `.`.
//
// Invariants:
//   KSIM-FIELD-SETS-1. What an operation is given is never changed; results share what is the same.
import { jsonText, parseJson } from '../../../text/exact-json.ts';
import { isMap, type JsonMap } from '../../../text/json.ts';

export interface FieldSet {
  readonly [step: string]: FieldSet;
}

type Growing = { [step: string]: Growing };

const SELF = '.';

export const EMPTY_SET: FieldSet = {};

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

export const isMember = (node: FieldSet): boolean => SELF in node || isEmptySet(node);

/** Puts a path into a set that is still being made. */
export function insert(set: FieldSet, path: readonly string[]): void {
  let node = set as Growing;
  const last = path.length - 1;
  let index = -1;
  for (const step of path) {
    index++;
    let next = node[step];
    if (next === undefined) {
      next = {};
      node[step] = next;
    } else if (SELF in next || (index === last && isEmptySet(next))) {
      // The path is known.
    } else if (index === last || isEmptySet(next)) {
      // Two paths, one of which continues the other.
      next[SELF] = {};
    }
    node = next;
  }
}

/** A node of the given steps (`.` does not count); undefined when it is empty. */
function nodeOf(member: boolean, steps: FieldSet): FieldSet | undefined {
  if (endsHere(steps)) return member ? EMPTY_SET : undefined;
  if (SELF in steps === member) return steps;
  if (member) return { [SELF]: EMPTY_SET, ...steps };
  const { [SELF]: _, ...rest } = steps;
  return rest;
}

function endsHere(steps: FieldSet): boolean {
  for (const step in steps) if (step !== SELF) return false;
  return true;
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmptySet(right)) return left;
  if (isEmptySet(left)) return right;
  let result: Growing | undefined;
  for (const step in right) {
    if (step === SELF) continue;
    const [mine, other] = [left[step], right[step] ?? EMPTY_SET];
    const joined = mine === undefined ? other : joinedNode(mine, other);
    if (joined === mine) continue;
    result ??= { ...(left as Growing) };
    result[step] = joined as Growing;
  }
  return result ?? left;
}

function joinedNode(left: FieldSet, right: FieldSet): FieldSet {
  const steps = union(left, right);
  return nodeOf(isMember(left) || isMember(right), steps) ?? EMPTY_SET;
}

/** Members of `left` that are not in `right`; paths below a path of `right` stay. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  let result: Growing | undefined;
  for (const step in right) {
    const [mine, other] = [left[step], right[step]];
    if (step === SELF || mine === undefined || other === undefined) continue;
    const rest = nodeOf(isMember(mine) && !isMember(other), difference(mine, other));
    if (rest === mine) continue;
    result ??= { ...(left as Growing) };
    if (rest === undefined) delete result[step];
    else result[step] = rest as Growing;
  }
  return result ?? left;
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  let result: Growing | undefined;
  for (const step in right) {
    const [mine, other] = [left[step], right[step]];
    if (step === SELF || mine === undefined || other === undefined) continue;
    const common = nodeOf(isMember(mine) && isMember(other), intersection(mine, other));
    if (common === undefined) continue;
    result ??= {};
    result[step] = common as Growing;
  }
  return result ?? EMPTY_SET;
}

/** The rest of `set` without the given fields of the root and everything below them. */
export function withoutRoots(set: FieldSet, roots: readonly string[]): FieldSet {
  if (!roots.some((root) => `f:${root}` in set)) return set;
  return Object.fromEntries(Object.entries(set).filter(([step]) => !roots.includes(step.slice(2))));
}

/** The steps of every path in the set: the members of a level before what is below them. */
export function* paths(set: FieldSet, prefix: readonly string[] = []): Generator<readonly string[]> {
  const nodes = Object.entries(set).filter(([step]) => step !== SELF);
  nodes.sort(([left], [right]) => compareSteps(left, right));
  for (const [step, node] of nodes) if (isMember(node)) yield [...prefix, step];
  for (const [step, node] of nodes) yield* paths(node, [...prefix, step]);
}

/** The set with its steps in the order in which the API server writes them: itself where they are. */
export function ordered(set: FieldSet): FieldSet {
  let last: string | undefined;
  for (const step in set) {
    const below = set[step] ?? EMPTY_SET;
    if ((last !== undefined && compareSteps(last, step) > 0) || ordered(below) !== below) return reordered(set);
    last = step;
  }
  return set;
}

function reordered(set: FieldSet): FieldSet {
  const result: Growing = {};
  for (const step of Object.keys(set).sort(compareSteps)) result[step] = ordered(set[step] ?? EMPTY_SET) as Growing;
  return result;
}

/** Fields, then keys, then values; keys and values by what they say, not by how they are spelled. */
function compareSteps(left: string, right: string): number {
  if (left[0] !== right[0]) return '.fkvi'.indexOf(left[0] ?? '') - '.fkvi'.indexOf(right[0] ?? '');
  if (left === right) return 0;
  if (left[0] !== 'k' && left[0] !== 'v') return left < right ? -1 : 1;
  return compareValues(parseJson(left.slice(2)), parseJson(right.slice(2)));
}

function compareValues(left: unknown, right: unknown): number {
  if (isMap(left) && isMap(right)) {
    const [mine, others] = [Object.keys(left), Object.keys(right)];
    for (const [index, key] of mine.entries()) {
      const other = others[index];
      if (other === undefined) return 1;
      if (key !== other) return key < other ? -1 : 1;
      const order = compareValues(left[key], right[key]);
      if (order !== 0) return order;
    }
    return mine.length - others.length;
  }
  const rank = (value: unknown): number => ['number', 'bigint', 'string', 'boolean'].indexOf(typeof value);
  if (typeof left !== typeof right) return rank(left) - rank(right);
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  return Number(left) - Number(right);
}

/** A path as messages write it: `.spec.ports[name="http"].port`. */
export const pathText = (steps: readonly string[]): string => steps.map(stepText).join('');

export function stepText(step: string): string {
  const rest = step.slice(2);
  if (step.startsWith('f:')) return `.${rest}`;
  if (step.startsWith('v:')) return `[=${rest}]`;
  if (step.startsWith('i:')) return `[${rest}]`;
  const key = parseJson(rest) as JsonMap;
  return `[${Object.keys(key)
    .map((name) => `${name}=${jsonText(key[name])}`)
    .join(',')}]`;
}

/** Reads FieldsV1 that a client wrote. @returns undefined when it is none */
export function parseFieldSet(json: unknown): FieldSet | undefined {
  if (json === undefined || json === null) return EMPTY_SET;
  if (!isMap(json)) return undefined;
  const result: Growing = {};
  for (const [step, below] of Object.entries(json)) {
    if (step === SELF) {
      result[SELF] = {};
      continue;
    }
    if (step[1] !== ':') return undefined;
    const node = parseFieldSet(below);
    if (node === undefined) return undefined;
    const known = canonicalStep(step);
    if (known !== undefined) result[known] = node as Growing;
  }
  return result;
}

/** The step as the server spells it; undefined when there is no such kind of step. */
function canonicalStep(step: string): string | undefined {
  const [kind, rest] = [step.slice(0, 2), step.slice(2)];
  if (kind === 'f:' || kind === 'i:') return step;
  if (kind !== 'v:' && kind !== 'k:') return undefined;
  try {
    const value = parseJson(rest);
    if (kind === 'v:') return `v:${jsonText(value)}`;
    if (!isMap(value)) return undefined;
    return `k:${jsonText(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))))}`;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // it names nothing that could be there
    throw error;
  }
}
