// What is done to an Ironic, to the way there, and to the passwords of BMCs, beside what befalls pods and what they stand on.
import type { Fault } from '../../adapters/ironic/simulator/mod.ts';
import type { HostUser } from './host-user.ts';
import type { Rack } from './racks.ts';
import type { Ironic } from './simulated-ironic.ts';
import { between, type Misfortune, ofStand, ofWay, type StandFaultDeps, seconds } from './stand-faults.ts';
import { pick } from './user.ts';

export interface HostFaultDeps extends StandFaultDeps {
  ironic: Ironic;
  racks: readonly Rack[];
  user: HostUser;
  /** Makes a new password of a BMC, which Secrets have from then on. */
  renew: (host: string) => string;
}

/** Requests that are held arrive within this time, in milliseconds: well before a call is given up, so that none is obeyed that nobody means any more. */
const LATE_MS = 1_500;
/** What waits for a node that the conductor is at work on does so in vain if it takes longer, in milliseconds. */
const HELD_MS = { least: 500, most: 5_000 };

export function hostMisfortunes(deps: HostFaultDeps): readonly Misfortune[] {
  return [...ofStand(deps), ...ofIronic(deps), ...ofCalls(deps), ...ofPasswords(deps)];
}

function ofIronic(deps: HostFaultDeps): readonly Misfortune[] {
  const { clock, ironic, racks, random, tell, user } = deps;
  const restarted = async (data: 'kept' | 'lost'): Promise<void> => {
    tell('chaos', `kills Ironic${data === 'lost' ? ', and its database is lost' : ''}`);
    const startAgain = await ironic.kill();
    if (data === 'lost') user.wishAgain();
    await clock.sleep(between(deps, 0, 2_500));
    await startAgain(data);
    tell('chaos', 'Ironic is there again');
  };
  return [
    { name: 'Ironic restarted', weight: 4, to: ['ironic'], play: () => restarted('kept') },
    { name: 'database lost', weight: 3, to: ['ironic'], play: () => restarted('lost') },
    {
      name: 'conductor restarted',
      weight: 1,
      to: ['ironic'],
      async play() {
        tell('chaos', 'the conductor of Ironic begins anew, and what it was at fails');
        await ironic.ask({ ask: 'restartConductor' });
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
        const ms = between(deps, HELD_MS.least, HELD_MS.most);
        tell('chaos', `the conductor holds the node of host ${rack.name} for ${seconds(ms)}`);
        await ironic.ask({ ask: 'hold', node });
        await clock.sleep(ms);
        await ironic.ask({ ask: 'release', node });
      },
    },
    ...ofWay(deps, 'the way to Ironic', ironic.way, ['ironic way'], 4_000, LATE_MS),
  ];
}

function ofCalls(deps: HostFaultDeps): readonly Misfortune[] {
  const { ironic, random, tell } = deps;
  const change = /^\/(nodes|ports)/;
  const inject = (name: string, what: string, make: () => Fault): Misfortune => ({
    name,
    weight: 2,
    to: ['ironic faults'],
    async play() {
      const times = 1 + Math.floor(random() * 6);
      tell('chaos', `Ironic ${what} its next ${times} requests`);
      ironic.inject({ times, ...make() });
    },
  });
  const method = (): string => pick(['POST', 'PUT', 'PUT', 'PATCH', 'DELETE', 'GET'], random) ?? 'PUT';
  const match = (): NonNullable<Fault['match']> => ({ method: method(), path: change });
  return [
    inject('answers lost', 'does, and does not answer,', () => ({ match: match(), dropAfterWork: true })),
    inject('requests lost', 'does not hear', () => ({ match: match(), dropBeforeWork: true })),
    inject('errors', 'answers 500 to', () => ({ match: match(), status: 500 })),
    inject('locked', 'answers 409, locked, to', () => ({ match: match(), status: 409, body: LOCKED })),
    inject('overload', 'answers 503, later please, to', () => ({ match: match(), status: 503, headers: LATER })),
    inject('slow', 'takes long for', () => ({ match: match(), delayMs: between(deps, 200, LATE_MS) })),
  ];
}

/** As Ironic says that a conductor is at work on a node. */
const LOCKED = {
  error_message: JSON.stringify({
    faultcode: 'Client',
    faultstring: 'Node is locked by host conductor, please retry after the current operation is completed.',
    debuginfo: null,
  }),
};
const LATER = { 'retry-after': '1' };

function ofPasswords(deps: HostFaultDeps): readonly Misfortune[] {
  const { clock, ironic, racks, random, renew, tell, user } = deps;
  return [
    {
      name: 'password changed',
      weight: 3,
      to: ['ironic', 'api'],
      async play() {
        const rack = pick(racks, random);
        if (rack === undefined) return;
        const password = renew(rack.name);
        const atMachine = async (): Promise<void> => {
          tell('chaos', `the password of host ${rack.name} changes at its BMC`);
          await ironic.ask({ ask: 'setPassword', machine: rack.name, password });
        };
        const inSecret = (): Promise<void> => user.writeSecret(rack);
        const [first, second] = random() < 0.5 ? [atMachine, inSecret] : [inSecret, atMachine];
        await first();
        await clock.sleep(between(deps, 0, 3_000));
        await second();
      },
    },
  ];
}
