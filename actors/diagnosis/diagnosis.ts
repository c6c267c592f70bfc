// Follows the chain of what an object waits for, down to the root causes. Reads the API server alone, and goes by the
// references that the kinds state, so every kind is served.
//
// Invariants:
//   DIAGNOSIS-1. Each object is explained once: where it comes up again, or waits for itself, the chain ends.
//   DIAGNOSIS-2. What waits for something has no cause of its own; what waits for nothing and is not done has one.
//   DIAGNOSIS-3. Code of a kind that throws is the cause at the object that it was run for, and breaks nothing else.
import type { Resource } from '../../adapters/kubernetes/mod.ts';
import { type Address, addressKey, TroupeError, toErrorData } from '../../bus/mod.ts';
import type { Kind, KnownDependencies, Reference } from '../../machines/kind.ts';
import { type StatusSummary, Tag } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { type Condition, conditionOf, progressOf } from '../base/conditions.ts';
import { type Registry, resourceOf } from '../object/registry.ts';
import { defectIn } from '../sharding/quarantine.ts';
import type { ClusterReader } from './cluster-reader.ts';
import { argumentsFor, type Cause, type Finding, type Hold, labelOf, Standing } from './findings.ts';
import * as cause from './root-causes.ts';
import { counts, idOf, isDeleted, objectStateOf, saidBy } from './root-causes.ts';

export interface DiagnosisDeps {
  readonly reading: ClusterReader;
  readonly registry: Registry;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Text for an object that occurs again: that it did, which is the default, or all once more. */
  readonly repeats?: 'short' | 'whole';
}

/** Holders that are shown under one finalizer. */
const HOLDERS = 10;

/** Problem of a deleted object. */
const CLEANUP = ' cannot be cleaned up';

/** An object as it was read, with what is known of its kind. */
interface Subject {
  readonly address: Address;
  readonly resource: Resource;
  /** Undefined for what has no life here: secrets, followed kinds. */
  readonly kind: Kind | undefined;
  readonly object: KubeObject;
  readonly label: string;
  /** Id of its external resource. */
  readonly id: string | undefined;
}

/** An object that refers to another one under a finalizer. */
interface Referrer {
  readonly from: Address;
  readonly object: KubeObject;
  /** Id of its external resource. */
  readonly id: string | undefined;
}

/** Parts of a finding beyond the conditions of the object. */
type Explanation = Pick<Finding, 'standing' | 'needs' | 'sinceMs' | 'heldBy' | 'cause' | 'progressing'>;

/** Serves for one question. */
export class Diagnosis {
  readonly #deps: DiagnosisDeps;
  readonly #explained = new Map<string, Finding>();
  readonly #addresses = new WeakMap<Finding, Address>();
  /** Referrers by target, keyed by finalizer and namespace. */
  readonly #referrersByPlace = new Map<string, Promise<ReadonlyMap<string, readonly Referrer[]>>>();
  /** The objects whose explanation has begun and not ended. */
  readonly #path: { readonly key: string; readonly label: string }[] = [];

  constructor(deps: DiagnosisDeps) {
    this.#deps = deps;
  }

  /** Whose finding it is, if it is one of this inquiry. */
  addressOf(finding: Finding): Address | undefined {
    return this.#addresses.get(finding);
  }

  /**
   * @param askedBy  label of the object that refers to this one
   * @throws as `Objects.get` and `Objects.list`
   */
  async explain(address: Address, askedBy?: string): Promise<Finding> {
    const finding = await this.#explain(address, askedBy);
    this.#addresses.set(finding, address);
    return finding;
  }

