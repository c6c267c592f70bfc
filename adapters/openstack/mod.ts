// Exports of the OpenStack adapter.
import type { Clock } from '../../bus/time.ts';
import type { KindContract } from '../api/contract/crds.ts';
import { openstack } from './adapter.ts';
import { lookUps } from './client/lookups.ts';
import { poller } from './client/poller.ts';
import type { Sessions } from './client/session.ts';
import type { Downloads } from './downloads/download-policy.ts';
import { KINDS } from './kinds/registry.ts';
import { GROUP, REALM, VERSION } from './resource/common-contract.ts';
import { type ManagedKind, managedKind } from './resource/managed-kind.ts';
import type { OperationsDeps } from './resource/table.ts';

export { openstackWith } from './adapter.ts';
export { readClouds } from './client/clouds-yaml.ts';
export type { Answer, Call, Session, Sessions } from './client/session.ts';
export { type OwnedSessions, openStackSessions, type SessionsDeps } from './client/sessions.ts';
export type { OpenStackOptions } from './options.ts';
export type { ManagedKind } from './resource/managed-kind.ts';
export { GROUP, openstack, REALM, VERSION };

/** The contracts of all kinds, for their CRDs. */
export const openstackContracts: readonly KindContract[] = KINDS.map(({ contract }) => contract);

export interface OpenStackKindsDeps {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly downloads: Downloads;
  /** None are there by default. */
  readonly readSecret?: OperationsDeps['readSecret'];
  /** Resync period of objects that do not say, in milliseconds; 0, the default, for never. */
  readonly defaultResyncMs?: number;
}

/**
 * All kinds with their operations, for use without a runtime. Lookups of one cloud are shared by the kinds of one call,
 * so call it once.
 */
export function openstackKinds({
  sessions,
  clock,
  downloads,
  readSecret = async () => undefined,
  defaultResyncMs = 0,
}: OpenStackKindsDeps): readonly ManagedKind[] {
  const looks = lookUps({ clock });
  const polls = poller({ clock, lookUps: looks });
  const shared = { clock, downloads, sessions, readSecret, lookUps: looks, poller: polls };
  return KINDS.map((kind) => managedKind(kind, { ...shared, defaultResyncMs }));
}
