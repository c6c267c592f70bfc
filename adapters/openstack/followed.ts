// Kinds that others refer to and that have no life here: what is read of their objects.
import type { JsonObject } from '../../bus/bus.ts';
import type { FollowedKind, KubeObject } from '../../machines/kind.ts';
import { isAvailable } from './conditions.ts';
import { GROUP, REALM, VERSION } from './kinds/common-contract.ts';

export const serverKind: FollowedKind = {
  realm: REALM,
  group: GROUP,
  version: VERSION,
  kind: 'Server',
  plural: 'servers',
  /** Without a host it cannot say what it is referred to for. */
  isAvailable: (object) => isAvailable(object) && hostOf(object) !== undefined,
  published(object) {
    const hostID = hostOf(object);
    return hostID === undefined ? undefined : { hostID };
  },
};

/** The host that a server runs on, for ports that are bound to it. */
function hostOf({ status }: KubeObject): string | undefined {
  const hostID = (status?.['resource'] as JsonObject | undefined)?.['hostID'];
  return typeof hostID === 'string' && hostID !== '' ? hostID : undefined;
}

export const openstackFollowed: readonly FollowedKind[] = [serverKind];
