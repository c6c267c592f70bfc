// Sets of paths into an object, in the shape of the FieldsV1 JSON of `metadata.managedFields`.
//
// A step of a path is written as FieldsV1 writes it: `f:name` for a field, `k:{"type":"Ready"}` for an item of a list of
// type map, `v:"x"` for an item of a set. A node may be in the set, its children may, or both.
import { isMap, type JsonMap } from '../json.ts';

export type FieldSet = Map<string, FieldNode>;

export interface FieldNode {
  member: boolean;
  children: FieldSet | undefined;
}

/** The node at a step, made when absent. */
export function ensureNode(set: FieldSet, step: string): FieldNode {
  let node = set.get(step);
  if (node === undefined) {
    node = { member: false, children: undefined };
    set.set(step, node);
  }
  return node;
}

/** Keeps a node only when it says something. */
function keep(into: FieldSet, step: string, member: boolean, children: FieldSet | undefined): void {
  const rest = children !== undefined && children.size > 0 ? children : undefined;
  if (member || rest !== undefined) into.set(step, { member, children: rest });
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  const result: FieldSet = new Map(left);
  for (const [step, node] of right) {
    const other = result.get(step);
    if (other === undefined) {
      result.set(step, node);
    } else {
      const children = union(other.children ?? new Map(), node.children ?? new Map());
      keep(result, step, other.member || node.member, children);
    }
  }
  return result;
}

/** What is in `left` and not in `right`; paths below a path of `right` stay. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  const result: FieldSet = new Map();
  for (const [step, node] of left) {
    const other = right.get(step);
    if (other === undefined) {
      result.set(step, node);
    } else {
      const children =
        node.children === undefined
          ? undefined
          : other.children
            ? difference(node.children, other.children)
            : node.children;
      keep(result, step, node.member && !other.member, children);
    }
  }
  return result;
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const result: FieldSet = new Map();
  for (const [step, node] of left) {
    const other = right.get(step);
    if (other === undefined) continue;
    const children = node.children && other.children ? intersection(node.children, other.children) : undefined;
    keep(result, step, node.member && other.member, children);
  }
  return result;
}

/** What is left of `set` without the given fields of the root and everything below them. */
export function withoutRoots(set: FieldSet, roots: readonly string[]): FieldSet {
  if (!roots.some((root) => set.has(`f:${root}`))) return set;
  return new Map([...set].filter(([step]) => !roots.includes(step.slice(2))));
}

/** The steps of every path in the set: the members of a level before what is below them. */
export function* paths(set: FieldSet, prefix: readonly string[] = []): Generator<readonly string[]> {
  const nodes = sorted(set);
  for (const [step, { member }] of nodes) if (member) yield [...prefix, step];
  for (const [step, { children }] of nodes) if (children !== undefined) yield* paths(children, [...prefix, step]);
}

function sorted(set: FieldSet): [string, FieldNode][] {
  return [...set].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
}

/** A path as messages write it: `.spec.ports[name="http"].port`. */
export function pathText(steps: readonly string[]): string {
  return steps
    .map((step) => {
      const rest = step.slice(2);
      if (step.startsWith('f:')) return `.${rest}`;
      if (step.startsWith('v:')) return `[=${rest}]`;
      if (step.startsWith('i:')) return `[${rest}]`;
      const key = JSON.parse(rest) as JsonMap;
      return `[${Object.keys(key)
        .map((name) => `${name}=${JSON.stringify(key[name])}`)
        .join(',')}]`;
    })
    .join('');
}

/** The set as FieldsV1 JSON. */
export function toFieldsV1(set: FieldSet): JsonMap {
  const result: JsonMap = {};
  for (const [step, node] of sorted(set)) {
    const below = node.children === undefined ? {} : toFieldsV1(node.children);
    result[step] = node.member && node.children !== undefined ? { '.': {}, ...below } : below;
  }
  return result;
}

/** The inverse of `toFieldsV1`. What is not FieldsV1 reads as an empty set. */
export function fromFieldsV1(json: unknown): FieldSet {
  const set: FieldSet = new Map();
  if (!isMap(json)) return set;
  for (const step of Object.keys(json)) {
    if (!/^[fkvi]:/.test(step)) continue;
    const below = json[step];
    const children = fromFieldsV1(below);
    const member = children.size === 0 || (isMap(below) && Object.hasOwn(below, '.'));
    set.set(step, { member, children: children.size === 0 ? undefined : children });
  }
  return set;
}
