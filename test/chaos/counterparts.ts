// What the actors stand on: an API server and a cloud, embedded or real, and a nats-server, which is always the test's own.
// Each pod reaches the API server and NATS through proxies of its own, and all reach the cloud through one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../actors/clock.ts';
import type { Fault, ServedCall } from '../../adapters/openstack/simulator/mod.ts';
import { natsBus, startNatsServer } from '../../bus/mod.ts';
import type { Ground } from '../actors/grounds.ts';
import { startProxy, type TcpProxy } from '../bus/proxy.ts';
import { embeddedApi } from './embedded-api.ts';
import { realApi } from './real-api.ts';
import { realCloud } from './real-cloud.ts';
import { simulatedCloud } from './simulated-cloud.ts';

/** An API server, and what can be done to it. */
export interface ApiServer {
  /** For people. */
  readonly name: string;
  /** Of the test itself. */
  readonly kubeconfig: string;
  /** Strings that the pods are given and nobody else's business. */
  readonly secrets: readonly string[];
  /** Changes that a pod has to miss before its watches can be too old. */
  readonly missed: number;
  wayOf(pod: string): Promise<ApiWay>;
  /** @returns the way to start it again, with its data, at its port; undefined: it is not ours to kill */
  readonly kill: (() => Promise<() => Promise<void>>) | undefined;
  close(): Promise<void>;
}

/** One pod's way to the API server. */
export interface ApiWay {
  readonly proxy: TcpProxy;
  readonly kubeconfig: string;
  /** Watches that go on from before `version` are too old from now on, if they are not anyway. */
  outdate(version: string): void;
  /** The pod's token is refused so many times; undefined: nobody can do that here. */
  readonly refuse: ((times: number) => void) | undefined;
}

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

/** The ways of one pod to what it needs, and what to tell it about them. */
export interface Ways {
  readonly nats: TcpProxy;
  readonly api: ApiWay;
  readonly env: Readonly<Record<string, string>>;
}

/** How long things take here, in milliseconds. */
export interface Pace {
  /** Long enough that a call to the cloud ends well within. */
  readonly leaseMs: number;
  /** Longest wait after the last misfortune. */
  readonly settleMs: number;
  /** Of each pod to the cloud, at a time. */
  readonly callsInFlight: number;
}

export interface Counterparts {
  readonly ground: Ground;
  readonly api: ApiServer;
  readonly cloud: Cloud;
  readonly pace: Pace;
  /** A folder whose files no secret may be in. */
  readonly natsData: string;
  /** Strings that the pods are given and nobody else's business, but for the password of the cloud. */
  readonly secrets: readonly string[];
  waysOf(pod: string): Promise<Ways>;
  /** @returns the way to start it again, with its data, at its port */
  killNats(): Promise<() => Promise<void>>;
  close(): Promise<void>;
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
const DEADLINE_MS = 30_000;

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
  const { kubeconfig, restartApi: restart, cloudsFile, cloudName = 'test' } = addresses;
  const clock = systemClock();
  const folder = await mkdtemp(join(tmpdir(), 'troupe-chaos-'));
  const closing: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const api = await (kubeconfig ? realApi({ clock, kubeconfig, folder, restart }) : embeddedApi(folder));
    closing.push(api.close);
    const startNats = (port?: number): ReturnType<typeof startNatsServer> =>
      startNatsServer({
        program,
        path: '',
        cacheFolder: folder,
        fetch: globalThis.fetch,
        onProgress: () => undefined,
        folder: join(folder, 'nats'),
        clock,
        ...(port !== undefined && { port }),
      });
    let nats = await startNats();
    closing.push(() => nats.close());
    const { url } = nats;
    const cloud = await (cloudsFile
      ? realCloud({ clock, cloudsFile, cloudName, onBegun, onServed })
      : simulatedCloud({ clock, onServed }));
    closing.push(cloud.close);
    return {
      api,
      cloud,
      pace: cloudsFile ? REAL : neighbour === 'hostile' ? CROWDED : EMBEDDED,
      natsData: join(folder, 'nats', 'data'),
      secrets: [...api.secrets, new URL(url).password],
      ground: {
        // What others use too is left as it was.
        name: kubeconfig || cloudsFile ? 'real' : 'processes of their own',
        folder,
        kubeconfig: api.kubeconfig,
        api: undefined,
        simulator: undefined,
        cloudsYaml: cloud.ownCloudsYaml,
        cloudName: cloud.cloudName,
        deadlineMs: DEADLINE_MS,
        nats: { url, prefix: 'troupe' },
        connect: (process, options) => natsBus({ url, clock, process, firstLease: 'immediate', ...options }),
        interruptBus: undefined,
        interruptApi: undefined,
        close,
      },
      async waysOf(pod) {
        const toNats = await startProxy('127.0.0.1', Number(new URL(url).port));
        closing.push(toNats.close);
        const toApi = await api.wayOf(pod);
        const through = new URL(url);
        through.port = String(toNats.port);
        return { nats: toNats, api: toApi, env: { KUBECONFIG: toApi.kubeconfig, NATS_URL: through.toString() } };
      },
      async killNats() {
        process.kill(nats.pid, 'SIGKILL');
        await nats.exited;
        return async () => {
          nats = await startNats(Number(new URL(url).port));
        };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