  async #explain(address: Address, askedBy: string | undefined): Promise<Finding> {
    const resource = this.#deps.registry.resource(address) as Resource;
    const label = labelOf({ kind: resource.kind, name: address.name });
    const object = await this.#deps.reading.get(resource, address);
    if (object === undefined) {
      const names = { kind: resource.kind, name: address.name };
      return { ...names, standing: Standing.Absent, needs: [], cause: await this.#absent(address, label, askedBy) };
    }
    const key = addressKey(address);
    const kind = this.#deps.registry.kind(address);
    const id = orElse(() => idOf(object, kind), undefined);
    const known = { ...saidBy(object, id), standing: objectStateOf(object) };
    const position = this.#path.findIndex((other) => other.key === key);
    if (position >= 0) {
      const labels = this.#path.slice(position).map((other) => other.label);
      return { ...known, needs: [], repeated: true, cause: cause.circle(labels) };
    }
    const explained = this.#explained.get(key);
    if (explained !== undefined)
      return this.#deps.repeats === 'whole' ? explained : { ...known, needs: [], repeated: true };
    this.#path.push({ key, label });
    const subject = { address, resource, kind, object, label, id };
    const explanation = await this.#explanation(subject);
    this.#path.pop();
    const finding: Finding = { ...known, ...explanation };
    this.#explained.set(key, finding);
    return finding;
  }

  async #explanation(subject: Subject): Promise<Explanation> {
    const { object, label } = subject;
    try {
      return await (isDeleted(object) ? this.#deleted(subject) : this.#live(subject));
    } catch (error) {
      if (error instanceof TroupeError) throw error;
      const defect = cause.defective(label, toErrorData(error).message);
      return { standing: Standing.Failing, needs: [], cause: defect };
    }
  }

