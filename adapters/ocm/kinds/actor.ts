// A modeled object as an actor. It has no external resource: it waits for its references, reports in a condition whether all of
// that is ready, keeps that as long as it exists, and goes when nothing refers to it any more.
//
// Invariants:
//   OCM-ACTOR-1. What the object has used stays claimed while the object exists, also while it is being deleted: a cluster is not gone
//       before its node pools.
//   OCM-ACTOR-2. Of the status only conditions, observedGeneration and references are written; the rest is the owner's of the objects.
import type { JsonObject } from '../../../bus/json.ts';
import type { Reference } from '../../../machines/kind.ts';
import { type Dependency, Readiness } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { Verdict } from '../../../machines/reconcile-loop/context.ts';
import { type ReconcileAttempt, reconcileLoop } from '../../../machines/reconcile-loop/lifecycle.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { typeKey } from '../gateway/store/links.ts';
import type { StructType } from '../model/mod.ts';
import type { ModelKind } from './kinds.ts';
import { referencesIn } from './references.ts';
import { modelResource } from './resource.ts';

const MANAGER = 'ocm/model';

/** An incarnation that the object was ready with. */
interface UsedReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

type Finding = Pick<Condition, 'reason' | 'message'> & { readonly isReady: boolean };

/** The kinds of a model as actors: links between them are claims; a link to a class that is no kind is only text. */
export function modelActors(kinds: readonly ModelKind[]): readonly DeclaredKind[] {
  const byType = new Map(kinds.map((kind) => [typeKey(kind.type), kind]));
  return kinds.map((kind) => modelActor(kind, (type) => byType.get(typeKey(type))));
}

function modelActor(kind: ModelKind, kindOf: (type: StructType) => ModelKind | undefined): DeclaredKind {
  const finalizer = `${kind.group}/${kind.kind.toLowerCase()}`;
  // Another one than the own: objects may refer to others of their kind.
  const guard = `${finalizer}-reference`;
  return {
    ...modelResource(kind),
    finalizer,
    guards: [guard],
    fieldManagers: { finalizer: `${MANAGER}-finalizer`, guards: MANAGER },
    references: (object) =>
      referencesIn(kind, object).flatMap(({ type, name, isParent, isHolder }): readonly Reference[] => {
        const target = kindOf(type);
        if (target === undefined) return [];
        return [
          {
            kind: target.kind,
            name,
            finalizers: isHolder ? [] : [guard],
            neededFor: 'always',
            ...(isParent && { fixed: true }),
          },
        ];
      }),
    children: () => [],
    // Derived from the status alone: a lifecycle that begins idle has read nothing yet.
    publicState: (object) => ({ ready: isReady(object), id: object.metadata.name }),
    life: reconcileLoop({
      view(object) {
        const { generation = 0, deletionTimestamp, finalizers = [] } = object.metadata;
        const heldBy = finalizers.filter((each) => each !== finalizer);
        return {
          generation,
          deleting: deletionTimestamp !== undefined,
          owned: finalizers.includes(finalizer),
          heldBy,
          settled: isReady(object) && object.status?.['observedGeneration'] === generation,
          available: isReady(object),
          basis: JSON.stringify(heldBy),
        };
      },
      reconcile,
      problemMessage: (object) => conditionOf(object)?.message,
      wakesOn: (before, now) => JSON.stringify(before) !== JSON.stringify(now),
      failure: 'ReconcileFailed',
    }),
    operations: [],
  };
}

