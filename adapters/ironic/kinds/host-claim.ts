// HostClaim: one reconcile attempt, which ends when a host carries the claim's reference, and starts again when that
// host changes.
//
// Invariants:
//   IRONIC-KINDS-HOST-CLAIM-1. A host is bound as it was seen without a reference: of two claims that choose the same one gets it.
//   IRONIC-KINDS-HOST-CLAIM-2. The reference on the host is what counts: the status of the claim follows it.
import { isDeepStrictEqual } from 'node:util';
import { hostClaimConflictPauseMs } from '../../../machines/bare-metal-host/delays.ts';
import type { ErrorData, JsonObject, KubeObject } from '../../../machines/object.ts';
import type { Verdict } from '../../../machines/reconcile-loop/context.ts';
import { type ReconcileAttempt, reconcileLoop } from '../../../machines/reconcile-loop/lifecycle.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { type Condition, conditionOf, timeOf } from '../host/condition.ts';
import {
  ClaimCondition,
  ClaimReason,
  type ClaimVerdict,
  HOST_CLAIM_FINALIZER,
  type HostClaim,
  hostClaimConditions,
} from '../host/host-claim.ts';
import { isSameStatus } from '../host/last-updated.ts';
import { mapOf, textOf } from '../json-values.ts';
import { metal3Resource } from '../serving.ts';
import type { ChosenStep, SeenHost } from '../steps/host-claims.ts';

const MANAGER = 'metal3/host-claim';
const HOST = 'BareMetalHost';
const NO_HOST = 'no host can be had: none is free and as it is asked for, where a HostDeployPolicy lets this namespace';

export const hostClaim: DeclaredKind = {
  ...metal3Resource('HostClaim', 'hostclaims'),
  finalizer: HOST_CLAIM_FINALIZER,
  guards: [],
  fieldManagers: { finalizer: `${MANAGER}-finalizer`, guards: MANAGER },
  readsStatus: true,
  allowsCrossNamespace: true,
  references(object) {
    const host = boundTo(object);
    return host === undefined ? [] : [{ kind: HOST, ...host, finalizers: [], neededFor: 'never' }];
  },
  children: () => [],
  publicState: (object) => ({ ready: boundTo(object) !== undefined, id: object.metadata.name }),
  life: reconcileLoop({
    view(object) {
      const { generation = 0, deletionTimestamp, finalizers = [] } = object.metadata;
      const associated = associationOf(object);
      const isCurrent = associated?.status === 'True' && associated.observedGeneration === generation;
      return {
        generation,
        deleting: deletionTimestamp !== undefined,
        owned: finalizers.includes(HOST_CLAIM_FINALIZER),
        heldBy: [],
        settled: isCurrent && boundTo(object) !== undefined,
        basis: '',
      };
    },
    reconcile,
    wakesOn: (before, now) => !isDeepStrictEqual(before, now),
    problemMessage: (object) => associationOf(object)?.message,
    failure: 'HostClaimFailed',
  }),
  operations: ['choose'],
};

async function reconcile(pass: ReconcileAttempt): Promise<Verdict> {
  const { ports } = pass;
  const { step, hosts } = (await ports.call('choose')) as ChosenStep;
  const [host] = hosts;
  switch (step.next) {
    case 'rest':
      return { next: 'rest' };
    case 'addFinalizer':
      return { next: 'guard' };
    case 'dropFinalizer':
      return { next: 'leave' };
    case 'wait':
      await store(pass, { status: 'False', reason: ClaimReason.NoBareMetalHost, message: NO_HOST }, undefined);
      return { next: 'pause', pauseMs: step.delayMs };
    case 'keep':
      await store(pass, { status: 'True', reason: ClaimReason.BareMetalHostAssociated }, host);
      return { next: 'rest' };
    case 'bind':
      return refer(pass, hosts, step.consumerRef as JsonObject);
    case 'release':
      await store(pass, { status: 'False', reason: ClaimReason.HostClaimDeleting }, host);
      return released(pass, hosts);
  }
}

async function released(pass: ReconcileAttempt, hosts: readonly SeenHost[]): Promise<Verdict> {
  try {
    return await refer(pass, hosts, null);
  } catch (error) {
    const { message } = error as ErrorData;
    await store(pass, { status: 'False', reason: ClaimReason.HostClaimDeletionFailed, message }, hosts[0]);
    throw error;
  }
}

/** Adds or removes the reference on hosts; the next step is decided again afterwards. */
async function refer(
  { ports }: ReconcileAttempt,
  hosts: readonly SeenHost[],
  consumerRef: JsonObject | null,
): Promise<Verdict> {
  try {
    for (const { status: _, ...seen } of hosts) {
      await ports.patchObjectSpec({ kind: HOST, ...seen }, MANAGER, { consumerRef });
    }
    return { next: 'pause', pauseMs: 0 };
  } catch (error) {
    if ((error as ErrorData).code !== 'conflict') throw error;
    return { next: 'pause', pauseMs: hostClaimConflictPauseMs(ports.random()) };
  }
}

async function store(
  { ports }: ReconcileAttempt,
  association: ClaimVerdict,
  host: SeenHost | undefined,
): Promise<void> {
  const object = ports.object();
  const now = ports.now();
  const known = host && { metadata: { name: host.name, namespace: host.namespace }, status: host.status };
  const conditions = hostClaimConditions(object as HostClaim, { association, host: known, now });
  const { bareMetalHost: _, ...others } = object.status ?? {};
  const status = {
    ...others,
    ...(host !== undefined && { bareMetalHost: { name: host.name, namespace: host.namespace } }),
    conditions: conditions as unknown as readonly JsonObject[],
    lastUpdated: timeOf(now),
  };
  if (!isSameStatus(object.status, status)) await ports.storeStatus(MANAGER, status);
}

function associationOf({ status }: KubeObject): Condition | undefined {
  const conditions = (status?.['conditions'] ?? []) as unknown as readonly Condition[];
  return conditionOf(conditions, ClaimCondition.Associated);
}

function boundTo({ status }: KubeObject): { readonly name: string; readonly namespace: string } | undefined {
  const { name, namespace } = mapOf(status?.['bareMetalHost']);
  return textOf(name) === '' || textOf(namespace) === ''
    ? undefined
    : { name: textOf(name), namespace: textOf(namespace) };
}
