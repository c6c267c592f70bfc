// BareMetalHost as the runtime works with it.
import { HostAnnotation } from '../../../machines/bare-metal-host/host.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { GROUP } from '../api/types.ts';
import { REALM, VERSION } from '../serving.ts';
import { HOST_OPERATIONS } from '../steps/bare-metal-host.ts';
import { bareMetalHostLifecycle } from './bare-metal-host-lifecycle.ts';
import {
  attributesOf,
  childrenOf,
  HOST_FINALIZER,
  HostGuard,
  type HostKindOptions,
  hostOf,
  isManaged,
  referencesOf,
} from './host-relations.ts';

export function bareMetalHost(options: HostKindOptions): DeclaredKind {
  return {
    realm: REALM,
    group: GROUP,
    version: VERSION,
    kind: 'BareMetalHost',
    plural: 'baremetalhosts',
    retains: {
      annotations: [...Object.values(HostAnnotation), `${HostAnnotation.Reboot}/*`],
      // Its PreprovisioningImage has the same.
      ...(options.preprovisioningImages === 'built' && { labels: ['*'] }),
    },
    finalizer: HOST_FINALIZER,
    guards: Object.values(HostGuard),
    fieldManagers: { finalizer: 'metal3/host-finalizer', guards: 'metal3/host-guards', children: 'metal3/host' },
    readsStatus: true,
    references: (object) => referencesOf(object, options),
    children: (object) => childrenOf(object, options),
    publicState(object) {
      const id = hostOf(object).status?.provisioning?.ID || undefined;
      return { ready: isManaged(object) && id !== undefined, id, attributes: attributesOf(object) };
    },
    life: bareMetalHostLifecycle(options),
    operations: HOST_OPERATIONS,
  };
}
