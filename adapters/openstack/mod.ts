// OpenStack as the other rooms see it.
import type { Clock } from '../../bus/time.ts';
import type { ManagedKind } from '../../machines/kind.ts';
import type { KindContract } from '../kubernetes/crds.ts';
import { isAvailable, settledOf, statusOf } from './conditions.ts';
import { GROUP, REALM, VERSION } from './kinds/common-contract.ts';
import type { OpenStackKind } from './kinds/kind.ts';
import { KINDS } from './kinds/registry.ts';
import { lookUps } from './look-ups.ts';
import { openstackOperations } from './operations.ts';
import { referencesOf } from './references.ts';
import { resyncAfterMs } from './resync.ts';
import type { Sessions } from './session.ts';

export type { CallRecord } from './cloud-session.ts';
export { parseGoDuration } from './go-duration.ts';
export { scaffoldKind } from './scaffold.ts';
export type { Answer, Call, Session, Sessions } from './session.ts';
export { type OwnedSessions, openStackSessions, type SessionsDeps } from './sessions.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator/mod.ts';
export { GROUP, REALM, VERSION };

export interface OpenStackOptions {
  readonly sessions: Sessions;
  readonly clock: Clock;
  /** Resync period of objects that do not say, in milliseconds; 0, the default, for never. */
  readonly defaultResyncMs?: number;
}

/** The contracts of all kinds, for their CRDs. */
export const openstackContracts: readonly KindContract[] = KINDS.map(({ contract }) => contract);

/** All kinds of OpenStack resources. Look-ups of one cloud are shared by the kinds of one call, so call it once. */
export function openstackKinds({ sessions, clock, defaultResyncMs = 0 }: OpenStackOptions): readonly ManagedKind[] {
  const shared = { sessions, lookUps: lookUps({ clock }) };
  return KINDS.map((kind) => managedKind(kind, { ...shared, defaultResyncMs }));
}

function managedKind(
  kind: OpenStackKind,
  { defaultResyncMs, ...deps }: Parameters<typeof openstackOperations>[1] & { readonly defaultResyncMs: number },
): ManagedKind {
  return {
    realm: REALM,
    group: GROUP,
    version: VERSION,
    kind: kind.kind,
    plural: kind.plural,
    finalizer: kind.finalizer,
    fieldManagers: kind.fieldManagers,
    references: (object) => referencesOf(kind, object),
    settled: (object, now) => settledOf(object, now, defaultResyncMs),
    resyncAfterMs: (object, random) => resyncAfterMs(object, defaultResyncMs, random),
    status: (view, object, now) => statusOf(view, object, now, defaultResyncMs),
    isAvailable,
    operations: openstackOperations(kind, deps),
  };
}
