// Faults of an Ironic, of the way there, and of the passwords of BMCs.
import type { Fault as IronicFault } from '../../../../adapters/simulated/ironic/mod.ts';
import { callFaults, type FaultDeps, ofWay, passwordChange, seconds } from '../../faults.ts';
import type { Fault, Run } from '../../model.ts';
import { between, pick } from '../../random.ts';
import type { Rack } from './racks.ts';
import type { Ironic } from './simulated-ironic.ts';
import type { HostUser } from './user.ts';

export interface HostFaultDeps extends FaultDeps, Pick<Run, 'passwords'> {
  ironic: Ironic;
  racks: readonly Rack[];
  user: HostUser;
}

/** Requests that are held arrive within this time, in milliseconds: well before a call is given up, so that none is obeyed that nobody means any more. */
const LATE_MS = 1_500;
/** What waits for a node that the conductor is at work on does so in vain if it takes longer, in milliseconds. */
const HELD_MS = { least: 500, most: 5_000 };
/** As Ironic says that a conductor is at work on a node. */
const LOCKED = {
  error_message: JSON.stringify({
    faultcode: 'Client',
    faultstring: 'Node is locked by host conductor, please retry after the current operation is completed.',
    debuginfo: null,
  }),
};
const METHODS = ['POST', 'PUT', 'PUT', 'PATCH', 'DELETE', 'GET'];

export function hostFaults(deps: HostFaultDeps): readonly Fault[] {
  const { clock, ironic, passwords, racks, random, report, user } = deps;
  const restarted = async (data: 'kept' | 'lost'): Promise<void> => {
    report('chaos', `kills Ironic${data === 'lost' ? ', and its database is lost' : ''}`);
    const startAgain = await ironic.kill();
    if (data === 'lost') user.wishAgain();
    await clock.sleep(between(random, 0, 2_500));
    await startAgain(data);
    report('chaos', 'Ironic is there again');
  };
  const some = (fault: IronicFault) => (): IronicFault => ({
    match: { method: pick(METHODS, random) ?? 'PUT', path: /^\/(nodes|ports)/ },
    ...fault,
  });
  const system = { name: 'Ironic', calls: 'requests', most: 6, to: ['ironic faults'] };
  const overload = { status: 503, headers: { 'retry-after': '1' } };
  return [
    { name: 'Ironic restarted', weight: 4, to: ['ironic'], play: () => restarted('kept') },
    { name: 'database lost', weight: 3, to: ['ironic'], play: () => restarted('lost') },
    {
      name: 'conductor restarted',
      weight: 1,
      to: ['ironic'],
      async play() {
        report('chaos', 'the conductor of Ironic begins anew, and what it was at fails');
        await ironic.call().restartConductor();
      },
    },
    {
      name: 'conductor locked',
      weight: 4,
      to: ['held'],
      async play() {
        const rack = pick(racks, random);
        if (rack === undefined) return;
        const node = user.nodeOf(rack);
        const ms = between(random, HELD_MS.least, HELD_MS.most);
        report('chaos', `the conductor holds the node of host ${rack.name} for ${seconds(ms)}`);
        await ironic.call().hold(node);
        await clock.sleep(ms);
        await ironic.call().release(node);
      },
    },
    ...ofWay(deps, 'the way to Ironic', ironic.way, ['ironic way'], 4_000, LATE_MS),
    ...callFaults<IronicFault>(deps, system, ironic.inject, [
      ['answers lost', 'does, and does not answer,', 2, some({ dropAfterWork: true })],
      ['requests lost', 'does not hear', 2, some({ dropBeforeWork: true })],
      ['errors', 'answers 500 to', 2, some({ status: 500 })],
      ['locked', 'answers 409, locked, to', 2, some({ status: 409, body: LOCKED })],
      ['overload', 'answers 503, later please, to', 2, some(overload)],
      ['slow', 'takes long for', 2, () => some({ delayMs: between(random, 200, LATE_MS) })()],
    ]),
    passwordChange(deps, {
      weight: 3,
      to: ['ironic', 'api'],
      choose() {
        const rack = pick(racks, random);
        if (rack !== undefined) passwords.renew(rack.name);
        return rack;
      },
      async atLock({ name }) {
        report('chaos', `the password of host ${name} changes at its BMC`);
        await ironic.call().setPassword(name, passwords.of(name));
      },
      inSecret: (rack) => user.writeSecret(rack),
    }),
  ];
}
