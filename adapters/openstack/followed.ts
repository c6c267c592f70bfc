// Kinds that others refer to and that have no life here: what is read of their objects.
import type { JsonObject } from '../../bus/bus.ts';
import type { FollowedKind } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import { isAvailable } from './conditions.ts';
import { GROUP, REALM, VERSION } from './kinds/common-contract.ts';

export const serverKind: FollowedKind = {
  realm: REALM,
  group: GROUP,
  version: VERSION,
  kind: 'Server',
  plural: 'servers',
  /** Without a host it cannot say what it is referred to for. */
  standing(object) {
    const { status } = object;
    const hostID = hostOf(object);
    const id = status?.['id'];
    return {
      ready: isAvailable(object) && hostID !== undefined,
      id: typeof id === 'string' && id !== '' ? id : undefined,
      attributes: hostID === undefined ? undefined : { hostID },
    };
  },
};

/** The host that a server runs on, for ports that are bound to it. */
function hostOf({ status }: KubeObject): string | undefined {
  const hostID = (status?.['resource'] as JsonObject | undefined)?.['hostID'];
  return typeof hostID === 'string' && hostID !== '' ? hostID : undefined;
}

export const openstackFollowed: readonly FollowedKind[] = [serverKind];
