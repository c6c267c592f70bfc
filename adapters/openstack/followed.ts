// Kinds that others refer to and that have no life here: what is read of their objects.
import type { JsonObject } from '../../bus/bus.ts';
import type { FollowedKind } from '../../machines/kind.ts';
import { GROUP, REALM, VERSION } from './kinds/common-contract.ts';

export const serverKind: FollowedKind = {
  realm: REALM,
  group: GROUP,
  version: VERSION,
  kind: 'Server',
  plural: 'servers',
  /** The host that a server runs on, for ports that are bound to it. */
  published({ status }) {
    const hostID = (status?.['resource'] as JsonObject | undefined)?.['hostID'];
    return typeof hostID === 'string' && hostID !== '' ? { hostID } : undefined;
  },
};

export const openstackFollowed: readonly FollowedKind[] = [serverKind];
