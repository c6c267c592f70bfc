// Cost estimate of an expression, in the units of the API server: about one per step, a tenth of a text's length, a
// quarter of a pattern's. Rules that may cost too much are rejected when the definition is written.
//
// Functions of the extensions for sets and lists beyond `sets.*` count as one step; the API server may count more.

import type { Checked } from './checker.ts';
import {
  add,
  clamp,
  exactly,
  GREATEST,
  NOTHING,
  ONE,
  type Range,
  scaled,
  sum,
  times,
  UNKNOWN,
  union,
} from './ranges.ts';
import { type CelNode, type Fold, RESULT } from './tree.ts';
import type { CelType } from './types.ts';

const TRAVERSAL = 0.1;
const PATTERN = 0.25;

/** Path of a value below its variable: fields, `@items`, `@keys`, `@values`. */
type Path = readonly string[];

interface Estimate {
  readonly cost: Range;
  readonly size?: Range | undefined;
}

interface Entries {
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries: Entries | undefined;
}

const SCALARS = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

/** @param self  the type of `self`, which bounds what is read of it */
export function estimateCost(tree: CelNode, checked: Checked, self: CelType): Range {
  return new Estimator(checked, self).cost(tree);
}

class Estimator {
  readonly #checked: Checked;
  readonly #self: CelType;
  readonly #paths = new Map<CelNode, Path>();
  readonly #sizes = new Map<CelNode, Range>();
  readonly #entries = new Map<CelNode, Entries>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, self: CelType) {
    this.#checked = checked;
    this.#self = self;
  }

  cost(node: CelNode): Range {
    switch (node.kind) {
      case 'literal':
        return NOTHING;
      case 'name':
        this.#paths.set(node, this.#local(node)?.path ?? [node.name]);
        return ONE;
      case 'field':
        return this.#field(node);
      case 'call':
        return this.#call(node);
      case 'list': {
        const cost = sum(node.items.map((item) => this.cost(item)));
        this.#entries.set(node, { key: ONE, value: this.#anyOf(node.items) });
        return add(cost, exactly(10));
      }
      case 'map': {
        const cost = sum(node.entries.flatMap(([key, value]) => [this.cost(key), this.cost(value)]));
        const key = this.#anyOf(node.entries.map(([one]) => one));
        this.#entries.set(node, { key, value: this.#anyOf(node.entries.map(([, one]) => one)) });
        return add(cost, exactly(30));
      }
      case 'fold':
        return this.#fold(node);
      case 'bind': {
        const cost = add(exactly(10), this.cost(node.value));
        const { value } = node;
        this.#push(node.name, { path: this.#path(value), size: this.#sizeOf(value), entries: this.#entriesOf(value) });
        const whole = add(cost, this.cost(node.body));
        this.#locals.get(node.name)?.pop();
        this.#copyEstimates(node, node.body);
        return whole;
      }
    }
  }

  #anyOf(nodes: readonly CelNode[]): Range {
    return nodes
      .map((one) => this.#size(one))
      .reduceRight(union, nodes.length === 0 ? NOTHING : { min: GREATEST, max: 0 });
  }

  #field(node: CelNode & { readonly kind: 'field' }): Range {
    if (this.#checked.typeOf(node).name === 'type') {
      this.#sizes.set(node, NOTHING);
      return ONE;
    }
    const cost = this.cost(node.operand);
    if (node.mode === 'presence') return cost;
    this.#paths.set(node, [...this.#path(node.operand), node.field]);
    if (node.mode === 'optional') return add(cost, ONE);
    const { name, fields } = this.#checked.typeOf(node.operand);
    return fields !== undefined || name === 'map' ? add(cost, ONE) : cost;
  }

  #call(node: CelNode & { readonly kind: 'call' }): Range {
    const { name, target, parameters } = node;
    const [first] = parameters;
    if (name === 'dyn' && first !== undefined) {
      const cost = add(this.cost(first), ONE);
      this.#copyEstimates(node, first);
      return cost;
    }
    const costs = parameters.map((one) => this.cost(one));
    const targetCost = target === undefined || this.#isNamespace(node) ? NOTHING : this.cost(target);
    const overloads = this.#checked.overloadsOf(node);
    let cost: Range = { min: GREATEST, max: 0 };
    let size: Range | undefined;
    for (const id of overloads) {
      const estimate = this.#overload(node, id, costs);
      cost = union(cost, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size);
      if (first !== undefined && (id === 'index_list' || id === 'index_map')) {
        size = this.#entriesOf(first)?.value;
        this.#paths.set(node, [...this.#path(first), id === 'index_list' ? '@items' : '@values']);
      }
      size ??= this.#sizeOf(node);
    }
    if (size !== undefined) this.#sizes.set(node, size);
    return overloads.length === 0 ? NOTHING : add(targetCost, cost);
  }

  #isNamespace({ target }: CelNode & { readonly kind: 'call' }): boolean {
    return target?.kind === 'name' && !this.#checked.names.has(target.name);
  }

  #overload(node: CelNode & { readonly kind: 'call' }, id: string, costs: readonly Range[]): Estimate {
    const { target, parameters, name } = node;
    const [first, second, third] = parameters;
    const [firstCost = NOTHING, secondCost = NOTHING, thirdCost = NOTHING] = costs;
    const plus = (cost: Range): Range => add(cost, sum(costs));
    const library = this.#libraryCall(node, id);
    if (library !== undefined) return { ...library, cost: plus(library.cost) };
    switch (id) {
      case 'format':
        if (target !== undefined) return { cost: plus(scaled(this.#size(target), TRAVERSAL)) };
        break;
      case 'bytes_of_string':
      case 'string_of_bytes':
      case 'quote':
        if (first !== undefined) return this.#rewritten(first, id, plus);
        break;
      case 'string.startsWith':
      case 'string.endsWith':
        if (first !== undefined) return { cost: plus(scaled(this.#size(first), TRAVERSAL)) };
        break;
      case 'in_list':
        if (second !== undefined) return { cost: plus(this.#size(second)) };
        break;
      case 'matches':
        if (target !== undefined && first !== undefined) return { cost: plus(this.#patternCost(target, first)) };
        break;
      case 'string.contains':
        if (target !== undefined && first !== undefined) {
          const [text, part] = [target, first].map((one) => scaled(this.#size(one), TRAVERSAL));
          return { cost: plus(times(text ?? NOTHING, part ?? NOTHING)) };
        }
        break;
      case '_&&_':
      case '_||_':
        return { cost: { min: firstCost.min, max: add(firstCost, secondCost).max } };
      case '_?_:_':
        if (second !== undefined && third !== undefined) {
          this.#unite(node, second, third);
          const size = union(this.#size(second), this.#size(third));
          return { cost: add(firstCost, union(secondCost, thirdCost)), size };
        }
        break;
      case 'add_string':
      case 'add_bytes':
      case 'add_list<A>':
        if (first !== undefined && second !== undefined) {
          const size = add(this.#size(first), this.#size(second));
          this.#unite(node, first, second);
          return { cost: plus(id === 'add_list<A>' ? ONE : scaled(size, TRAVERSAL)), size };
        }
        break;
      case 'compare_string':
      case 'compare_bytes':
      case '_==_':
      case '_!=_':
        if (first !== undefined && second !== undefined) {
          const most = Math.min(this.#size(first).max, this.#size(second).max);
          return { cost: plus(scaled({ min: most > 0 ? 1 : 0, max: most }, TRAVERSAL)) };
        }
        break;
      default:
        if (name.startsWith('sets.') && first !== undefined && second !== undefined) {
          const pairs = times(this.#size(first), this.#size(second));
          return { cost: plus(add(scaled(pairs, name === 'sets.equivalent' ? 2 : 1), ONE)) };
        }
    }
    return { cost: plus(ONE) };
  }

  #rewritten(of: CelNode, id: string, plus: (cost: Range) => Range): Estimate {
    const size = this.#size(of);
    const cost = plus(scaled(size, TRAVERSAL));
    if (id === 'bytes_of_string') return { cost, size: { min: size.min, max: clamp(size.max * 4) } };
    if (id === 'string_of_bytes') return { cost, size: { min: size.min / 4, max: size.max } };
    return { cost, size: { min: size.min + 2, max: clamp(size.max * 2 + 2) } };
  }

  #patternCost(text: CelNode, pattern: CelNode): Range {
    return times(scaled(add(this.#size(text), ONE), TRAVERSAL), scaled(this.#size(pattern), PATTERN));
  }

  /** Cost of the API server's own libraries, without their arguments. */
  #libraryCall({ name, target, parameters }: CelNode & { readonly kind: 'call' }, id: string): Estimate | undefined {
    const [first, second] = parameters;
    const size = target === undefined ? UNKNOWN : this.#size(target);
    switch (name) {
      case 'isSorted':
      case 'sum':
      case 'max':
      case 'min':
      case 'indexOf':
      case 'lastIndexOf':
        return target && { cost: this.#listCost(target, size) };
      case 'sort':
      case 'reverse':
      case '@sortByAssociatedKeys':
        return { cost: ONE, size };
      case 'lowerAscii':
      case 'upperAscii':
      case 'substring':
      case 'trim':
        return target && { cost: scaled(size, TRAVERSAL), size };
      case 'url':
        return first && { cost: scaled(this.#size(first), TRAVERSAL), size: this.#size(first) };
      case 'replace':
        return (
          target && first && second && { cost: scaled(size, 2 * TRAVERSAL), size: this.#replaced(size, first, second) }
        );
      case 'split': {
        const limit = second?.kind === 'literal' && typeof second.value === 'bigint' ? Number(second.value) : size.max;
        return target && { cost: scaled(size, 2 * TRAVERSAL), size: { min: 0, max: limit < 0 ? GREATEST : limit } };
      }
      case 'join': {
        if (target === undefined) return undefined;
        const texts = times(size, this.#itemSize(target));
        const gaps = { min: Math.max(0, size.min - 1), max: Math.max(0, size.max - 1) };
        const joined = first === undefined ? texts : add(texts, times(this.#size(first), gaps));
        return { cost: scaled(joined, TRAVERSAL), size: joined };
      }
      case 'find':
      case 'findAll':
        return target && first && { cost: this.#patternCost(target, first), size: { min: 0, max: size.max } };
      case 'ip':
        if (id === 'cidr_ip') return { cost: ONE };
        return first && { cost: scaled(this.#size(first), TRAVERSAL) };
      case 'cidr':
      case 'isIP':
      case 'isCIDR':
      case 'quantity':
      case 'isQuantity':
      case 'semver':
      case 'isSemver':
        return first && { cost: scaled(this.#size(first), TRAVERSAL) };
      case 'isCanonical':
        return first && { cost: scaled(this.#size(first), 2 * TRAVERSAL) };
      case 'containsIP':
      case 'containsCIDR': {
        const compared = scaled({ min: 8, max: 32 }, TRAVERSAL);
        const masked = name === 'containsCIDR' ? add(scaled({ min: 4, max: 16 }, TRAVERSAL), ONE) : NOTHING;
        const parsed = id === 'contains_text' && first !== undefined ? scaled(this.#size(first), TRAVERSAL) : NOTHING;
        return { cost: add(add(compared, masked), parsed) };
      }
      case 'validate':
        return first && { cost: scaled(scaled(this.#size(first), TRAVERSAL), 128 * PATTERN) };
      case '_==_':
        return this.#opaqueEquality(first, second);
      default:
        return undefined;
    }
  }

  #opaqueEquality(first: CelNode | undefined, second: CelNode | undefined): Estimate | undefined {
    if (first === undefined || second === undefined) return undefined;
    const { name } = this.#checked.typeOf(first);
    if (name !== this.#checked.typeOf(second).name) return undefined;
    if (/^(net\.|kubernetes\.(Quantity|Semver))/.test(name)) return { cost: ONE };
    return name === 'kubernetes.NamedFormat' ? { cost: { min: 1, max: 7 } } : undefined;
  }

  #listCost(target: CelNode, size: Range): Range {
    const { parameters } = this.#checked.typeOf(target);
    const [item] = parameters;
    if (item === undefined) return scaled(size, TRAVERSAL);
    const isText = item.name === 'string' || item.name === 'bytes';
    return times(size, isText ? add(ONE, scaled(this.#itemSize(target), TRAVERSAL)) : ONE);
  }

  #itemSize(list: CelNode): Range {
    return this.#sizeAt([...this.#visiblePath(list), '@items']) ?? UNKNOWN;
  }

  #replaced(size: Range, from: CelNode, to: CelNode): Range {
    const [old, next] = [this.#size(from), this.#size(to)];
    const most = old.min === 0 ? clamp(size.max + 1) : next.max <= old.min ? 0 : Math.ceil(size.max / old.min);
    const kept = old.min === 0 || next.max <= old.min ? size.max : 0;
    return { min: 0, max: clamp(clamp(most * next.max) + kept) };
  }

  #fold(fold: Fold): Range {
    const { range, variables, start, condition, step, result } = fold;
    let cost = add(this.cost(range), this.cost(start));
    this.#push(RESULT, { path: this.#path(start), size: this.#sizeOf(start), entries: this.#entriesOf(start) });
    const isList = this.#checked.typeOf(range).name === 'list';
    const [first = '', second] = variables;
    const entries = this.#entriesOf(range);
    const variable = (part: 'key' | 'value', name: string): Local => ({
      path: [...this.#path(range), name],
      size: entries?.[part],
      entries: undefined,
    });
    if (second === undefined) this.#push(first, isList ? variable('value', '@items') : variable('key', '@keys'));
    else {
      this.#push(first, variable('key', isList ? '@indices' : '@keys'));
      this.#push(second, variable('value', isList ? '@items' : '@values'));
    }
    const turn = add(this.cost(condition), this.cost(step));
    for (const name of variables) this.#locals.get(name)?.pop();
    cost = add(cost, this.cost(result));
    this.#locals.get(RESULT)?.pop();
    const turns = this.#size(range);
    if (start.kind === 'literal') this.#sizes.set(fold, ONE);
    else {
      this.#sizes.set(fold, turns);
      const made = this.#entriesOf(step);
      if (made !== undefined) this.#entries.set(fold, made);
    }
    return add(cost, times(turns, turn));
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name) ?? [];
    this.#locals.set(name, stack);
    stack.push(local);
  }

  #local(node: CelNode): Local | undefined {
    return node.kind === 'name' ? this.#locals.get(node.name)?.at(-1) : undefined;
  }

  #path(node: CelNode): Path {
    return this.#local(node)?.path ?? this.#paths.get(node) ?? [];
  }

  /** The path of a node for functions, which see none of what a loop gathers. */
  #visiblePath(node: CelNode): Path {
    const path = this.#path(node);
    return path[0] === RESULT ? [] : path;
  }

  #entriesOf(node: CelNode): Entries | undefined {
    return this.#entries.get(node) ?? this.#local(node)?.entries;
  }

  #unite(node: CelNode, one: CelNode, other: CelNode): void {
    const [first, second] = [this.#entriesOf(one), this.#entriesOf(other)];
    if (first === undefined || second === undefined) return;
    this.#entries.set(node, { key: union(first.key, second.key), value: union(first.value, second.value) });
  }

  #copyEstimates(to: CelNode, from: CelNode): void {
    const size = this.#sizeOf(from);
    const entries = this.#entriesOf(from);
    if (size !== undefined) this.#sizes.set(to, size);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #size(node: CelNode): Range {
    return this.#sizeOf(node) ?? UNKNOWN;
  }

  #sizeOf(node: CelNode): Range | undefined {
    const known = this.#sizes.get(node);
    if (known !== undefined) return known;
    if (node.kind === 'literal') return exactly(node.size);
    if (node.kind === 'list') return exactly(node.items.length);
    if (node.kind === 'map') return exactly(node.entries.length);
    const declared = this.#sizeAt(this.#path(node));
    if (declared !== undefined) return declared;
    const type = this.#checked.typeOf(node);
    const inner = type.name === 'optional_type' ? type.parameters[0] : type;
    if (inner !== undefined && SCALARS.has(inner.name)) return ONE;
    return this.#local(node)?.size;
  }

  /** Size at a path by the schema. The first part is a variable, and represents the whole. */
  #sizeAt([root, ...path]: Path): Range | undefined {
    if (root === undefined) return undefined;
    let type: CelType | undefined = this.#self;
    for (const part of path) {
      type = below(type, part);
      if (type === undefined) return undefined;
    }
    return { min: 0, max: type.maxSize ?? 0 };
  }
}

function below({ name, parameters, fields }: CelType, part: string): CelType | undefined {
  if (part === '@keys') return name === 'map' ? parameters[0] : undefined;
  return part === '@items' || part === '@values' ? parameters.at(-1) : fields?.get(part);
}
