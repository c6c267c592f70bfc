// Follows the chain of what an object waits for, down to the root causes. Reads the API server alone, and goes by the
// references that the kinds state, so every kind is served.
//
// Invariants:
//   Y1. Each object is explained once: where it comes up again, or waits for itself, the chain ends.
//   Y2. What waits for something has no cause of its own; what waits for nothing and is not done has one.
import type { Objects, Resource } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Address, addressKey } from '../../../bus/mod.ts';
import type { Kind, Reference } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Registry, resourceOf } from '../../object/registry.ts';
import { type Condition, conditionOf } from '../../telling/conditions.ts';
import * as cause from './causes.ts';
import { counts, idOf, isDeleted, saidBy, standingOf } from './causes.ts';
import { type Finding, type Hold, labelOf, Standing } from './findings.ts';

export interface InquiryDeps {
  readonly objects: Pick<Objects, 'get' | 'list'>;
  readonly registry: Registry;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Holders that are shown under one finalizer. */
const HOLDERS = 10;

/** An object as it was read, with what is known of its kind. */
interface Subject {
  readonly address: Address;
  readonly resource: Resource;
  /** Undefined for what has no life here: secrets, followed kinds. */
  readonly kind: Kind | undefined;
  readonly object: KubeObject;
  readonly label: string;
}

/** What a finding says beyond what the object says of itself. */
type Explanation = Pick<Finding, 'standing' | 'needs' | 'sinceMs' | 'heldBy' | 'cause'>;

/** Serves for one question: what was read is not read again. */
export class Inquiry {
  readonly #deps: InquiryDeps;
  readonly #reads = new Map<string, Promise<KubeObject | undefined>>();
  readonly #lists = new Map<string, Promise<readonly KubeObject[]>>();
  readonly #explained = new Set<string>();
  /** The objects whose explanation has begun and not ended. */
  readonly #path: { readonly key: string; readonly label: string }[] = [];

  constructor(deps: InquiryDeps) {
    this.#deps = deps;
  }

