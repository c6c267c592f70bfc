// The composition root: one process with the roles it was asked for.
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { type KubeClient, events as kubeEvents, objects as kubeObjects } from '../../adapters/kubernetes/mod.ts';
import {
  LATE_MS,
  openStackSessions,
  openstackFollowed,
  openstackKinds,
  REALM,
  type SessionsDeps,
  serverKind,
} from '../../adapters/openstack/mod.ts';
import {
  AbsentError,
  type Bus,
  type Clock,
  type Service,
  TerminalError,
  TransientError,
  toErrorData,
} from '../../bus/mod.ts';
import type { FollowedKind, KubeObject, ManagedKind } from '../../machines/kind.ts';
import { serveOperations, withRemoteOperations } from '../effects/operations-service.ts';
import { Host } from '../hosting/host.ts';
import { followPredecessor } from '../hosting/predecessor.ts';
import { holdShards } from '../hosting/shards.ts';
import { registry, resourceOf } from '../object/registry.ts';
import { callTrace } from '../telling/call-trace.ts';
import { EventRecorder } from '../telling/event-recorder.ts';
import type { Metrics } from '../telling/metrics.ts';
import { watchCluster } from '../watch/watcher.ts';
import { Role } from './config.ts';
import { TROUPE_VERSION } from './version.ts';

export interface RuntimeDeps {
  bus: Bus;
  client: KubeClient;
  clock: Clock;
  log: Logger;
  roles: ReadonlySet<Role>;
  /** Longest time a call to a cloud may take, in milliseconds. */
  callMs: number;
  defaultResyncMs: number;
  callsInFlight: number;
  /** Kinds to care for, CamelCase or plural; undefined: all, once nobody else cares for them. */
  kinds?: readonly string[] | undefined;
  /** Namespaces to care for; undefined: all. */
  namespaces?: readonly string[] | undefined;
  /** PEM of the CA of clouds whose secret has none. */
  defaultCa?: string | undefined;
  /** How clouds are reached; directly without it. */
  proxy?: SessionsDeps['proxy'] | undefined;
  /** Reaches clouds otherwise than by HTTP. */
  transport?: SessionsDeps['transport'] | undefined;
  /** What is counted, where anybody asks. */
  metrics?: Metrics | undefined;
  /** Whether users are told by Kubernetes Events what happened to their objects. */
  events: boolean;
  /** Name among the pods; made unique for each start. */
  podName?: string | undefined;
}

export interface Runtime {
  readonly pod: string;
  readonly kinds: readonly ManagedKind[];
  /** How many objects live here, by phase. */
  census(): ReadonlyMap<string, number>;
  /** Begins nothing new, waits a few seconds for what is under way, gives up all leases. Idempotent. */
  close(): Promise<void>;
}

/** Who reports events, for all pods. */
const REPORTER = 'troupe';
/** Pause before a role that ended begins anew, in milliseconds. */
const ROLE_PAUSE_MS = 1_000;

/**
 * Starts the roles; they come to work as the bus and the API server answer.
 *
 * @throws {TerminalError} a kind that is to be cared for is not known
 */
