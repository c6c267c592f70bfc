// Associations of floating IPs with ports and routers in the simulated Neutron, checked before one of these is removed.
import { fixedIpsOf } from './neutron-addresses.ts';
import { CollectionName, type Store } from './store.ts';

/** Attributes of a floating IP without a port. */
export const UNTIED = { port_id: null, fixed_ip_address: null, router_id: null, status: 'DOWN' } as const;

/** Clears the association of a floating IP whose port is deleted. */
export function untie(portId: string, store: Store): void {
  for (const item of store.collection(CollectionName.FloatingIps).values())
    if (item['port_id'] === portId) Object.assign(item, UNTIED);
}

/** Floating IPs for addresses of a subnet that are routed by a router. */
export function tiedThrough(routerId: string, subnetId: string | undefined, store: Store): boolean {
  const ports = store.collection(CollectionName.Ports);
  return [...store.collection(CollectionName.FloatingIps).values()].some(
    ({ router_id: router, port_id: portId, fixed_ip_address: address }) => {
      if (router !== routerId) return false;
      const port = ports.get(String(portId));
      const at = port && fixedIpsOf(port).find((ip) => ip.ip_address === address);
      return subnetId === undefined || at?.subnet_id === subnetId;
    },
  );
}
