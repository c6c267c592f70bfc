// What ties floating IPs of the simulated Neutron to ports and routers: whoever removes one of these asks here.
import { fixedIpsOf } from './neutron-addresses.ts';
import { CollectionName, type Store } from './store.ts';

/** A floating IP that leads to no port. */
export const UNTIED = { port_id: null, fixed_ip_address: null, router_id: null, status: 'DOWN' } as const;

/** What an address leads to no more: its port is gone. */
export function untie(portId: string, store: Store): void {
  for (const item of store.collection(CollectionName.FloatingIps).values())
    if (item['port_id'] === portId) Object.assign(item, UNTIED);
}

/** Floating IPs by which addresses of a subnet are reached through a router. */
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
