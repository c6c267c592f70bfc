// Root causes of all objects that are not available, and the objects that they block, from tones and claims. Pure.
import type { Tree } from '../wire.ts';
import { BAD, StatusColor } from './tones.ts';

export interface Causes {
  /** Blocked objects by the key of a root cause. The one that blocks most comes first. */
  readonly blockedBy: ReadonlyMap<string, readonly string[]>;
  /** Root causes by the key of an object that is not available. */
  readonly rootsOf: ReadonlyMap<string, readonly string[]>;
}

/** Tones of objects that need no root cause: work is in progress. */
const MOVING: ReadonlySet<StatusColor> = new Set([StatusColor.Busy, StatusColor.Unseen, StatusColor.Deleting]);

/** An object that waits although all its dependencies are available waits for a person after this time, in milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * A root cause is an object with which something is wrong; one that waits though all that it needs is available, as for a person; and one
 * that is not there at all.
 *
 * @param isKnown  whether objects of such a key would be among the trees
 * @param now  milliseconds since the epoch: an object that starts to wait may continue at once
 */
export function causesOf(trees: readonly Tree[], isKnown: (key: string) => boolean, now: number): Causes {
  const all = new Map(trees.map((tree) => [tree.key, tree]));
  const found = new Map<string, ReadonlySet<string>>();
  const open = new Set<string>();
  const missing = (key: string): boolean => !all.has(key) && isKnown(key);
  const isOff = (key: string): boolean => {
    const tree = all.get(key);
    return tree === undefined ? isKnown(key) : tree.tone !== StatusColor.Available;
  };
  const roots = (key: string): ReadonlySet<string> => {
    const known = found.get(key);
    if (known !== undefined) return known;
    const tree = all.get(key);
    if (tree === undefined) return new Set(missing(key) ? [key] : []);
    open.add(key);
    const own = new Set<string>();
    if (isWrong(tree)) own.add(key);
    else if (tree.tone === StatusColor.Waiting) {
      for (const need of tree.needs) {
        if (all.has(need) && isOff(need) && !open.has(need)) for (const root of roots(need)) own.add(root);
      }
      // Some claims are of what need not be there: they are a cause only where there is no other.
      const isStuck = now - tree.since >= PATIENCE_MS && !tree.needs.some((need) => all.has(need) && isOff(need));
      if (own.size === 0 && isStuck) {
        const lacking = tree.needs.filter(missing);
        for (const root of lacking.length > 0 ? lacking : [key]) own.add(root);
      }
    }
    open.delete(key);
    found.set(key, own);
    return own;
  };
  const blockedBy = new Map<string, string[]>();
  const rootsOf = new Map<string, readonly string[]>();
  for (const tree of trees) {
    if (tree.tone === StatusColor.Available || MOVING.has(tree.tone)) continue;
    const own = [...roots(tree.key)];
    if (own.length > 0) rootsOf.set(tree.key, own);
    for (const root of own) {
      const blocked = blockedBy.get(root) ?? [];
      blockedBy.set(root, blocked);
      if (root !== tree.key) blocked.push(tree.key);
    }
  }
  return { blockedBy: new Map([...blockedBy].sort((one, other) => other[1].length - one[1].length)), rootsOf };
}

function isWrong({ tone }: Tree): boolean {
  return BAD.has(tone) || tone === StatusColor.Held;
}

/** From an object to one of its root causes in the fewest steps, both included. */
export function wayTo(root: string, from: string, needsOf: (key: string) => readonly string[]): readonly string[] {
  const before = new Map<string, string>([[from, '']]);
  const queue = [from];
  for (const key of queue) {
    if (key === root) break;
    for (const need of needsOf(key)) {
      if (before.has(need)) continue;
      before.set(need, key);
      queue.push(need);
    }
  }
  if (!before.has(root)) return [from];
  const way: string[] = [];
  for (let key = root; key !== ''; key = before.get(key) ?? '') way.unshift(key);
  return way;
}
