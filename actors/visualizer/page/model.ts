// State of the page: objects as they are, and their steps, so that it can show any moment.
import type { Changes, Hello, ObjectsSnapshot, Step, Steps, Tree } from '../wire.ts';
import { readable } from './text.ts';
import { StatusColor } from './tones.ts';

/** Steps that are kept in memory; the oldest are dropped first. */
const STEPS = 120_000;
/** Age above which an answer of the server may be outdated although no object changed, in milliseconds. */
const OLD_MS = 15_000;

export class Model {
  hello: Hello | undefined;
  /** Objects by key, as they are. */
  readonly trees = new Map<string, Tree>();
  /** Problem that the server reports; undefined: nothing. */
  problem: string | undefined;
  /** Time of the server less that of this machine, in milliseconds. */
  skewMs = 0;
  /** All that is known of what happened, oldest first. */
  steps: Step[] = [];
  historyIs: 'unread' | 'read' | 'truncated' | 'none' = 'unread';
  /** Steps of each object, oldest first. */
  readonly #byKey = new Map<string, Step[]>();
  /** Changes with each change of `trees`. */
  version = 0;
  /** Server time of the last change of `trees`. */
  #changedAt = 0;
  /** Server time of the last change of each object. */
  readonly #changedAtOf = new Map<string, number>();
  /** Server time of the last deletion or snapshot. */
  #goneAt = 0;
  /** Changes when objects come or go, and with what they refer to or are called. */
  shape = 0;
  /** The feed has delivered all objects. */
  isLoaded = false;
  /** Since when the server is away; 0: it is there. */
  awaySince = 0;
  /** Keys of the objects that are there, in a steady order; undefined: one came or went since. */
  #sorted: readonly string[] | undefined;
  #dependents: { readonly shape: number; readonly of: ReadonlyMap<string, readonly string[]> } | undefined;

  /** The time of the server. */
  now(): number {
    return Date.now() + this.skewMs;
  }

  takeSnapshot({ at, trees }: ObjectsSnapshot): void {
    this.skewMs = at - Date.now();
    this.trees.clear();
    this.#changedAtOf.clear();
    for (const tree of trees) {
      this.trees.set(tree.key, tree);
      this.#changedAtOf.set(tree.key, at);
    }
    this.#changedAt = at;
    this.#goneAt = at;
    this.#sorted = undefined;
    this.isLoaded = true;
    this.version++;
    this.shape++;
  }

  takeChanges({ at, trees, gone, steps }: Changes): void {
    this.skewMs = at - Date.now();
    const before = this.trees.size;
    let isOther = gone.length > 0;
    for (const tree of trees) {
      isOther ||= !isAlike(this.trees.get(tree.key)?.needs, tree.needs);
      this.trees.set(tree.key, tree);
      this.#changedAtOf.set(tree.key, at);
    }
    if (this.trees.size !== before || gone.length > 0) this.#sorted = undefined;
    for (const key of gone) {
      this.trees.delete(key);
      this.#changedAtOf.delete(key);
      this.#goneAt = at;
    }
    if (isOther || this.trees.size !== before) this.shape++;
    if (trees.length + gone.length > 0) {
      this.version++;
      this.#changedAt = at;
    }
    for (const step of steps) this.#note(step);
    if (this.steps.length > STEPS) this.#forgetOldest();
  }

  /**
   * Whether an object has changed since an answer of the server was begun.
   *
   * @param at  server time when reading began
   * @param keys  objects that the answer is about; all by default
   */
  isChangedSince(at: number, keys?: readonly string[]): boolean {
    if (keys === undefined) return at < this.#changedAt;
    return keys.some((key) => at < (this.#changedAtOf.get(key) ?? this.#goneAt));
  }

  /** Whether an answer names causes that may be over although no object has changed: the bus, a cloud, a Secret. */
  isOld(at: number): boolean {
    return this.now() - at > OLD_MS;
  }

  /** The stored history is not read yet. */
  get isReadingHistory(): boolean {
    return this.historyIs === 'unread' && this.hello?.keepsHistory !== false;
  }

  /** Takes the steps before the page was opened. */
  takeHistory({ keys, texts, rows, truncated }: Steps): void {
    const live = this.steps;
    const text = (index = -1): string => texts[index] ?? '';
    this.steps = [];
    this.#byKey.clear();
    const known = new Set<string>();
    for (const [key = -1, at = 0, from, to, cause, tone, by = -1, failure = -1] of rows) {
      const step: Step = {
        key: keys[key] ?? '',
        at,
        from: text(from),
        to: text(to),
        cause: text(cause),
        tone: text(tone) as StatusColor,
        ...(by >= 0 && { by: keys[by] ?? '' }),
        ...(failure >= 0 && { failure: text(failure) }),
      };
      known.add(`${step.key} ${step.at}`);
      this.#note(step);
    }
    for (const step of live) if (!known.has(`${step.key} ${step.at}`)) this.#note(step);
    this.historyIs = truncated ? 'truncated' : 'read';
  }

  #note(step: Step): void {
    // Those of several processes come nearly in order.
    let position = this.steps.length;
    while (position > 0 && (this.steps[position - 1] as Step).at > step.at) position--;
    this.steps.splice(position, 0, step);
    const own = this.#byKey.get(step.key) ?? [];
    if (own.length === 0) this.#byKey.set(step.key, own);
    let place = own.length;
    while (place > 0 && (own[place - 1] as Step).at > step.at) place--;
    own.splice(place, 0, step);
  }

  #forgetOldest(): void {
    this.steps = this.steps.slice(-Math.floor(STEPS * 0.9));
    this.#byKey.clear();
    for (const step of this.steps) {
      const own = this.#byKey.get(step.key);
      if (own === undefined) this.#byKey.set(step.key, [step]);
      else own.push(step);
    }
    if (this.historyIs === 'read') this.historyIs = 'truncated';
  }

