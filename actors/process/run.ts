// `troupe run`: the roles of one pod, until it receives a signal to stop.
import type { Logger } from 'pino';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { type KubeClient, kubeClient, objects } from '../../adapters/kubernetes/mod.ts';
import { ROLE as MODEL_ROLE } from '../../adapters/ocm/kinds/resource.ts';
import {
  type Bus,
  type BusUser,
  type Clock,
  type FirstLease,
  natsBus,
  TerminalError,
  toErrorData,
} from '../../bus/mod.ts';
import { type Config, Role, WEBHOOKS } from '../base/config.ts';
import { USER_AGENT } from '../base/version.ts';
import type { Metrics } from '../observability/metrics.ts';
import { firstLeaseOf } from '../sharding/first-start.ts';
import { ensureSingleProcess } from '../sharding/single-process.ts';
import type { Visualizer } from '../visualizer/server.ts';
import { startVisualizer } from '../visualizer/visualizer.ts';
import { type ServedWebhooks, startWebhooks } from '../webhooks/webhooks.ts';
import { busUser } from './bus-user.ts';
import { type HttpEndpoints, serveHttpEndpoints } from './http-endpoints.ts';
import { type Runtime, type RuntimeDeps, startRuntime } from './runtime.ts';

/** Server of models over HTTP. */
export interface Gateway {
  readonly url: string;
  /** The command `curl`, with the credentials that callers need. */
  readonly curl: string;
  /** Reason why not all requests can be answered; undefined if they can. */
  readonly problem: string | undefined;
  /** Calls `listener` after each change of the objects that are served. @returns stops it */
  onChange(listener: () => void): () => void;
  /** Closes each connection after its next answer. */
  retire(): void;
  /** Answers what has arrived, and ends. */
  close(): Promise<void>;
}

export interface GatewayDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: Pick<Metrics, 'onAnswered'> | undefined;
}

/** @throws {TerminalError} it cannot be served as it is configured */
export type StartGateway = (deps: GatewayDeps) => Promise<Gateway>;

export interface RunDeps {
  config: Config;
  adapters: readonly ConfiguredAdapter[];
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
  /** Undefined: no model is served here. */
  gateway?: StartGateway | undefined;
}

/** Maximum time for an orderly end, in milliseconds; the sender of SIGTERM kills after a while. */
const DRAIN_LIMIT_MS = 4_800;
/** Time for which a pod still receives requests after the signal to stop, in milliseconds. */
const LINGER_MS = 3_000;
/** Pause between two attempts to reach the bus for the first time, in milliseconds. */
const PAUSE_MS = 1_000;

/** @throws {TerminalError} something needed was not named, or cannot work */
export async function run({ config, adapters, clock, log, signal, gateway: startGateway }: RunDeps): Promise<number> {
  const { natsUrl, kubeconfig, inCluster, roles } = config;
  const hasBus = [...roles].some((role) => role !== WEBHOOKS && role !== MODEL_ROLE);
  if (natsUrl === undefined && hasBus) {
    throw new TerminalError("NATS_URL is not set; 'troupe dev' starts a server of its own");
  }
  if (kubeconfig === undefined && inCluster === undefined) {
    throw new TerminalError("KUBECONFIG is not set and this is no pod; 'troupe dev' starts an API server of its own");
  }
  const user = busUser(roles, adapters, config.nodeName);
  const client = kubeClient({ clock, kubeconfig, inCluster, env: config.env, userAgent: USER_AGENT });
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  let bus: Bus | undefined;
  let pages: HttpEndpoints | undefined;
  let visualizer: Visualizer | undefined;
  let webhooks: ServedWebhooks | undefined;
  let gateway: Gateway | undefined;
  try {
    pages = await serveHttpEndpoints(config, client, clock, { hasBus });
    // Before a bus is waited for: objects may be read with them only.
    webhooks = startWebhooks(config, { client: pages.client, adapters, clock, log, metrics: pages.metrics });
    if (webhooks !== undefined) {
      pages.ask(webhooks, hasBus ? 'beside others' : 'alone');
      webhooks.ended.catch(() => failure.abort());
    }
    gateway = await startGateway?.({ client: pages.client, clock, log, metrics: pages.metrics });
    if (gateway !== undefined) {
      log.info({ url: gateway.url }, 'serving the models');
      pages.ask(gateway, hasBus ? 'beside others' : 'alone');
    }
    const served = [webhooks, gateway] as const;
    if (natsUrl === undefined || !hasBus) {
      log.info({ roles: [...roles], server: client.server }, 'troupe runs');
      await aborted(stop);
      await ended(served, config, clock);
      return 0;
    }
    bus = await connect(config, user, natsUrl, clock, log, stop, firstLeaseOn(client, adapters, config));
    if (bus === undefined) {
      await ended(served, config, clock);
      return 0;
    }
    const deps = { adapters, bus: pages.follow(bus), client: pages.client, metrics: pages.metrics, clock, log };
    visualizer = await startVisualizer(config, deps);
    const runtime = await start(config, deps, stop);
    pages.began(runtime);
    if (visualizer !== undefined) log.info({ url: visualizer.url }, 'serving the visualizer');
    log.info({ pod: runtime.pod, roles: [...roles], server: client.server, bus: bus.description }, 'troupe runs');
    await aborted(stop);
    await Promise.all([drain(runtime, clock, log), ended(served, config, clock)]);
  } finally {
    // An open server would keep a failed process alive.
    await gateway?.close();
    await visualizer?.close();
    await webhooks?.close();
    await pages?.close();
    await bus?.close();
    await client.close();
  }
  return 0;
}