async function reconcile({ ports, object, dependencies, owned, heldBy }: ReconcileAttempt): Promise<Verdict> {
  const used = usedIn(object);
  const say = async (finding: Finding, references: readonly UsedReference[]): Promise<void> => {
    const now = ports.object();
    const status = statusOf(now, finding, references, ports.now());
    if (!isSaid(now, status)) await ports.applyStatus(MANAGER, status);
  };
  if (object.metadata.deletionTimestamp !== undefined) {
    // mutant: model-leaves-users if -> false
    if (heldBy.length > 0) {
      const message = 'It is deleted when nothing refers to it any more';
      await say({ isReady: false, reason: 'InUse', message }, used);
      return { next: 'rest', stands: 'inUse' };
    }
    return { next: 'leave' };
  }
  // Before others are reported: an object that is deleted then keeps them until it is removed.
  if (!owned) return { next: 'guard' };
  const isUsed = ({ answer }: Dependency): boolean =>
    // mutant: model-forgets-use &&.2 -> false
    answer?.readiness === Readiness.Deleting && used.some(({ uid }) => uid === answer.uid);
  const lacking = dependencies.filter((each) => each.answer?.readiness !== Readiness.Ready && !isUsed(each));
  const [first] = lacking;
  if (first === undefined) {
    const references = dependencies.map(({ kind, name, answer }) => ({ kind, name, uid: answer?.uid ?? '' }));
    await say({ isReady: true, reason: 'Available', message: '' }, references);
    return { next: 'rest', stands: 'available' };
  }
  await say({ isReady: false, reason: 'WaitingForDependency', message: messageOf(lacking) }, used);
  return {
    next: 'rest',
    stands: 'awaitingDependencies',
    // Nothing was done with these: they wait for it, and it for those who come after them.
    // mutant: model-never-withdraws : -> []
    withdrawnUids: lacking.flatMap(({ answer }) => (answer?.readiness === Readiness.Deleting ? [answer.uid] : [])),
  };
}

function messageOf(lacking: readonly Dependency[]): string {
  const [{ kind, name, answer } = { kind: '', name: '', answer: undefined }, ...others] = lacking;
  const isThere = answer !== undefined && answer.readiness !== Readiness.Absent;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `Waiting for ${kind}/${name} to be ${isThere ? 'ready' : 'created'}${more}`;
}

function statusOf(
  object: KubeObject,
  { isReady, reason, message }: Finding,
  references: readonly UsedReference[],
  now: number,
): JsonObject {
  const { generation = 0 } = object.metadata;
  const status = isReady ? 'True' : 'False';
  const known = conditionOf(object);
  const isSame = known?.status === status;
  const lastTransitionTime = isSame ? known.lastTransitionTime : new Date(now).toISOString().replace(/\.\d+/, '');
  const condition = { type: 'Ready', status, reason, message, lastTransitionTime, observedGeneration: generation };
  return {
    conditions: [condition],
    observedGeneration: generation,
    ...(references.length > 0 && { references: references.map((each) => ({ ...each })) }),
  };
}

/** Whether the status has just this already; names of members may be in any order. */
function isSaid({ status = {} }: KubeObject, { conditions, observedGeneration, references = [] }: JsonObject): boolean {
  const [condition] = conditions as readonly JsonObject[];
  const known = ((status['conditions'] ?? []) as readonly JsonObject[]).find(({ type }) => type === 'Ready');
  return (
    status['observedGeneration'] === observedGeneration &&
    known !== undefined &&
    Object.entries(condition ?? {}).every(([name, value]) => known[name] === value) &&
    textOf(usedIn({ status })) === textOf(references as unknown as readonly UsedReference[])
  );
}

function textOf(references: readonly UsedReference[]): string {
  return references.map(({ kind, name, uid }) => `${kind}/${name} ${uid}`).join();
}

function usedIn({ status }: Pick<KubeObject, 'status'>): readonly UsedReference[] {
  return (status?.['references'] ?? []) as unknown as readonly UsedReference[];
}

function conditionOf({ status }: KubeObject): Condition | undefined {
  const conditions = (status?.['conditions'] ?? []) as unknown as readonly Condition[];
  return conditions.find(({ type }) => type === 'Ready');
}

function isReady(object: KubeObject): boolean {
  return conditionOf(object)?.status === 'True';
}