  stepsOf(key: string): readonly Step[] {
    return this.#byKey.get(key) ?? [];
  }

  /** When the oldest known step was; now, if there is none. */
  get since(): number {
    return this.steps[0]?.at ?? this.now();
  }

  /** The last step of an object at a moment. */
  stepAt(key: string, at: number): Step | undefined {
    const own = this.stepsOf(key);
    let [low, high] = [0, own.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((own[middle] as Step).at <= at) low = middle + 1;
      else high = middle;
    }
    return own[low - 1];
  }

  /** An object as it was; undefined: it was not there. @param at  0: now */
  treeAt(key: string, at: number): Tree | undefined {
    const now = this.trees.get(key);
    if (at === 0) return now;
    const step = this.stepAt(key, at);
    if (step === undefined) {
      // It did nothing since long before, or came later.
      if (now === undefined || now.createdAt > at || this.stepsOf(key).length > 0) return undefined;
      return now;
    }
    if (step.to === '') return undefined;
    return {
      ...(now ?? this.#remembered(key)),
      tone: step.tone,
      state: step.to,
      since: step.at,
      said: step.failure ?? '',
      attempts: 0,
      retryAt: 0,
    };
  }

  /** Object that no longer exists, as its key describes it. */
  #remembered(key: string): Tree {
    const [realm = '', plural = '', namespace = '', name = ''] = key.split('.').map(decoded);
    const kind = this.hello?.kinds.find((each) => each.realm === realm && each.plural === plural)?.kind ?? plural;
    return {
      key,
      kind,
      namespace,
      name,
      uid: '',
      tone: StatusColor.Unseen,
      state: '',
      since: 0,
      createdAt: 0,
      attempts: 0,
      retryAt: 0,
      said: '',
      id: '',
      addresses: [],
      needs: [],
    };
  }

  /** Whether objects of such a key would be among the trees, if they were there: others have no life here. */
  isOurs(key: string): boolean {
    const [realm = '', plural = ''] = key.split('.').map(decoded);
    return (
      this.hello?.kinds.some((each) => each.realm === realm && each.plural === plural && each.machine !== '') === true
    );
  }

  /** Object of a key, whether it exists or not. */
  named(key: string): Tree {
    return this.trees.get(key) ?? this.#remembered(key);
  }

  /** All objects as they were, in a steady order. @param at  0: now */
  all(at: number): readonly Tree[] {
    if (at === 0) {
      this.#sorted ??= [...this.trees.values()].sort(byName).map(({ key }) => key);
      return this.#sorted.map((key) => this.trees.get(key) as Tree);
    }
    const keys = new Set([...this.trees.keys(), ...this.#byKey.keys()]);
    return [...keys].flatMap((key) => this.treeAt(key, at) ?? []).sort(byName);
  }

  /** Keys of those that refer to an object. */
  dependentsOf(key: string): readonly string[] {
    if (this.#dependents?.shape !== this.shape) {
      const of = new Map<string, string[]>();
      for (const tree of this.trees.values()) {
        for (const need of tree.needs) {
          const known = of.get(need);
          if (known === undefined) of.set(need, [tree.key]);
          else known.push(tree.key);
        }
      }
      this.#dependents = { shape: this.shape, of };
    }
    return this.#dependents.of.get(key) ?? [];
  }
}

export function byName(one: Tree, other: Tree): number {
  return compare(one.namespace, other.namespace) || compare(one.kind, other.kind) || compare(one.name, other.name);
}

function isAlike(one: readonly string[] | undefined, other: readonly string[]): boolean {
  return one !== undefined && one.length === other.length && one.every((each, index) => each === other[index]);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Text of a token of a key: `_` is the empty text. */
function decoded(token: string): string {
  if (token === '_') return '';
  try {
    return readable(decodeURIComponent(token));
  } catch {
    return token;
  }
}
