// What the actors of a cloud stand on: an API server and a cloud, embedded or real, and a nats-server. All pods reach the cloud
// through one proxy.
import { systemClock } from '../../actors/clock.ts';
import type { Fault, ServedCall } from '../../adapters/openstack/simulator/mod.ts';
import type { TcpProxy } from '../bus/proxy.ts';
import type { Ground } from '../world/environments.ts';
import { realCloud } from './real-cloud.ts';
import { simulatedCloud } from './simulated-cloud.ts';
import { groundOf, openStand, type Pace, type Stand } from './stand.ts';

/** A cloud, and what can be done to it. */
export interface Cloud {
  readonly name: string;
  /** Of all pods. */
  readonly way: TcpProxy;
  /** Of the test itself. */
  readonly ownCloudsYaml: string;
  readonly cloudName: string;
  /** Whom the pods log in as. */
  readonly podUser: string;
  /** Of the pods' user. */
  cloudsYaml(password: string): string;
  inject(fault: Fault): Promise<void>;
  /** Ends what was injected. */
  clear(): Promise<void>;
  expireTokens(): Promise<void>;
  /** Of the pods' user. */
  setPassword(password: string): Promise<void>;
  close(): Promise<void>;
}

export interface Counterparts extends Stand {
  readonly ground: Ground;
  readonly cloud: Cloud;
  readonly pace: Pace;
}

/** Which of the counterparts are real; those that are not named are embedded. */
export interface Addresses {
  readonly kubeconfig?: string | undefined;
  /** A shell command that kills the API server, starts it again, and ends when it is ready. */
  readonly restartApi?: string | undefined;
  readonly cloudsFile?: string | undefined;
  /** The entry in that file. */
  readonly cloudName?: string | undefined;
}

export interface CounterpartsDeps {
  /** A nats-server that several processes can share. */
  program: string;
  addresses: Addresses;
  neighbour: 'hostile' | 'none';
  /** Told of every call to the cloud that changes something; `onBegun`: of those that are on the way to a real one. */
  onBegun: (call: Pick<ServedCall, 'method' | 'path' | 'body'>) => void;
  onServed: (call: ServedCall) => void;
}

const EMBEDDED: Pace = { leaseMs: 3_000, settleMs: 90_000, callsInFlight: 16 };
/** Beside hundreds of objects of a neighbour a takeover takes longer than a lease may be short. */
const CROWDED: Pace = { ...EMBEDDED, leaseMs: 6_000 };
/** A real Neutron does some 25 changes a second when it has the machine to itself, and one or two when it has not. */
const REAL: Pace = { leaseMs: 15_000, settleMs: 180_000, callsInFlight: 3 };

/** What `--real` and the suites of real counterparts go by. */
export function addressesIn(env: Readonly<Record<string, string | undefined>>): Addresses {
  return {
    kubeconfig: env['KUBECONFIG'],
    restartApi: env['TROUPE_CHAOS_RESTART_KUBE'],
    cloudsFile: env['OS_CLIENT_CONFIG_FILE'],
    cloudName: env['OS_CLOUD'],
  };
}

export async function openCounterparts(deps: CounterpartsDeps): Promise<Counterparts> {
  const { program, addresses, neighbour, onBegun, onServed } = deps;
  const { kubeconfig, restartApi, cloudsFile, cloudName = 'test' } = addresses;
  const clock = systemClock();
  const stand = await openStand({ clock, program, kubeconfig, restartApi });
  try {
    const cloud = await (cloudsFile
      ? realCloud({ clock, cloudsFile, cloudName, onBegun, onServed })
      : simulatedCloud({ clock, onServed }));
    const close = async (): Promise<void> => {
      await cloud.close();
      await stand.close();
    };
    const ground = groundOf(stand, {
      // What others use too is left as it was.
      name: kubeconfig || cloudsFile ? 'real' : 'processes of their own',
      cloudsYaml: cloud.ownCloudsYaml,
      cloudName: cloud.cloudName,
      close,
    });
    const pace = cloudsFile ? REAL : neighbour === 'hostile' ? CROWDED : EMBEDDED;
    return { ...stand, ground, cloud, pace, close };
  } catch (error) {
    await stand.close();
    throw error;
  }
}