  /**
   * @param askedBy  label of the object that refers to this one
   * @throws as `Objects.get` and `Objects.list`
   */
  async explain(address: Address, askedBy?: string): Promise<Finding> {
    const resource = this.#deps.registry.resource(address) as Resource;
    const label = labelOf({ kind: resource.kind, name: address.name });
    const object = await this.#get(resource, address);
    if (object === undefined) {
      const names = { kind: resource.kind, name: address.name };
      return { ...names, standing: Standing.Absent, needs: [], cause: cause.missing(label, askedBy) };
    }
    const key = addressKey(address);
    const known = { ...saidBy(object), standing: standingOf(object) };
    const position = this.#path.findIndex((other) => other.key === key);
    if (position >= 0) {
      const labels = this.#path.slice(position).map((other) => other.label);
      return { ...known, needs: [], repeated: true, cause: cause.circle(labels) };
    }
    if (this.#explained.has(key)) return { ...known, needs: [], repeated: true };
    this.#explained.add(key);
    this.#path.push({ key, label });
    const subject = { address, resource, kind: this.#deps.registry.kind(address), object, label };
    const explanation = await (isDeleted(object) ? this.#deleted(subject) : this.#live(subject));
    this.#path.pop();
    return { ...known, ...explanation };
  }

  async #live(subject: Subject): Promise<Explanation> {
    const { kind, object, label } = subject;
    const progressing = conditionOf(object, 'Progressing');
    const since = this.#since(progressing?.lastTransitionTime);
    if (kind === undefined) {
      if (this.#deps.registry.standing(subject.resource, object).ready)
        return { standing: Standing.Available, needs: [] };
      const told = cause.elsewhere(label, object, subject.resource.plural);
      return { standing: Standing.Waiting, needs: [], ...since, cause: told };
    }
    const current = progressing?.observedGeneration === object.metadata.generation ? progressing : undefined;
    if (current?.status === 'False') return { ...this.#settled(subject, current), needs: [], ...since };
    const needs = await this.#needs(subject, (reference) => counts(reference, object, current?.message));
    if (needs.length > 0) return { standing: Standing.Waiting, needs, ...since };
    if (current === undefined) {
      const isNew = progressing === undefined;
      const applied = isNew ? this.#since(object.metadata.creationTimestamp) : {};
      return { standing: Standing.Unseen, needs, ...applied, cause: cause.unseen(label, isNew, applied.sinceMs) };
    }
    if (current.reason === 'TransientError')
      return { standing: Standing.Failing, needs, ...since, cause: cause.retried(label, '', current) };
    const told = cause.foreign(label, object, current.message, since.sinceMs);
    return { standing: Standing.Waiting, needs, ...since, cause: told };
  }

  #settled({ object, label, resource }: Subject, current: Condition): Pick<Explanation, 'standing' | 'cause'> {
    if (current.reason !== 'Success') return { standing: Standing.Failed, cause: cause.refused(label, current) };
    if (this.#deps.registry.standing(resource, object).ready) return { standing: Standing.Available };
    return { standing: Standing.Unavailable, cause: cause.unusable(label, object) };
  }

  async #deleted(subject: Subject): Promise<Explanation> {
    const { kind, object, label } = subject;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const since = this.#since(deletionTimestamp);
    const heldBy: Hold[] = [];
    for (const finalizer of finalizers) heldBy.push(await this.#hold(subject, finalizer));
    const body = { standing: Standing.Deleting, ...since, heldBy, needs: [] };
    const others = heldBy.filter(({ own }) => !own);
    if (others.some(({ holders }) => holders.length > 0)) return body;
    const strange = others.find(({ finalizer }) => this.#deps.registry.claimants(finalizer).length === 0);
    if (strange !== undefined) return { ...body, cause: cause.strange(label, strange.finalizer) };
    const [released] = others;
    if (released !== undefined) return { ...body, cause: cause.released(label, released.finalizer) };
    if (finalizers.length === 0) return { ...body, cause: cause.leaving(label) };
    // Its own cleanup: it needs the credentials, and waits until what it owns is gone.
    const needs = await this.#needs(subject, ({ neededFor }) => neededFor === 'always' || neededFor === 'never');
    if (needs.length > 0) return { ...body, needs };
    const progressing = conditionOf(object, 'Progressing');
    if (kind !== undefined && progressing?.reason === 'TransientError')
      return { ...body, cause: cause.retried(label, ' cannot be cleaned up', progressing) };
    return { ...body, cause: cause.cleaning(label, object, since.sinceMs) };
  }

  /** Who still refers to a deleted object under a finalizer. */
  async #hold({ address, kind, label }: Subject, finalizer: string): Promise<Hold> {
    const { registry } = this.#deps;
    const { namespace } = address;
    const key = addressKey(address);
    const found: { readonly from: Address; readonly object: KubeObject }[] = [];
    for (const claimant of registry.claimants(finalizer)) {
      for (const object of await this.#list(resourceOf(claimant), namespace)) {
        const from = { realm: claimant.realm, plural: claimant.plural, namespace, name: object.metadata.name };
        const isHolding = (reference: Reference): boolean =>
          reference.finalizers.includes(finalizer) && addressKey(registry.target(from, reference)) === key;
        if (claimant.references(object).some(isHolding)) found.push({ from, object });
      }
    }
    // Those whom a person has to see to come first.
    found.sort((left, right) => Number(isDeleted(left.object)) - Number(isDeleted(right.object)));
    const holders: Finding[] = [];
    for (const { from, object } of found.slice(0, HOLDERS)) {
      if (isDeleted(object)) {
        holders.push(await this.explain(from));
        continue;
      }
      const known = saidBy(object);
      const told = cause.holding(labelOf(known), object, label);
      holders.push({ ...known, standing: standingOf(object), needs: [], cause: told });
    }
    return { finalizer, own: kind?.finalizer === finalizer, holders, more: found.length - holders.length };
  }

  /** The references that count now, and cannot be used as they are. */
  async #needs(
    { address, kind, object, label }: Subject,
    isNeeded: (reference: Reference) => boolean,
  ): Promise<readonly Finding[]> {
    const { registry } = this.#deps;
    const needs: Finding[] = [];
    for (const reference of (kind?.references(object) ?? []).filter(isNeeded)) {
      const target = registry.target(address, reference);
      const found = await this.#get(registry.resource(target) as Resource, target);
      const isGoing = isDeleted(object) && reference.neededFor === 'never';
      const isFine = isGoing ? found === undefined : this.#isUsable(target, found, reference, object);
      if (!isFine) needs.push(await this.explain(target, label));
    }
    return needs;
  }

  #isUsable(target: Address, found: KubeObject | undefined, { neededFor }: Reference, by: KubeObject): boolean {
    if (found === undefined) return false;
    // Credentials serve what was made with them to the end, and a cleanup uses what is there.
    const serves = isDeleted(by) || (neededFor === 'always' && idOf(by) !== undefined);
    if (isDeleted(found) && !serves) return false;
    return this.#deps.registry.standing(target, found).ready;
  }

  #since(time: string | undefined): { readonly sinceMs?: number } {
    const at = Date.parse(time ?? '');
    return Number.isNaN(at) ? {} : { sinceMs: Math.max(0, this.#deps.now - at) };
  }

  #get(resource: Resource, address: Address): Promise<KubeObject | undefined> {
    const key = addressKey(address);
    const read = this.#reads.get(key) ?? this.#deps.objects.get(resource, address.namespace, address.name);
    this.#reads.set(key, read);
    return read;
  }

  /** The objects of a namespace; a kind that the API server does not serve has none. */
  #list(resource: Resource, namespace: string): Promise<readonly KubeObject[]> {
    const key = `${resource.plural}.${resource.group}`;
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const none = (error: unknown): readonly KubeObject[] => {
      if (error instanceof AbsentError) return [];
      throw error;
    };
    const list = this.#deps.objects.list(resource, namespace).then(({ items }) => items, none);
    this.#lists.set(key, list);
    return list;
  }
}
