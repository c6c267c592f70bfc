// What `troupe why` finds: objects, what they wait for, and the root causes. Plain data.
import type { Address } from '../../bus/mod.ts';

/** State of an object, in one word. */
export const Standing = {
  /** It is not there. */
  Absent: 'absent',
  /** The current generation was not processed. */
  Unseen: 'unseen',
  /** Something else has to happen first. */
  Waiting: 'waiting',
  /** The last step failed, and is tried again. */
  Failing: 'failing',
  /** Refused until a person does something. */
  Failed: 'failed',
  /** As specified, and not usable as it is. */
  Unavailable: 'unavailable',
  Available: 'available',
  /** Nothing is done for it, as a client asked by an annotation. */
  Paused: 'paused',
  /** The user deleted it. */
  Deleting: 'deleting',
} as const;
export type Standing = (typeof Standing)[keyof typeof Standing];

/** Cause of a wait, and the action that solves it. */
export interface Cause {
  readonly summary: string;
  readonly advice: string;
  readonly weight: Weight;
  /** Location, if it is not the object itself: causes at one location are one if one action solves them. */
  readonly at?: string;
}

/** Priority of causes; the highest is the root cause: actions of people before temporary causes. */
export const Weight = {
  Passing: 0,
  Unseen: 1,
  Led: 2,
  Foreign: 3,
  Retried: 4,
  /** No retry happens, whatever the object reports. */
  Stalled: 5,
  Held: 6,
  Refused: 7,
  Missing: 8,
} as const;
export type Weight = (typeof Weight)[keyof typeof Weight];

/** A condition of the object, without its type. */
export interface Verdict {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface Finding {
  readonly kind: string;
  readonly name: string;
  readonly standing: Standing;
  readonly available?: Verdict;
  readonly progressing?: Verdict;
  /** Id in the external system. */
  readonly id?: string;
  /** For how long it has been so, in milliseconds. */
  readonly sinceMs?: number;
  /** Holders, if it is being deleted. */
  readonly heldBy?: readonly Hold[];
  /** Missing dependencies. */
  readonly needs: readonly Finding[];
  readonly cause?: Cause;
  /** It is explained elsewhere in the tree. */
  readonly repeated?: true;
}

/** A finalizer on a deleted object. */
export interface Hold {
  readonly finalizer: string;
  /** Whether it is the object's own: it is removed after the cleanup. */
  readonly own: boolean;
  /** Objects that refer to the deleted one under this finalizer. */
  readonly holders: readonly Finding[];
  /** Number of further ones. */
  readonly more: number;
}

/** `<Kind>/<name>`. */
/** An object as commands take it: `network/app -n shop`. */
export function argumentsFor({
  kind,
  namespace,
  name,
}: Pick<Address, 'namespace' | 'name'> & { readonly kind: string }): string {
  return `${kind.toLowerCase()}/${name}${namespace === '' ? '' : ` -n ${namespace}`}`;
}

export function labelOf({ kind, name }: Pick<Finding, 'kind' | 'name'>): string {
  return `${kind}/${name}`;
}

/** All causes below a finding, the weightiest first; of equals, the one that comes first in the tree. */
export function causesOf(finding: Finding): readonly Cause[] {
  return ranked(toldIn(finding).map(({ cause }) => cause));
}

/** The same in the order of the tree, each with the finding that says it first. */
export function toldIn(finding: Finding): readonly { readonly cause: Cause; readonly by: Finding }[] {
  const found: { readonly cause: Cause; readonly by: Finding }[] = [];
  // With `repeats: 'whole'` a finding comes up as often as it is referred to.
  const seen = new Set<Finding>();
  const visit = (each: Finding): void => {
    if (seen.has(each)) return;
    seen.add(each);
    const { cause, heldBy = [], needs } = each;
    if (cause !== undefined && !found.some((other) => keyOf(other.cause) === keyOf(cause)))
      found.push({ cause, by: each });
    for (const { holders } of heldBy) holders.forEach(visit);
    needs.forEach(visit);
  };
  visit(finding);
  return found;
}

/** The weightiest first. */
export function ranked<Each extends Cause>(causes: readonly Each[]): readonly Each[] {
  return causes.toSorted((left, right) => right.weight - left.weight);
}

/** The same for causes that are one. */
export function keyOf({ at, summary, advice }: Cause): string {
  // mutant: root-cause-each ?: -> $2
  return at === undefined ? summary : `${at}; ${advice}`;
}

/** A duration for people: `40 s`, `5 min`, `3 h`, `2 d`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
