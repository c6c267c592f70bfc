// The composition root: one process with the roles it was asked for.
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { CallLoad, ConfiguredAdapter, DeclaredKind, ReplicaCount, Served } from '../../adapters/api/adapter.ts';
import {
  type KubeClient,
  events as kubeEvents,
  objects as kubeObjects,
  type Objects,
} from '../../adapters/kubernetes/mod.ts';
import {
  type Bus,
  type Clock,
  type LeaseRecord,
  type Service,
  TerminalError,
  TransientError,
  toErrorData,
} from '../../bus/mod.ts';
import type { Kind } from '../../machines/kind.ts';
import type { Measurement } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { Role } from '../base/config.ts';
import { listAll } from '../base/list-all.ts';
import type { RecordEvent } from '../base/record-event.ts';
import { TROUPE_VERSION } from '../base/version.ts';
import { RejectedRequests } from '../effects/authorization/rejected-requests.ts';
import { RequestAuthorizer } from '../effects/authorization/request-authorizer.ts';
import { checkOperations, type ServedHere, serveOperations, withOperations } from '../effects/operations-service.ts';
import { registry } from '../object/registry.ts';
import { callTrace } from '../observability/call-trace.ts';
import { EventRecorder } from '../observability/event-recorder.ts';
import type { RuntimeMetrics } from '../observability/metrics.ts';
import type { HostedObject } from '../observability/object-gauges.ts';
import { watchLegacyController } from '../sharding/legacy-controller.ts';
import { LivePods } from '../sharding/replica-count.ts';
import { offerFor } from '../sharding/served-kinds.ts';
import { ShardHost, type ShardHostLoad } from '../sharding/shard-host.ts';
import { manageShards } from '../sharding/shard-manager.ts';
import { watchCluster } from '../watch/watcher.ts';

export interface RuntimeDeps {
  bus: Bus;
  client: KubeClient;
  clock: Clock;
  log: Logger;
  adapters: readonly ConfiguredAdapter[];
  /** Names of roles, those of adapters among them. */
  roles: ReadonlySet<string>;
  /** Longest time a call to a cloud may take, in milliseconds. */
  callMs: number;
  /** Managed kinds, CamelCase or plural; undefined: all, while no legacy controller leads. */
  kinds?: readonly string[] | undefined;
  /** Managed namespaces; undefined: all. */
  namespaces?: readonly string[] | undefined;
  /** Metrics, if they are read. */
  metrics?: RuntimeMetrics | undefined;
  /** Whether Kubernetes Events are emitted for users. */
  events: boolean;
  /** Name among the pods; made unique for each start. */
  podName?: string | undefined;
  /** That the process runs on. */
  nodeName?: string | undefined;
}

export interface Runtime {
  readonly pod: string;
  readonly kinds: readonly Kind[];
  /** Number of hosted objects by state. */
  countByState(): ReadonlyMap<string, number>;
  /** Hosted objects. */
  hostedObjects(): Iterable<HostedObject>;
  /** Queue lengths. */
  load(): ShardHostLoad & { readonly calls: ReadonlyMap<string, CallLoad> };
  /** Number of mailbox messages that could not be parsed. */
  readonly rejectedMessages: number;
  /** Begins nothing new, waits a few seconds for what is under way, gives up all leases. Idempotent. */
  close(): Promise<void>;
}

/** Reporter of Events, for all pods. */
const REPORTER = 'troupe';
/** Pause before a role that ended restarts, in milliseconds. */
const ROLE_PAUSE_MS = 1_000;

/**
 * Starts the roles; they come to work as the bus and the API server answer.
 *
 * @throws {TerminalError} a configured kind is unknown, or an adapter cannot be served with its configuration
 */