export async function startRuntime(deps: RuntimeDeps): Promise<Runtime> {
  const { bus, client, clock, log, roles, callMs, defaultResyncMs, callsInFlight, namespaces, defaultCa, proxy } = deps;
  const objects = kubeObjects({ client });
  const podName = deps.podName ?? hostname();
  const pod = `${podName}-${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
  const { metrics } = deps;
  const calls = callTrace(bus.trace);
  const sessions = openStackSessions({
    clock,
    version: TROUPE_VERSION,
    callsInFlight,
    onCall(record) {
      calls.onCall(record);
      metrics?.onCall(record);
    },
    readSecret: (namespace, name) => objects.readSecret(namespace, name),
    ...(defaultCa !== undefined && { defaultCa }),
    ...(proxy !== undefined && { proxy }),
    ...(deps.transport !== undefined && { transport: deps.transport }),
  });
  const servers = async (namespace: string): Promise<readonly KubeObject[]> => {
    try {
      return (await objects.list(resourceOf(serverKind), namespace)).items;
    } catch (error) {
      if (error instanceof AbsentError) return [];
      throw error;
    }
  };
  const local = calls.follow(openstackKinds({ sessions, clock, defaultResyncMs, servers }));
  const kinds = roles.has(Role.Openstack) ? local : withRemoteOperations(bus, local, LATE_MS);
  const { taken, left } = divided(kinds, deps.kinds);
  const known = registry(taken, [...left, ...openstackFollowed]);
  const stop = new AbortController();
  const recorder = new EventRecorder({
    clock,
    log,
    events: kubeEvents({ client, component: REPORTER, instance: podName }),
  });
  const tell = deps.events ? recorder.tell : () => undefined;
  const host = new Host({ bus, objects, registry: known, namespaces, clock, log, callMs, lateMs: LATE_MS, tell });
  const stopConnectivity = bus.onConnectivity(({ kind, detail }) =>
    log[kind === 'connected' ? 'info' : 'warn'](detail),
  );
  let service: Service | undefined;
  const serve = async (): Promise<void> => {
    service = await serveOperations(bus, REALM, local, TROUPE_VERSION);
  };
  /** A role that cannot begin, as the bus is away in this moment, begins later. */
  const play = async (role: () => Promise<void>): Promise<void> => {
    let trouble = '';
    while (!stop.signal.aborted) {
      try {
        return await role();
      } catch (error) {
        const { message } = toErrorData(error);
        if (!(error instanceof TransientError)) {
          log.error({ error: message, err: error }, 'a role ended; it begins anew');
        } else if (message !== trouble) {
          log.warn({ error: message }, 'a role cannot go on yet');
          trouble = message;
        }
        await clock.sleep(ROLE_PAUSE_MS, stop.signal);
      }
    }
  };
  const hold = (signal: AbortSignal): Promise<void> => holdShards({ bus, host, clock, log, pod }, signal);
  const act = async (): Promise<void> => {
    // Whoever names the kinds has seen to it that nobody else cares for them.
    if (deps.kinds !== undefined) return hold(stop.signal);
    const predecessor = followPredecessor({ client, objects, clock, log }, stop.signal);
    while (!stop.signal.aborted) {
      await predecessor.gone(stop.signal);
      if (stop.signal.aborted) return;
      const term = new AbortController();
      const end = (): void => term.abort();
      const unlisten = predecessor.onReturn(end);
      stop.signal.addEventListener('abort', end);
      await hold(term.signal);
      stop.signal.removeEventListener('abort', end);
      unlisten();
    }
  };
  const running = [
    ...(roles.has(Role.Watch)
      ? [play(() => watchCluster({ bus, client, objects, registry: known, namespaces, clock, log, pod }, stop.signal))]
      : []),
    ...(roles.has(Role.Actors) ? [play(() => act())] : []),
    ...(roles.has(Role.Openstack) ? [play(serve)] : []),
  ];
  let closing: Promise<void> | undefined;
  return {
    pod,
    kinds: local,
    census: () => host.census(),
    close() {
      closing ??= (async () => {
        stop.abort();
        await Promise.all(running);
        await recorder.close();
        stopConnectivity();
        await service?.close();
        await sessions.close();
      })();
      return closing;
    },
  };
}

/** The kinds that are cared for, and those whose objects are only followed. */
function divided(
  kinds: readonly ManagedKind[],
  names: readonly string[] | undefined,
): { readonly taken: readonly ManagedKind[]; readonly left: readonly FollowedKind[] } {
  const isNamed = ({ kind, plural }: ManagedKind, name: string): boolean =>
    [kind.toLowerCase(), plural].includes(name.toLowerCase());
  const unknown = names?.find((name) => !kinds.some((kind) => isNamed(kind, name)));
  if (unknown !== undefined) {
    const all = kinds.map(({ kind }) => kind).join(', ');
    throw new TerminalError(`there is no kind '${unknown}' to care for; there are ${all}`);
  }
  const isTaken = (kind: ManagedKind): boolean => names?.some((name) => isNamed(kind, name)) ?? true;
  return { taken: kinds.filter(isTaken), left: kinds.filter((kind) => !isTaken(kind)) };
}
