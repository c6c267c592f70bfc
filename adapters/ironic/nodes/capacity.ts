// Capacity: so many machines at a time load their ramdisk over the network, and no more.
import { OperationalStatus } from '../../../machines/bare-metal-host/host.ts';
import { isBusy } from '../client/capacity.ts';
import type { Driver } from '../hosts/drivers.ts';
import type { Facts } from './facts.ts';
import { type Host, nodeNameOf } from './host.ts';
import { type IronicNode, stateOf, textIn, uuidOf } from './node.ts';
import { type Step, send, wait } from './step.ts';

export interface CapacityInput {
  readonly host: Host;
  readonly facts: Facts;
  readonly driver: Pick<Driver, 'supportsIsoPreprovisioningImage'>;
  /** `PROVISIONING_LIMIT`. */
  readonly limit: number;
}

const FIELDS = 'uuid,name,provision_state,boot_interface';

/** @returns done: there is room for the host. Where there is none it is `delayed`, and asks again */
export function awaitCapacity({ host, facts, driver, limit }: CapacityInput): Step {
  if (driver.supportsIsoPreprovisioningImage) return { step: 'done' };
  if (facts.nodes === undefined) {
    const query = { fields: FIELDS };
    const failure = 'failed to list nodes';
    return send([{ method: 'GET', path: '/v1/nodes', query, expects: [200], failure, into: 'nodes' }], 'onward');
  }
  const busy = busyNodes(facts.nodes);
  const own = [nodeNameOf(host), host.status?.provisioning?.ID ?? ''];
  if (own.some((name) => busy.has(name)) || busy.size < limit) return { step: 'done' };
  return wait('delayed', `${busy.size} nodes are busy, and no more than ${limit} may be`, {
    status: { operationalStatus: OperationalStatus.Delayed },
  });
}

/** Those that use the network that ramdisks are loaded over, by name; by UUID those that have none. */
export function busyNodes(nodes: readonly IronicNode[]): ReadonlySet<string> {
  return new Set(
    nodes
      .filter((node) => isBusy({ provision_state: stateOf(node), boot_interface: textIn(node, 'boot_interface') }))
      .map((node) => textIn(node, 'name') || uuidOf(node)),
  );
}