export async function startRuntime(deps: RuntimeDeps): Promise<Runtime> {
  const { bus, client, clock, log, roles, adapters, callMs, namespaces } = deps;
  const objects = kubeObjects({ client });
  const podName = deps.podName ?? hostname();
  const pod = `${podName}-${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
  const isTaken = takenBy(
    adapters.flatMap(({ kinds }) => kinds),
    deps.kinds,
  );
  // A process without actors knows no leases, and uses the whole limit.
  const replicaCount = new LivePods(pod, roles.has(Role.Actors) ? undefined : 1);
  const served = await serveAdapters(deps, objects, replicaCount);
  const kinds = adapters.flatMap((adapter) =>
    withOperations(bus, adapter, served.get(adapter), clock, deps.metrics?.timed),
  );
  const followed = adapters.flatMap((adapter) => adapter.referencedKinds ?? []);
  const taken = kinds.filter(isTaken);
  const known = registry(taken, [...kinds.filter((kind) => !isTaken(kind)), ...followed]);
  const serving = offerFor(known.kinds, {
    namespaces,
    watches: roles.has(Role.Watch),
    shards: bus.mailbox.shards,
  });
  const stop = new AbortController();
  const recorder = new EventRecorder({
    clock,
    log,
    events: kubeEvents({ client, component: REPORTER, instance: podName }),
    onDropped: (reason) => deps.metrics?.onDropped(reason),
  });
  const report: RecordEvent = (object, occurrence, ...more) => {
    deps.metrics?.onUserEvent(object.kind, occurrence.reason);
    if (deps.events) recorder.report(object, occurrence, ...more);
  };
  const lateEffectMs = Math.max(0, ...adapters.map((adapter) => adapter.lateEffectMs ?? 0));
  deps.metrics?.declare(adapters.flatMap((adapter) => adapter.metrics ?? []));
  const recordMetric = (object: KubeObject, measurement: Measurement): void =>
    deps.metrics?.onMeasure(object, measurement);
  const host = new ShardHost({
    bus,
    objects,
    registry: known,
    namespaces,
    clock,
    log,
    callMs,
    lateEffectMs,
    report,
    recordMetric,
  });
  const here = host.localDelivery;
  const stopConnectivity = bus.onConnectivity(({ kind, detail }) =>
    log[kind === 'connected' ? 'info' : 'warn'](detail),
  );
  const services: Service[] = [];
  const refused = new RejectedRequests({ clock, log, onRejected: (record) => deps.metrics?.onRefused(record) });
  const offer = async (adapter: ConfiguredAdapter, here: ServedHere): Promise<void> => {
    const { operations } = here;
    const onRefused = refused.of(adapter.realm);
    const admission = new RequestAuthorizer({
      adapter,
      operations,
      objects,
      clock,
      namespaces,
      callMs,
      onRejected: onRefused,
    });
    services.push(await serveOperations(bus, adapter, here, { version: TROUPE_VERSION, admission }));
  };
  // A process that hosts actors calls its own operations in memory: no other process needs them, unless they belong to
  // one of several nodes.
  // mutant: host-serves-operations ! -> true
  const offered = [...served].filter(([{ route }]) => route !== undefined || !roles.has(Role.Actors));
  /** A role that cannot begin, as the bus is away in this moment, begins later. */
  const play = async (role: () => Promise<void>): Promise<void> => {
    let problem = '';
    while (!stop.signal.aborted) {
      try {
        return await role();
      } catch (error) {
        const { message } = toErrorData(error);
        if (!(error instanceof TransientError)) {
          log.error({ error: message, err: error }, 'role ended with an error; restarting it');
        } else if (message !== problem) {
          log.warn({ error: message }, 'role failed to start; will retry');
          problem = message;
        }
        await clock.sleep(ROLE_PAUSE_MS, stop.signal);
      }
    }
  };
  const onLeases = (records: readonly LeaseRecord[]): void => replicaCount.heard(records);
  const hold = (signal: AbortSignal): Promise<void> =>
    manageShards({ bus, host, clock, log, pod, offer: serving, onLeases }, signal);
  /** Watched once, even if the role restarts. */
  let predecessors: readonly ReturnType<typeof watchLegacyController>[] | undefined;
  const act = async (): Promise<void> => {
    // Kinds and namespaces together name objects that the other has been told to leave out.
    const isSplit = deps.kinds !== undefined && namespaces !== undefined;
    // The other controller manages all kinds of its realm, whichever of them are configured here.
    // mutant: kinds-alone-overtake => -> () => deps.kinds === undefined
    const isShared = ({ kinds }: ConfiguredAdapter): boolean => deps.kinds === undefined || kinds.some(isTaken);
    predecessors ??= adapters.flatMap((adapter) => {
      const { legacyController } = adapter;
      if (legacyController === undefined || isSplit || !isShared(adapter)) return [];
      return [watchLegacyController({ client, objects, clock, log, legacyController }, stop.signal)];
    });
    while (!stop.signal.aborted) {
      const term = new AbortController();
      const end = (): void => term.abort();
      // Heard from before the first is waited for: one may return while another is awaited.
      const unlisten = predecessors.map((legacyController) => legacyController.onReturn(end));
      stop.signal.addEventListener('abort', end);
      try {
        for (const legacyController of predecessors) await legacyController.gone(stop.signal);
        if (!term.signal.aborted && !stop.signal.aborted) await hold(term.signal);
      } finally {
        stop.signal.removeEventListener('abort', end);
        for (const stopListening of unlisten) stopListening();
      }
    }
  };
  const running = [
    ...(roles.has(Role.Watch)
      ? [
          play(() =>
            watchCluster(
              {
                bus,
                client,
                objects,
                registry: known,
                namespaces,
                here,
                clock,
                log,
                pod,
                offer: serving,
                onInterrupted: (resource) => deps.metrics?.onInterrupted(resource),
              },
              stop.signal,
            ),
          ),
        ]
      : []),
    ...(roles.has(Role.Actors) ? [play(() => act())] : []),
    ...offered.map(([adapter, here]) => play(() => offer(adapter, here))),
  ];
  let closing: Promise<void> | undefined;
  return {
    pod,
    kinds,
    countByState: () => host.countByState(),
    hostedObjects: () => host.hostedObjects(),
    load: () => ({ ...host.load, calls: callsOf(served) }),
    get rejectedMessages() {
      return host.rejectedMessages;
    },
    close() {
      closing ??= (async () => {
        stop.abort();
        await Promise.all(running);
        await recorder.close();
        stopConnectivity();
        await Promise.all(services.map((service) => service.close()));
        await Promise.all([...served.values()].map((each) => each.close()));
      })();
      return closing;
    },
  };
}

/** Calls by the realms of their counters. */
function callsOf(served: ReadonlyMap<ConfiguredAdapter, Pick<Served, 'load'>>): ReadonlyMap<string, CallLoad> {
  const calls = new Map<string, CallLoad>();
  for (const [{ realm }, each] of served) {
    const load = each.load?.();
    if (load !== undefined) calls.set(realm, load);
  }
  return calls;
}

/** Begins to serve the adapters whose roles are played here; all of them, or none. */
async function serveAdapters(
  { bus, client, clock, log, adapters, roles, metrics, namespaces, nodeName: node }: RuntimeDeps,
  objects: Objects,
  replicaCount: ReplicaCount,
): Promise<ReadonlyMap<ConfiguredAdapter, ServedHere & Omit<Served, 'operations'>>> {
  const calls = callTrace(bus.trace);
  const served = new Map<ConfiguredAdapter, ServedHere & Omit<Served, 'operations'>>();
  try {
    for (const adapter of adapters) {
      if (!roles.has(adapter.role)) continue;
      if (adapter.route !== undefined && node === undefined) {
        throw new TerminalError(
          `the role '${adapter.role}' is played for a node: name it with NODE_NAME, or leave the role out of --roles`,
        );
      }
      const { operations, close, load } = await adapter.serve({
        clock,
        log: log.child({ adapter: adapter.realm }),
        version: TROUPE_VERSION,
        node,
        apiServer: authorityOf(client.server),
        readSecret: (namespace, name) => objects.readSecret(namespace, name),
        ...(adapter.writesSecrets && { writeSecret: objects.writeSecret }),
        readObject: (resource, namespace, name) => objects.get(resource, namespace, name),
        listObjects: (resource) => listAll(objects, resource, namespaces),
        onCall(record) {
          calls.onCall(record);
          metrics?.onCall(record);
        },
        replicaCount,
      });
      served.set(adapter, {
        operations: calls.follow(adapter.realm, operations),
        node,
        close,
        ...(load !== undefined && { load }),
      });
      checkOperations(adapter, operations);
    }
  } catch (error) {
    await Promise.all([...served.values()].map((each) => each.close()));
    throw error;
  }
  return served;
}

/** `host:port` of a URL, the port said in any case; undefined: there is none. */
export function authorityOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  return `${hostname.replace(/^\[(.*)\]$/, '$1')}:${port || (protocol === 'http:' ? '80' : '443')}`;
}

/** Managed kinds; the objects of the others are only watched. @throws {TerminalError} a kind does not exist */
function takenBy(
  kinds: readonly DeclaredKind[],
  names: readonly string[] | undefined,
): (kind: Pick<Kind, 'kind' | 'plural'>) => boolean {
  const isNamed = ({ kind, plural }: Pick<Kind, 'kind' | 'plural'>, name: string): boolean =>
    [kind.toLowerCase(), plural].includes(name.toLowerCase());
  const unknown = names?.find((name) => !kinds.some((kind) => isNamed(kind, name)));
  if (unknown !== undefined) {
    const all = kinds.map(({ kind }) => kind).join(', ');
    throw new TerminalError(`there is no kind '${unknown}' to manage; there are ${all}`);
  }
  return (kind) => names?.some((name) => isNamed(kind, name)) ?? true;
}
