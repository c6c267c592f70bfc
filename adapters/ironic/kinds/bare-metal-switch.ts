// BareMetalSwitch: its section of the text that Ironic's networking service reads, which all switches of a namespace share.
//
// Invariants:
//   IRONIC-BARE-METAL-SWITCH-1. The own finalizer is removed only after a rendering without the switch: the password of
//       a deleted switch never stays behind, even if Ironic or Troupe was down at the deletion.
import { isDeepStrictEqual } from 'node:util';
import { type DependencyAnswer, Readiness } from '../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import type { Verdict } from '../../../machines/reconcile-loop/context.ts';
import { type ReconcileAttempt, reconcileLoop } from '../../../machines/reconcile-loop/lifecycle.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { type Condition, conditionOf } from '../host/condition.ts';
import { SECRET_LABELS } from '../host/secret-labels.ts';
import { SWITCH_CREDENTIALS_RETRY_MS, type SwitchSecrets } from '../host/switch-configs.ts';
import { mapOf, textOf } from '../json-values.ts';
import { metal3Resource } from '../serving.ts';
import type { RenderedSwitch } from '../steps/bare-metal-switches.ts';

const MANAGER = 'metal3/bare-metal-switch';
export const SWITCH_FINALIZER = 'baremetalswitch.metal3.io';

/** @param secrets  those that are written, in the namespace of each switch */
export function bareMetalSwitch({ configs, credentials }: SwitchSecrets): DeclaredKind {
  return {
    ...metal3Resource('BareMetalSwitch', 'baremetalswitches'),
    finalizer: SWITCH_FINALIZER,
    guards: [],
    fieldManagers: { finalizer: `${MANAGER}-finalizer`, guards: MANAGER },
    references(object) {
      // The rendered Secrets count too: one that was created or edited is rendered again.
      const names = new Set([credentialsOf(object), configs, credentials].filter((name) => name !== ''));
      return [...names].map((name) => ({ kind: 'Secret', name, finalizers: [], neededFor: 'always' }) as const);
    },
    children: () => [],
    publicState: (object, isNow = isValid(object)) => ({ ready: isNow, id: object.metadata.name }),
    life: reconcileLoop({
      view(object) {
        const { generation = 0, deletionTimestamp, finalizers = [] } = object.metadata;
        return {
          generation,
          deleting: deletionTimestamp !== undefined,
          owned: finalizers.includes(SWITCH_FINALIZER),
          heldBy: [],
          settled: isValid(object) && validIn(object)?.observedGeneration === generation,
          available: isValid(object),
          basis: '',
        };
      },
      reconcile,
      wakesOn: (before, now) => !isDeepStrictEqual(versionOf(before), versionOf(now)),
      problemMessage: (object) => (isValid(object) ? undefined : validIn(object)?.message),
      failure: 'SwitchConfigFailed',
    }),
    operations: ['render'],
  };
}

async function reconcile({ ports, object, dependencies, notes, owned }: ReconcileAttempt): Promise<Verdict> {
  const { deletionTimestamp } = object.metadata;
  const isDeleted = deletionTimestamp !== undefined;
  // The next rendering contains the passwords of the switch.
  if (!owned && !isDeleted) return { next: 'guard' };
  const credentials = dependencies.find(({ name }) => name === credentialsOf(object));
  const isThere = credentials?.answer !== undefined && credentials.answer.readiness !== Readiness.Absent;
  if (credentials !== undefined && isThere && !isDeleted) {
    await ports.labelReferenced(credentials, {
      manager: `${MANAGER}-marks`,
      labels: SECRET_LABELS,
      isOwned: true,
    });
  }
  const { conditions, missing } = (await ports.call('render')) as RenderedSwitch;
  if (isDeleted) return { next: 'leave' };
  if (missing.length > 0) {
    const message = `nothing can be written for Ironic: there is no Secret '${missing.join("' and no Secret '")}' here`;
    // Told once, however often it is looked for.
    if (notes['isTold'] !== true) ports.recordEvents([{ type: 'Warning', reason: 'SwitchConfigFailed', message }]);
    return { next: 'pause', pauseMs: SWITCH_CREDENTIALS_RETRY_MS, notes: { isTold: true } };
  }
  await ports.storeStatus(MANAGER, { conditions: conditions as unknown as readonly JsonObject[] });
  if (credentials !== undefined && !isThere) {
    return { next: 'rest', stands: 'awaitingDependencies', lookAgainMs: SWITCH_CREDENTIALS_RETRY_MS };
  }
  return isValid(ports.object()) ? { next: 'rest', stands: 'available' } : { next: 'rest' };
}

/** In its own namespace; empty: none. */
function credentialsOf({ metadata, spec }: KubeObject): string {
  const { name, namespace } = mapOf(spec?.['credentials']);
  const isNear = textOf(namespace) === '' || namespace === metadata.namespace;
  return isNear ? textOf(name) : '';
}

function validIn({ status }: KubeObject): Condition | undefined {
  return conditionOf((status?.['conditions'] ?? []) as unknown as readonly Condition[], 'Valid');
}

function isValid(object: KubeObject): boolean {
  return validIn(object)?.status === 'True';
}

function versionOf(answer: DependencyAnswer | undefined): readonly unknown[] {
  return [answer?.readiness === Readiness.Absent, answer?.uid, answer?.version];
}