/**
 * Clients and the API server receive responses until they have switched to another pod. @throws the reason why the webhooks could not
 * be served
 */
async function ended(
  [webhooks, gateway]: readonly [ServedWebhooks | undefined, Gateway | undefined],
  { inCluster }: Pick<Config, 'inCluster'>,
  clock: Clock,
): Promise<void> {
  if (webhooks === undefined && gateway === undefined) return;
  webhooks?.retire();
  gateway?.retire();
  const linger = inCluster === undefined ? Promise.resolve() : clock.sleep(LINGER_MS);
  // Their end comes with `close`, and sooner only if they failed.
  await Promise.race([linger, ...(webhooks === undefined ? [] : [webhooks.ended])]);
  await gateway?.close();
}

/** Waits for the bus as long as it takes: pods and NATS start in any order. */
async function connect(
  config: Config,
  user: BusUser,
  url: string,
  clock: Clock,
  log: Logger,
  signal: AbortSignal,
  firstLease: () => Promise<FirstLease>,
): Promise<Bus | undefined> {
  let problem = '';
  while (!signal.aborted) {
    try {
      return await natsBus({ ...natsOptions(config, user, url, clock, (message) => log.warn(message)), firstLease });
    } catch (error) {
      const { message, code } = toErrorData(error);
      if (code === 'terminal') throw error;
      if (message !== problem) log.warn(message);
      problem = message;
      await clock.sleep(PAUSE_MS, signal);
    }
  }
  return undefined;
}

/** Asks the API server whether this is a first start. */
export function firstLeaseOn(
  client: KubeClient,
  adapters: readonly Pick<ConfiguredAdapter, 'kinds'>[],
  { namespaces }: Config,
): () => Promise<FirstLease> {
  const kinds = adapters.flatMap((adapter) => adapter.kinds);
  return () => firstLeaseOf({ objects: objects({ client }), kinds, namespaces });
}

export function natsOptions(
  config: Config,
  user: BusUser,
  url: string,
  clock: Clock,
  onWarning: (message: string) => void,
): Parameters<typeof natsBus>[0] {
  const { credentials, nkey, ca, certificate, key } = config.natsFiles;
  const serverName = config.natsServerName;
  return {
    url,
    clock,
    process: `${config.podName ?? 'troupe'}-${process.pid}`,
    user,
    shards: config.shards,
    leaseMs: config.leaseMs,
    events: config.keptEvents,
    onWarning,
    ...(config.natsPrefix !== undefined && { prefix: config.natsPrefix }),
    ...(credentials !== undefined && { credentialsFile: credentials }),
    ...(nkey !== undefined && { nkeySeedFile: nkey }),
    ...((ca ?? certificate ?? key ?? serverName) !== undefined && {
      tls: {
        ...(ca !== undefined && { caFile: ca }),
        ...(certificate !== undefined && { certFile: certificate }),
        ...(key !== undefined && { keyFile: key }),
        ...(serverName !== undefined && { serverName }),
      },
    }),
  };
}

/** Starts the roles of the configuration. @throws {TerminalError} it makes no sense, or another pod is where only one may be */
export async function start(
  { roles, callMs, kinds, namespaces, podName, nodeName, events }: Config,
  deps: Pick<RuntimeDeps, 'adapters' | 'bus' | 'client' | 'metrics' | 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<Runtime> {
  for (const { realm, warnings = [] } of deps.adapters) {
    for (const warning of warnings) deps.log.warn({ adapter: realm }, warning);
  }
  if (!deps.bus.sharable && roles.has(Role.Actors)) {
    deps.log.info(`${deps.bus.description} is good for one process; several pods need nats-server 2.11 or later`);
    await ensureSingleProcess(deps.bus, deps.clock, signal);
  }
  return startRuntime({ ...deps, roles, callMs, kinds, namespaces, podName, nodeName, events });
}

/** Ends the roles in order, within a few seconds. */
export async function drain(runtime: Runtime, clock: Clock, log: Logger): Promise<void> {
  log.info('stopping; releasing leases');
  const ended = new AbortController();
  const closing = runtime.close().finally(() => ended.abort());
  await Promise.race([closing, clock.sleep(DRAIN_LIMIT_MS, ended.signal)]);
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