  async #absent(address: Address, label: string, askedBy: string | undefined): Promise<Cause> {
    const { reading, registry } = this.#deps;
    const resource = registry.resource(address) as Resource;
    const kinds = await reading.kindsBeside(resource);
    if (kinds === undefined || kinds.includes(resource.kind)) return cause.missing(label, address.namespace, askedBy);
    return cause.unknownKind(resource, kinds, { isOurs: registry.kind(address) !== undefined, askedBy });
  }

  async #live(subject: Subject): Promise<Explanation> {
    const { kind, object, label, id } = subject;
    const paused = this.#pause(subject);
    if (paused !== undefined) return { standing: Standing.Paused, needs: [], ...paused };
    const isBuilt = id !== undefined;
    const progressing = progressOf(object);
    const since = this.#since(progressing?.lastTransitionTime);
    if (kind === undefined) {
      if (this.#deps.registry.standing(subject.resource, object).ready)
        return { standing: Standing.Available, needs: [] };
      const reported = cause.elsewhere(label, object, subject.resource.plural);
      return { standing: Standing.Waiting, needs: [], ...since, cause: reported };
    }
    // mutant: glance-refused-at-rest if -> $ && progressing === $2
    if (kind.life.summarize !== undefined) {
      const summary = kind.life.summarize(object);
      const explanation = await this.#glanced(subject, summary);
      // Without a summary the condition is that of an earlier generation.
      if (progressing === undefined || summary === undefined) return explanation;
      const { status, reason, message } = progressing;
      return { ...explanation, ...since, progressing: { status, reason, message: summary.message || message } };
    }
    const current = progressing?.observedGeneration === object.metadata.generation ? progressing : undefined;
    if (current?.status === 'False') return { ...(await this.#settled(subject, current)), needs: [], ...since };
    const defect = current && defectIn(current.message);
    if (defect !== undefined)
      return { standing: Standing.Failing, needs: [], ...since, cause: cause.defective(label, defect) };
    const needs = await this.#needs(subject, (reference) => counts(reference, isBuilt, current?.message));
    // The condition of an earlier generation does not say since when this one waits.
    if (needs.length > 0) return { standing: Standing.Waiting, needs, ...(current === undefined ? {} : since) };
    if (current === undefined) {
      const isNew = progressing === undefined;
      const applied = isNew ? this.#since(object.metadata.creationTimestamp) : {};
      return { standing: Standing.Unseen, needs, ...applied, cause: cause.unseen(label, isNew, applied.sinceMs) };
    }
    if (current.reason === 'TransientError')
      return { standing: Standing.Failing, needs, ...since, cause: await this.#retried(subject, '', current) };
    const advice = kind.life.hintFor?.(object, current.message, await this.#known(subject));
    const reported = cause.foreign(label, object, current.message, { advice, ...since });
    return { standing: Standing.Waiting, needs, ...since, cause: reported };
  }

  /** Finding for a kind whose status has no such condition. */
  async #glanced(subject: Subject, summary: StatusSummary | undefined): Promise<Explanation> {
    const { object, label, resource, kind, id } = subject;
    const { tags = [] } = summary ?? {};
    // A status without a message is described by the reason of its condition.
    const message = summary?.message || progressOf(object)?.reason || '';
    const said = { reason: '', message };
    if (tags.includes(Tag.Terminal)) {
      const advice = kind?.life.hintFor?.(object, message);
      return { standing: Standing.Failed, needs: [], cause: cause.refused(label, said, advice) };
    }
    if (tags.includes(Tag.Settled)) {
      const isReady = this.#deps.registry.standing(resource, object).ready;
      return { standing: isReady ? Standing.Available : Standing.Unavailable, needs: [] };
    }
    const needs = await this.#needs(subject, (reference) => counts(reference, id !== undefined, message));
    if (needs.length > 0) return { standing: Standing.Waiting, needs };
    if (summary === undefined) {
      const isNew = object.status === undefined;
      const { sinceMs } = isNew ? this.#since(object.metadata.creationTimestamp) : {};
      return { standing: Standing.Unseen, needs, cause: cause.unseen(label, isNew, sinceMs) };
    }
    if (tags.includes(Tag.Failing))
      return { standing: Standing.Failing, needs, cause: await this.#retried(subject, '', said) };
    return {
      standing: Standing.Waiting,
      needs,
      cause: cause.foreign(label, object, message, { advice: kind?.life.hintFor?.(object, message) }),
    };
  }

  async #settled(subject: Subject, current: Condition): Promise<Pick<Explanation, 'standing' | 'cause'>> {
    const { object, label, resource, kind, id } = subject;
    if (current.reason !== 'Success') {
      const advice = kind?.life.hintFor?.(object, current.message);
      return { standing: Standing.Failed, cause: cause.refused(label, current, advice) };
    }
    if (!this.#deps.registry.standing(resource, object).ready)
      return { standing: Standing.Unavailable, cause: cause.unusable(label, object, id) };
    for (const { message } of [current, conditionOf(object, 'Drifted')].filter((said) => said !== undefined)) {
      const advice = kind?.life.hintFor?.(object, message);
      if (advice !== undefined)
        return { standing: Standing.Available, cause: cause.advised(label, '', { message }, advice) };
    }
    // Without an edit it is as it was created.
    const isEdited = (object.metadata.generation ?? 1) > 1;
    const unappliedFields = (isEdited && kind?.life.unappliedFields?.(object, await this.#known(subject))) || [];
    return {
      standing: Standing.Available,
      ...(unappliedFields.length > 0 && { cause: cause.unappliedFields(label, unappliedFields, id) }),
    };
  }

  async #retried(subject: Subject, doing: string, said: Pick<Condition, 'message'>): Promise<Cause> {
    const { object, label, kind } = subject;
    const defect = defectIn(said.message);
    if (defect !== undefined) return cause.defective(label, defect);
    const advice = kind?.life.hintFor?.(object, said.message, await this.#known(subject));
    return advice === undefined ? cause.retried(label, doing, said) : cause.advised(label, doing, said, advice);
  }

  /** Dependencies of the object whose ids are recorded. */
  async #known({ address, object, kind }: Subject): Promise<KnownDependencies> {
    const { reading, registry } = this.#deps;
    const known: [string, KnownDependencies[string]][] = [];
    for (const reference of kind?.references(object) ?? []) {
      const target = orElse(() => registry.target(address, reference), undefined);
      const targetKind = target && registry.kind(target);
      if (target === undefined || targetKind === undefined) continue;
      const found = await reading.get(registry.resource(target) as Resource, target);
      const id = found && orElse(() => idOf(found, targetKind), undefined);
      if (id !== undefined) known.push([labelOf(reference), { id, ready: true }]);
    }
    return Object.fromEntries(known);
  }

  async #deleted(subject: Subject): Promise<Explanation> {
    const { kind, object, label, id } = subject;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const since = this.#since(deletionTimestamp);
    const heldBy: Hold[] = [];
    for (const finalizer of finalizers) heldBy.push(await this.#hold(subject, finalizer));
    const body = { standing: Standing.Deleting, ...since, heldBy, needs: [] };
    const others = heldBy.filter(({ own }) => !own);
    if (others.some(({ holders }) => holders.length > 0)) return body;
    const paused = this.#pause(subject);
    if (paused !== undefined) return { ...body, ...paused };
    const strange = others.find(({ finalizer }) => this.#deps.registry.claimants(finalizer).length === 0);
    if (strange !== undefined) return { ...body, cause: cause.strange(label, strange.finalizer) };
    const [released] = others;
    if (released !== undefined) return { ...body, cause: cause.released(label, released.finalizer) };
    if (finalizers.length === 0) return { ...body, cause: cause.leaving(label) };
    // Its own cleanup: it needs the credentials, and waits until its children are deleted.
    const needs = await this.#needs(subject, ({ neededFor }) => neededFor === 'always' || neededFor === 'never');
    if (needs.length > 0) return { ...body, needs };
    const progressing = progressOf(object);
    if (kind !== undefined && progressing?.reason === 'TransientError')
      return { ...body, cause: await this.#retried(subject, CLEANUP, progressing) };
    const summary = kind?.life.summarize?.(object);
    if (summary?.tags.includes(Tag.Failing) === true)
      return { ...body, cause: await this.#retried(subject, CLEANUP, summary) };
    // A message from before the deletion is outdated.
    const isNews = progressing?.observedGeneration === object.metadata.generation;
    if (kind !== undefined && progressing !== undefined && isNews) {
      const { status, reason, message } = progressing;
      const advice = kind.life.hintFor?.(object, message, await this.#known(subject));
      if (advice !== undefined && reason !== 'Success')
        return { ...body, cause: cause.advised(label, CLEANUP, progressing, advice) };
      if (status === 'False' && reason !== 'Success') return { ...body, cause: cause.refused(label, progressing) };
    }
    if (summary?.tags.includes(Tag.Terminal) === true)
      return { ...body, cause: cause.refused(label, { reason: '', message: summary.message }) };
    return { ...body, cause: cause.cleaning(label, id, since.sinceMs) };
  }

  /** Objects of a namespace that refer to others under a finalizer, by what they refer to. Each is read once. */
  #referrers(finalizer: string, namespace: string): Promise<ReadonlyMap<string, readonly Referrer[]>> {
    const key = `${finalizer} ${namespace}`;
    const known = this.#referrersByPlace.get(key) ?? this.#referrersIn(finalizer, namespace);
    // mutant: referrers-sought-each-time drop
    this.#referrersByPlace.set(key, known);
    return known;
  }

  async #referrersIn(finalizer: string, namespace: string): Promise<ReadonlyMap<string, readonly Referrer[]>> {
    const { registry, reading } = this.#deps;
    const found = new Map<string, Referrer[]>();
    for (const claimant of registry.claimants(finalizer)) {
      const { realm, plural } = claimant;
      for (const object of await reading.list(resourceOf(claimant), namespace)) {
        const from = { realm, plural, namespace, name: object.metadata.name };
        const targets = (): readonly string[] =>
          claimant
            .references(object)
            .filter(({ finalizers }) => finalizers.includes(finalizer))
            .map((reference) => addressKey(registry.target(from, reference)));
        const referrer = { from, object, id: orElse(() => idOf(object, claimant), undefined) };
        for (const target of new Set(orElse(targets, []))) {
          const others = found.get(target);
          if (others === undefined) found.set(target, [referrer]);
          else others.push(referrer);
        }
      }
    }
    return found;
  }

  /** Objects that still refer to a deleted object under a finalizer. */
  async #hold({ address, kind, label }: Subject, finalizer: string): Promise<Hold> {
    const referring = (await this.#referrers(finalizer, address.namespace)).get(addressKey(address)) ?? [];
    // A claimant that has built nothing withdraws its claim: it is not the reason for the wait.
    const isAsking = ({ from, object, id }: Referrer): boolean =>
      !isDeleted(object) && id === undefined && this.#path.some((other) => other.key === addressKey(from));
    const others = referring.filter((each) => !isAsking(each));
    // mutant: asker-waits-for-himself ?: -> $3
    const known = others.length > 0 ? others : referring;
    // Those whom a person has to see to come first.
    const found = known.toSorted((left, right) => Number(isDeleted(left.object)) - Number(isDeleted(right.object)));
    const holders: Finding[] = [];
    for (const { from, object, id } of found.slice(0, HOLDERS)) {
      if (isDeleted(object)) {
        holders.push(await this.explain(from));
        continue;
      }
      const said = saidBy(object, id);
      const reported = cause.holding(labelOf(said), id, label);
      const holder: Finding = { ...said, standing: objectStateOf(object), needs: [], cause: reported };
      this.#addresses.set(holder, from);
      holders.push(holder);
    }
    return { finalizer, own: kind?.finalizer === finalizer, holders, more: found.length - holders.length };
  }

  /** The references that count now, and cannot be used as they are. */
  async #needs(
    { address, kind, object, label, id }: Subject,
    isNeeded: (reference: Reference) => boolean,
  ): Promise<readonly Finding[]> {
    const { registry } = this.#deps;
    const needs: Finding[] = [];
    for (const reference of (kind?.references(object) ?? []).filter(isNeeded)) {
      const target = registry.target(address, reference);
      const found = await this.#deps.reading.get(registry.resource(target) as Resource, target);
      const isGoing = isDeleted(object) && reference.neededFor === 'never';
      const isFine = isGoing ? found === undefined : this.#isUsable(target, found, reference, { object, id });
      if (!isFine) needs.push(await this.explain(target, label));
    }
    return needs;
  }

  #isUsable(
    target: Address,
    found: KubeObject | undefined,
    { neededFor }: Reference,
    by: Pick<Subject, 'object' | 'id'>,
  ): boolean {
    if (found === undefined) return false;
    // Credentials serve what was made with them to the end, and a cleanup uses what is there.
    const serves = isDeleted(by.object) || (neededFor === 'always' && by.id !== undefined);
    if (isDeleted(found) && !serves) return false;
    return orElse(() => this.#deps.registry.standing(target, found).ready, false);
  }

  /** Part of a finding about a paused object. Its conditions are from before the pause. */
  #pause({ kind, object, label, address }: Subject): Pick<Finding, 'progressing' | 'cause'> | undefined {
    const pause = kind?.life.pausedBy?.(object);
    if (kind === undefined || pause === undefined) return undefined;
    const reference = argumentsFor({ ...address, kind: kind.kind });
    const message = `by its annotation '${pause.annotation}'`;
    return {
      progressing: { status: 'False', reason: 'Paused', message },
      cause: cause.paused(label, pause, reference),
    };
  }

  #since(time: string | undefined): { readonly sinceMs?: number } {
    const at = Date.parse(time ?? '');
    return Number.isNaN(at) ? {} : { sinceMs: Math.max(0, Math.round(this.#deps.now - at)) };
  }
}

/** Result of a kind's code, which may throw: the host of the object logs that (DIAGNOSIS-3). */
export function orElse<Value>(ask: () => Value, otherwise: Value): Value {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}
