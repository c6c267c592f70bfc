// The simulated Ironic without its wire, as the adapter of one process asks it, and what may happen to a request on the way there
// and back.
import { configure } from '../../../../actors/process/adapters.ts';
import type { ConfiguredAdapter } from '../../../../adapters/api/adapter.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../../../adapters/http/transport.ts';
import { metal3Over } from '../../../../adapters/ironic/mod.ts';
import {
  type Reply,
  type SimulatedIronic,
  simulatedIronic,
  timesDivided,
} from '../../../../adapters/simulated/ironic/mod.ts';
import { TransientError, UnknownOutcomeError } from '../../../../bus/mod.ts';
import { type Landing, lowered, type Misfortune } from '../../clouds.ts';
import type { ProcessClock, SimulatedTime } from '../../time.ts';
import type { Landscape } from './plan.ts';
import { PASSWORD } from './plan.ts';

const ORIGIN = 'http://ironic.test';
/** So many times as fast as real ones Ironic and its machines are. */
const SPEED = 5;
/** A request waits for a node that the conductor holds for so long, and looks so often, in milliseconds. */
const LOCK_WAIT_MS = 2_000;
const LOCK_LOOK_MS = 200;
const ENVIRONMENT = {
  IRONIC_ENDPOINT: ORIGIN,
  TROUPE_IRONIC_SPEED: String(SPEED),
  // What fails for as long as misfortunes last is tried until they are over.
  TROUPE_MAX_PROVISIONING_RETRIES: '0',
  // Of those that boot over the network.
  PROVISIONING_LIMIT: '1',
  DEPLOY_KERNEL_URL: 'http://images.test/kernel',
  DEPLOY_RAMDISK_URL: 'http://images.test/ramdisk',
};

export interface IronicWatcher {
  misfortune(landing: Landing): Misfortune | undefined;
  /** Just before it is served. @param hasWaited  it has waited in Ironic for a node that the conductor holds */
  onLanding(landing: Landing, hasWaited: boolean): void;
  /** When it was. */
  onServed(landing: Landing, status: number): void;
  latencyMs(): number;
}

export interface IronicLine {
  readonly pod: string;
  readonly ironic: SimulatedIronic;
  readonly time: SimulatedTime;
  /** Of the process. */
  readonly clock: ProcessClock;
  readonly watcher: IronicWatcher;
}

export function newIronic(clock: ProcessClock, machines: Landscape): SimulatedIronic {
  const options = machines.map(({ name, bmc, system, mac }) => ({
    name,
    address: bmc,
    systemId: system,
    password: PASSWORD,
    macs: [mac],
  }));
  return simulatedIronic({ clock, machines: options, times: timesDivided(SPEED) }, () => ORIGIN);
}

/** The adapter of bare metal for one process; only how it reaches Ironic is not its own. */
export function metalOver(line: IronicLine): ConfiguredAdapter {
  const trust = { ca: undefined, verify: 'verified' } as const;
  const adapter = metal3Over({
    connection: async () => ({ endpoint: ORIGIN, trust, credentials: undefined }),
    transport: () => transport(line),
  });
  return configure(adapter, ENVIRONMENT);
}

function transport(line: IronicLine): Transport {
  const { time, clock, watcher } = line;
  return {
    close: async () => undefined,
    exchange: (request) =>
      new Promise((resolve, reject) => {
        const { label, deadlineAt } = request;
        const leftMs = deadlineAt - clock.now();
        if (leftMs <= 0) return reject(new TransientError(`${label} was not sent: its deadline had passed`));
        const landing = landingOf(line, request);
        const fate = watcher.misfortune(landing) ?? {};
        const late = clock.setTimeout(
          () => reject(new UnknownOutcomeError(`${label} was not answered by its deadline`)),
          leftMs,
        );
        const arriveMs = watcher.latencyMs();
        // A request whose sender has given up has died on the way.
        if (arriveMs >= leftMs) return;
        const answer = (settle: () => void): void => {
          clock.setTimeout(() => {
            clock.clearTimeout(late);
            settle();
          }, watcher.latencyMs());
        };
        const settle = {
          say: (reply: Reply) => answer(() => resolve(plain(request, reply))),
          fail: (error: Error) => answer(() => reject(error)),
        };
        time.after(arriveMs, () => arrive(line, { request, landing, fate }, settle));
      }),
  };
}

interface Arrived {
  readonly request: TransportRequest;
  readonly landing: Landing;
  readonly fate: Misfortune;
}

interface Settle {
  say(reply: Reply): void;
  fail(error: Error): void;
}

/** It is served when the conductor holds the node no more, or refused when it has held it for too long. */
function arrive(line: IronicLine, { request, landing, fate }: Arrived, { say, fail }: Settle): void {
  const { time, clock, watcher } = line;
  const { label } = request;
  const broken = new UnknownOutcomeError(`${label} failed: the connection was closed`);
  if (fate.dropBeforeWork || fate.status !== undefined) {
    if (fate.status === undefined) fail(broken);
    else say({ status: fate.status });
    return;
  }
  const arrivedAt = time.now();
  const attempt = (): void => {
    // Its connection has ended with the process.
    if (time.now() > arrivedAt && clock.isEnded) return;
    watcher.onLanding(landing, time.now() > arrivedAt);
    const reply = serve(line, request);
    if (reply.isLocked === true && time.now() < arrivedAt + LOCK_WAIT_MS) {
      time.after(LOCK_LOOK_MS, attempt);
      return;
    }
    watcher.onServed(landing, reply.status);
    // As the real transport says it: success in another's words may be the service's success.
    const Garbage = reply.status < 300 ? UnknownOutcomeError : TransientError;
    if (fate.dropAfterWork) fail(broken);
    else if (fate.failsAfterWork) say({ status: 500 });
    else if (fate.garbage === undefined) say(reply);
    else fail(new Garbage(`${label} answered ${reply.status} with something that is not JSON`));
  };
  attempt();
}

function serve({ ironic }: IronicLine, { method, url, headers, body }: TransportRequest): Reply {
  return ironic.handle({
    method,
    url: url.slice(ORIGIN.length),
    headers: lowered(headers),
    body: body === undefined ? '' : JSON.stringify(body),
  });
}

/** As it comes off the wire: nothing of it is Ironic's own. */
function plain({ shape }: TransportRequest, { status, body = {} }: Reply): TransportResponse {
  const copy = JSON.parse(JSON.stringify(body ?? {})) as TransportResponse['body'];
  const head = { status, subjectToken: undefined, retryAfterMs: undefined };
  if (shape === 'list' && Array.isArray(copy)) return { ...head, body: {}, items: copy };
  return { ...head, body: copy };
}

/** Its `uid` is the name of the node, which has namespace and name of its host. */
function landingOf({ pod, ironic }: IronicLine, { method, url, body }: TransportRequest): Landing {
  const [path = ''] = url.slice(`${ORIGIN}/v1`.length).split('?');
  const [, collection, id] = path.split('/');
  const { name, node_uuid: node } = (body ?? {}) as { readonly name?: string; readonly node_uuid?: string };
  const ident = collection === 'nodes' ? id : node;
  const uid = name ?? (ident === undefined ? undefined : ironic.node(ident)?.['name']);
  return { pod, service: 'ironic', method, path, body, uid: typeof uid === 'string' ? uid : '' };
}
