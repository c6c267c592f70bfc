// Model of bare-metal hosts: six hosts on a simulated Ironic, in both versions of `metal3.io`, whose books must come out even.
import { metal3Contracts } from '../../../../adapters/ironic/api/contracts.ts';
import type { Phase } from '../../../../adapters/ironic/api/definitions.ts';
import { metal3Resource } from '../../../../adapters/ironic/serving.ts';
import type { Entry } from '../../../adapters/ironic/orders.ts';
import type { Model, Run, Scenario } from '../../model.ts';
import { startConverter } from './converter.ts';
import { hostFaults } from './faults.ts';
import { judgeOrders, leftoversOf } from './invariants.ts';
import { racks as racksWith } from './racks.ts';
import { simulatedIronic } from './simulated-ironic.ts';
import { HostUser, hostPath } from './user.ts';

/** So many times as fast as real ones Ironic and its machines are. */
const SPEED = 20;
/** Both have both versions; what is stored in v1beta1 is converted for all that the pods read and write. */
const PHASES: readonly Phase[] = [1, 2];
const ENVIRONMENT = {
  TROUPE_IRONIC_SPEED: String(SPEED),
  IRONIC_CLIENT_CACHE_TTL: '500ms',
  // What fails for as long as faults last is tried until they are over.
  TROUPE_MAX_PROVISIONING_RETRIES: '0',
  DEPLOY_KERNEL_URL: 'http://images.test/kernel',
  DEPLOY_RAMDISK_URL: 'http://images.test/ramdisk',
};

export const hosts: Model = {
  name: 'hosts',
  // A call that waits for a node that the conductor holds is refused (409) within two thirds of a lease, and begins anew.
  pace: { leaseMs: 4_000, settleMs: 120_000, callsInFlight: 16 },
  // Each host has time to come to something, and a deployment takes a dozen requests, one after another.
  actEvery: { least: 100, most: 800 },
  faultEvery: { least: 500, most: 4_000 },
  tells: 'always',
  open,
};

async function open(run: Run): Promise<Scenario> {
  const { clock, folder, passwords, seed, report, violate } = run;
  const racks = racksWith(passwords.of);
  const ironic = await simulatedIronic({
    clock,
    folder,
    speed: SPEED,
    machines: racks.map(({ machine }) => machine),
    onEntry: (entry) => report(entry.what === 'wished' ? 'user' : 'ironic', sentence(entry)),
  });
  run.closing(ironic.close);
  const world = await run.openWorld(
    { name: 'processes of their own', cloudsYaml: '', cloudName: '' },
    { crds: 'absent' },
  );
  const converter = await startConverter(run, world);
  const phase = PHASES[seed % PHASES.length] ?? 1;
  await converter.define(phase);
  for (const { kind, plural } of metal3Contracts) await world.follower.follow(metal3Resource(kind, plural));
  const user = new HostUser({ ...run, random: run.randomFor(1), world, racks, ironic });
  const env = { ...ENVIRONMENT, IRONIC_ENDPOINT: ironic.endpoint };
  for (const name of ['one', 'two']) await run.addPod(world, name, { env });
  return {
    world,
    parts: `${racks.length} hosts, two pods, a simulated Ironic`,
    notes: [`stores hosts in ${phase === 1 ? 'v1alpha1' : 'v1beta1'}`],
    faults: [...hostFaults({ ...run, ironic, racks, user }), ...converter.faults],
    ways: [ironic.way, converter.way],
    kinds: metal3Contracts,
    clear: ironic.clear,
    present: () =>
      racks
        .filter(({ name }) => world.follower.get('BareMetalHost', name) !== undefined)
        .map(({ name }) => hostPath(world, 'v1alpha1', name)),
    step: () => user.step(),
    changes: () => user.deeds,
    putRight: () => user.putRight(),
    unsettled: () => user.completeAll(),
    leave: () => user.wishAllGone(),
    async left() {
      const sight = await ironic.look();
      return leftoversOf({ objects: world.follower.all(), nodes: sight?.nodes.map(({ name }) => name) });
    },
    judgeEnd: () => ({ ...judgeOrders(ironic.orders.entries, violate) }),
  };
}

function sentence(entry: Entry): string {
  const host = `host ${entry.host.split('~').at(-1)}`;
  switch (entry.what) {
    case 'born':
      return `${host} is new`;
    case 'wished':
      return `asks for ${entry.wish} of ${host}${entry.image === undefined ? '' : ` with ${entry.image}`}`;
    case 'settled':
      return `${host} is seen to be as asked for`;
    case 'made':
      return `has a node for ${host}`;
    case 'left':
      return `has a node for ${host}, which is gone`;
    case 'removed':
      return `has no node for ${host} any more`;
    case 'said':
      return `says that ${host} is '${entry.state}'`;
    case 'ordered':
      return `is told '${entry.target}' of ${host}: ${entry.status ?? 'no answer'}`;
    case 'written':
      return `${host} is written with ${entry.image}`;
    case 'wiped':
      return `${host} is wiped`;
  }
}
