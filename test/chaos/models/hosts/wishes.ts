// What is still to be done for a host, as its object says, or follows from what a user is about to do.

import type { BareMetalHost, HostSpec } from '../../../../machines/bare-metal-host/host.ts';
import { imageOf, isDetached } from '../../../adapters/ironic/host-rest.ts';
import type { Wish } from '../../../adapters/ironic/orders.ts';

export interface HostWish {
  readonly wish: Wish;
  /** Address of what is to be deployed. */
  readonly image?: string;
}

/** @param spec  as it is to be; as it is unless given */
export function wishesOf(host: BareMetalHost, spec = host.spec): readonly HostWish[] {
  const { metadata, status } = host;
  if (spec?.externallyProvisioned === true) return [];
  const { state, image } = status?.provisioning ?? {};
  const there = image?.url ?? '';
  const wanted = imageOf(spec);
  const isThere = state === 'provisioned' && there === wanted;
  return [
    ...(status?.hardware == null ? [{ wish: 'inspection' } as const] : []),
    ...(state === 'deprovisioning' || (there !== '' && there !== wanted) || metadata?.deletionTimestamp != null
      ? [{ wish: 'wiping' } as const]
      : []),
    ...(wanted !== undefined && !isThere ? [deployment(wanted)] : []),
  ];
}

/** Of an edit: whatever the host has is taken off, and what is wanted from now on is deployed. */
export function wishesOfImage(spec: HostSpec): readonly HostWish[] {
  const wanted = imageOf(spec);
  return [{ wish: 'wiping' }, ...(wanted === undefined ? [] : [deployment(wanted)])];
}

/** What is asked of a host that is new. */
export function wishesOfNew(host: BareMetalHost): readonly HostWish[] {
  const { spec } = host;
  const removal = isDetached(host) ? [{ wish: 'removal' } as const] : [];
  if (spec?.externallyProvisioned === true) return removal;
  const wanted = imageOf(spec);
  return [{ wish: 'inspection' }, ...(wanted === undefined ? [] : [deployment(wanted)]), ...removal];
}

/** A deployment that is under way is cut short by it, and begun again. */
export function wishesOfReboot(host: BareMetalHost): readonly HostWish[] {
  const wishes = wishesOf(host);
  return wishes.some(({ wish }) => wish === 'deployment') ? [...wishes, { wish: 'wiping' }] : wishes;
}

/** Its node goes; what is not somebody else's, nor out of Ironic anyway, is wiped before. */
export function wishesOfDeletion(host: BareMetalHost): readonly HostWish[] {
  const { spec, status } = host;
  const isOut = isDetached(host) && status?.operationalStatus === 'detached';
  const isLeft = spec?.externallyProvisioned === true || isOut;
  return [...(isLeft ? [] : [{ wish: 'wiping' } as const]), { wish: 'removal' }];
}

function deployment(image: string): HostWish {
  return { wish: 'deployment', image };
}
