// Infrastructure causes, which are in no object: a legacy controller leads, the bus is unreachable, no process hosts
// the objects, or their code fails so that even their status is not updated.
import {
  AbsentError,
  type Address,
  addressKey,
  CALL_EVENT,
  type LeaseRecord,
  shardOf,
  type Trace,
} from '../../bus/mod.ts';
import { QUARANTINED } from '../object/object-machines.ts';
import type { Registry } from '../object/registry.ts';
import { livePods, SHARD_LEASE } from '../sharding/replica-count.ts';
import { Diagnosis, type DiagnosisDeps } from './diagnosis.ts';
import { type Cause, type Finding, labelOf, ranked, toldIn, Weight } from './findings.ts';
import type { Leader } from './legacy-leader.ts';
import { busAway, busUntold, defective, led, unhosted } from './root-causes.ts';

/** Hosting processes, from the bus. */
export type Hosting =
  | {
      readonly kind: 'reported';
      /** The bus, for people. */
      readonly bus: string;
      readonly shards: number;
      readonly leases: readonly LeaseRecord[];
      /** Errors of quarantined objects, by key. */
      readonly defects: ReadonlyMap<string, string>;
    }
  /** It does not answer. */
  | { readonly kind: 'away'; readonly message: string }
  /** It does not let us look. */
  | { readonly kind: 'untold'; readonly message: string };

export interface InfrastructureState {
  readonly leader: Leader | undefined;
  /** Undefined: there is no bus to look at. */
  readonly hosting: Hosting | undefined;
}

/** A cause, and the object that says it; undefined: none does. */
export interface ReportedCause {
  readonly cause: Cause;
  readonly by: Address | undefined;
}

/** A cause that the circumstances are. */
export interface AroundCause {
  readonly cause: Cause;
  /** Reported causes that this one blocks: the objects, and their dependents. */
  readonly holdsUp: readonly ReportedCause[];
}

/** Looks at the circumstances when something waits. @param reported  what the objects say */
export type Notes = (reported: readonly ReportedCause[]) => Promise<readonly AroundCause[]>;

/** Infrastructure causes. @param reported  causes in objects; empty if nothing waits */
export function causesIn(
  { leader, hosting }: InfrastructureState,
  reported: readonly ReportedCause[],
  registry: Pick<Registry, 'kind'>,
): readonly AroundCause[] {
  if (reported.length === 0) return [];
  // A cause that needs an action of a person is not blocked by the infrastructure.
  const holdsUp = reported.filter(({ cause }) => passes(cause));
  // Meanwhile no process hosts anything, and none is to.
  if (leader !== undefined) return [{ cause: led(leader), holdsUp }];
  if (hosting?.kind === 'away') return [{ cause: busAway(hosting.message), holdsUp }];
  if (hosting?.kind === 'untold') return [{ cause: busUntold(hosting.message), holdsUp: [] }];
  return hosting === undefined
    ? []
    : [...defectsTold(hosting, reported, registry), ...unhostedAmong(hosting, reported, registry)];
}

/**
 * Quarantined objects among those that seem unprocessed, if events are kept.
 *
 * @throws {TransientError} the bus is away, or did not answer in time
 */
export async function defectsAmong(
  trace: Pick<Trace, 'history'>,
  reported: readonly ReportedCause[],
): Promise<ReadonlyMap<string, string>> {
  const defects = new Map<string, string>();
  const unseen = new Set(reported.flatMap(({ cause, by }) => (isUnseen(cause) && by ? [addressKey(by)] : [])));
  if (unseen.size === 0) return defects;
  try {
    for await (const { actor, at, data } of trace.history({ type: QUARANTINED, only: 'last' })) {
      if (!unseen.has(addressKey(actor))) continue;
      let isLast = true;
      for await (const later of trace.history({ actor, only: 'last' }))
        isLast &&= later.type === CALL_EVENT || later.at <= at;
      if (isLast) defects.set(addressKey(actor), String(data['error']));
    }
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
  }
  return defects;
}

/** Whether it resolves automatically while a process hosts the object. */
function passes({ weight }: Cause): boolean {
  return weight < Weight.Stalled;
}

function isUnseen({ weight }: Cause): boolean {
  return weight === Weight.Unseen;
}

function defectsTold(
  { defects }: Pick<Extract<Hosting, { kind: 'reported' }>, 'defects'>,
  reported: readonly ReportedCause[],
  registry: Pick<Registry, 'kind'>,
): readonly AroundCause[] {
  return reported.flatMap((each) => {
    const { cause, by } = each;
    const defect = by && isUnseen(cause) ? defects.get(addressKey(by)) : undefined;
    if (by === undefined || defect === undefined) return [];
    const label = labelOf({ kind: registry.kind(by)?.kind ?? by.plural, name: by.name });
    return [{ cause: defective(label, defect), holdsUp: [each] }];
  });
}

/** Unhosted objects among those whose causes resolve automatically while a process hosts them. */
function unhostedAmong(
  { bus, shards, leases }: Extract<Hosting, { kind: 'reported' }>,
  reported: readonly ReportedCause[],
  registry: Pick<Registry, 'kind'>,
): readonly AroundCause[] {
  const held = new Set(leases.map(({ name }) => name));
  const found = new Map<string, { readonly label: string; readonly lease: string }>();
  const holdsUp: ReportedCause[] = [];
  for (const each of reported) {
    const { cause, by } = each;
    const kind = by && registry.kind(by);
    if (by === undefined || kind === undefined || !passes(cause)) continue;
    const lease = `${SHARD_LEASE}${shardOf(by, shards)}`;
    if (held.has(lease)) continue;
    found.set(addressKey(by), { label: labelOf({ kind: kind.kind, name: by.name }), lease });
    holdsUp.push(each);
  }
  const [first] = found.values();
  if (first === undefined) return [];
  const labels = [...found.values()].map(({ label }) => label);
  return [{ cause: unhosted(labels, { lease: first.lease, bus, others: livePods(leases) }), holdsUp }];
}

export interface Why {
  readonly finding: Finding;
  /** The weightiest first. */
  readonly causes: readonly Cause[];
  /** Knows whose findings these are. */
  readonly inquiry: Pick<Diagnosis, 'addressOf'>;
}

/** Why an object waits, the circumstances included. @throws as `Objects.get` and `Objects.list`, and what `notes` throws */
export async function explainWait(deps: DiagnosisDeps, address: Address, notes: Notes): Promise<Why> {
  const inquiry = new Diagnosis(deps);
  const finding = await inquiry.explain(address);
  const reported = toldIn(finding).map(({ cause, by }) => ({ cause, by: inquiry.addressOf(by) }));
  const around = reported.length === 0 ? [] : await notes(reported);
  return {
    finding,
    causes: ranked([...reported.map(({ cause }) => cause), ...around.map(({ cause }) => cause)]),
    inquiry,
  };
}
