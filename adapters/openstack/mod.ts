// OpenStack as the other rooms see it.
import type { Clock } from '../../bus/time.ts';
import type { ManagedKind } from '../../machines/kind.ts';
import type { KindContract } from '../kubernetes/crds.ts';
import { GROUP, REALM, VERSION } from './kinds/common-contract.ts';
import { namesOf } from './kinds/kind.ts';
import { KINDS } from './kinds/registry.ts';
import type { OperationsDeps } from './kinds/table.ts';
import { lookUps } from './look-ups.ts';
import { managedKind } from './managed-kind.ts';
import type { Sessions } from './session.ts';

export type { CallRecord } from './cloud-session.ts';
export { openstackFollowed, serverKind } from './followed.ts';
export { parseGoDuration } from './go-duration.ts';
export { LATE_MS } from './refusals.ts';
export { scaffoldKind } from './scaffold.ts';
export type { Answer, Call, Session, Sessions } from './session.ts';
export { type OwnedSessions, openStackSessions, type SessionsDeps } from './sessions.ts';
export { GROUP, REALM, VERSION };

export interface OpenStackOptions {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly servers?: OperationsDeps['servers'];
  /** Resync period of objects that do not say, in milliseconds; 0, the default, for never. */
  readonly defaultResyncMs?: number;
}

/** The contracts of all kinds, for their CRDs. */
export const openstackContracts: readonly KindContract[] = KINDS.map(({ contract }) => contract);

/** Plurals of kinds whose objects make objects for themselves, and of what they make. */
export const openstackOwned: readonly { readonly owner: string; readonly owned: string }[] = KINDS.flatMap(
  ({ plural, owns }) => (owns === undefined ? [] : [{ owner: plural, owned: namesOf(owns).plural }]),
);

/** All kinds of OpenStack resources. Look-ups of one cloud are shared by the kinds of one call, so call it once. */
export function openstackKinds({
  sessions,
  clock,
  servers = async () => [],
  defaultResyncMs = 0,
}: OpenStackOptions): readonly ManagedKind[] {
  const shared = { sessions, servers, lookUps: lookUps({ clock }) };
  return KINDS.map((kind) => managedKind(kind, { ...shared, defaultResyncMs }));
}
