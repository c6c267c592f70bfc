// OpenStack as the other rooms see it.
import type { Clock } from '../../bus/time.ts';
import { openstack } from './adapter.ts';
import { GROUP, REALM, VERSION } from './kinds/common-contract.ts';
import { KINDS } from './kinds/registry.ts';
import type { OperationsDeps } from './kinds/table.ts';
import { lookUps } from './look-ups.ts';
import { type ManagedKind, managedKind } from './managed-kind.ts';
import { poller } from './poller.ts';
import type { Sessions } from './session.ts';

export { openstackWith } from './adapter.ts';
export { readClouds } from './clouds-yaml.ts';
export { openstackFollowed } from './followed.ts';
export type { ManagedKind } from './managed-kind.ts';
export type { OpenStackOptions } from './options.ts';
export type { Answer, Call, Session, Sessions } from './session.ts';
export { type OwnedSessions, openStackSessions, type SessionsDeps } from './sessions.ts';
export { GROUP, openstack, REALM, VERSION };

/** The contracts of all kinds, for their CRDs. */
export const openstackContracts = openstack.contracts;

export interface OpenStackKindsDeps {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly servers?: OperationsDeps['servers'];
  /** Resync period of objects that do not say, in milliseconds; 0, the default, for never. */
  readonly defaultResyncMs?: number;
}

/**
 * All kinds with their operations, for whoever runs them without a runtime. Look-ups of one cloud are shared by the kinds
 * of one call, so call it once.
 */
export function openstackKinds({
  sessions,
  clock,
  servers = async () => [],
  defaultResyncMs = 0,
}: OpenStackKindsDeps): readonly ManagedKind[] {
  const looks = lookUps({ clock });
  const shared = { sessions, servers, lookUps: looks, poller: poller({ clock, lookUps: looks }) };
  return KINDS.map((kind) => managedKind(kind, { ...shared, defaultResyncMs }));
}
