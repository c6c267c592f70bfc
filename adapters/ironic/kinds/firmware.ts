// Common part of the kinds that show the firmware of a host's node: an object of each has the name of its host, is
// deleted with it, and never blocks a deletion.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../bus/json.ts';
import type { PublicState, Reference } from '../../../machines/kind.ts';
import type { LifecyclePorts, UserEvent } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Judgement, observedNodeLifecycle } from '../../../machines/observed-node/lifecycle.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import type { Condition } from '../host/condition.ts';
import { FirmwareRefreshMs, firmwareRefreshMs, firmwareRereadMs, firmwareVerdict } from '../host/firmware-change.ts';
import type { ValidationEvent } from '../host/firmware-settings.ts';
import { metal3Resource, REALM } from '../serving.ts';

export interface FirmwareKindOptions<Reading> {
  readonly kind: string;
  readonly plural: string;
  /** References of the objects other than to their host. */
  references?(object: KubeObject): readonly Reference[];
  /** @param now  milliseconds since the epoch */
  judge(object: KubeObject, reading: Reading, now: number): FirmwareJudgement;
  /** Makes what goes with a reading. @returns messages of what is not there yet */
  furnish?(ports: LifecyclePorts, reading: Reading): Promise<readonly string[]>;
  /** Whether it was judged as it stands, and the host may act on that. */
  isJudged(object: KubeObject): boolean;
}

export interface FirmwareJudgement {
  readonly status: { readonly conditions: readonly Condition[] };
  readonly events: readonly ValidationEvent[];
  readonly isChanged: boolean;
}

export function firmwareKind<Reading>({
  kind,
  plural,
  references = () => [],
  judge,
  furnish,
  isJudged,
}: FirmwareKindOptions<Reading>): DeclaredKind {
  return {
    ...metal3Resource(kind, plural),
    // It creates nothing that would have to be deleted before it.
    finalizer: '',
    guards: [],
    fieldManagers: { finalizer: `${REALM}/${plural}`, guards: `${REALM}/${plural}` },
    readsRetained: false,
    references: (object) => [
      { kind: 'BareMetalHost', name: object.metadata.name, finalizers: [], neededFor: 'always' },
      ...references(object),
    ],
    children: () => [],
    publicState(object, isNow = true): PublicState {
      const verdict = firmwareVerdict(object);
      return {
        ready: isNow && isJudged(object),
        id: object.metadata.name,
        ...(verdict !== undefined && { attributes: verdict }),
      };
    },
    life: observedNodeLifecycle<Reading>({
      manager: `${REALM}/${plural}-status`,
      fingerprint,
      isJudged,
      judge: (object, reading, now) => judgement(judge(object, reading, now)),
      ...(furnish !== undefined && { furnish }),
      failurePauses: { firstMs: FirmwareRefreshMs.Failed, limitMs: FirmwareRefreshMs.Settled },
      unreadable: { type: 'Warning', reason: 'FirmwareUnreadable' },
    }),
    operations: ['read', 'watch'],
  };
}

/** Short, as it is kept of every object: a status holds hundreds of settings. */
function fingerprint(status: JsonObject = {}): string {
  return createHash('sha256').update(JSON.stringify(status)).digest('base64url').slice(0, 16);
}

function judgement({ status, events, isChanged }: FirmwareJudgement): Judgement {
  const news = events.map((event): UserEvent => ({ type: 'Normal', ...event }));
  return {
    status: status as unknown as JsonObject,
    isChanged,
    news,
    pollAfterMs: firmwareRefreshMs(status.conditions),
    rereadAfterMs: firmwareRereadMs(status.conditions),
  };
}
