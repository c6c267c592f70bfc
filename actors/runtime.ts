// The composition root: one process with the roles it was asked for.
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { type KubeClient, objects as kubeObjects } from '../adapters/kubernetes/mod.ts';
import {
  openStackSessions,
  openstackFollowed,
  openstackKinds,
  REALM,
  type SessionsDeps,
  serverKind,
} from '../adapters/openstack/mod.ts';
import { AbsentError, type Bus, type Clock, toErrorData } from '../bus/mod.ts';
import type { KubeObject, ManagedKind } from '../machines/kind.ts';
import { callTrace } from './call-trace.ts';
import { Role } from './config.ts';
import { Host } from './host.ts';
import { serveOperations, withRemoteOperations } from './operations-service.ts';
import { registry, resourceOf } from './registry.ts';
import { holdShards } from './shards.ts';
import { TROUPE_VERSION } from './version.ts';
import { watchCluster } from './watcher.ts';

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
  /** PEM of the CA of clouds whose secret has none. */
  defaultCa?: string | undefined;
  /** How clouds are reached; directly without it. */
  proxy?: SessionsDeps['proxy'] | undefined;
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

/** Pause before a role that ended begins anew, in milliseconds. */
const ROLE_PAUSE_MS = 1_000;

/** Starts the roles; they come to work as the bus and the API server answer. @throws {TransientError} the bus is away */
export async function startRuntime(deps: RuntimeDeps): Promise<Runtime> {
  const { bus, client, clock, log, roles, callMs, defaultResyncMs, callsInFlight, defaultCa, proxy } = deps;
  const objects = kubeObjects({ client });
  const pod = `${deps.podName ?? hostname()}-${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
  const calls = callTrace(bus.trace);
  const sessions = openStackSessions({
    clock,
    version: TROUPE_VERSION,
    callsInFlight,
    onCall: calls.onCall,
    readSecret: (namespace, name) => objects.readSecret(namespace, name),
    ...(defaultCa !== undefined && { defaultCa }),
    ...(proxy !== undefined && { proxy }),
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
  const kinds = roles.has(Role.Openstack) ? local : withRemoteOperations(bus, local);
  const known = registry(kinds, openstackFollowed);
  const stop = new AbortController();
  const host = new Host({ bus, objects, registry: known, clock, log, callMs });
  const stopConnectivity = bus.onConnectivity(({ kind, detail }) =>
    log[kind === 'connected' ? 'info' : 'warn'](detail),
  );
  const service = roles.has(Role.Openstack) ? await serveOperations(bus, REALM, local, TROUPE_VERSION) : undefined;
  /** A role that cannot begin, as the bus is away in this moment, begins later. */
  const play = async (role: () => Promise<void>): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        return await role();
      } catch (error) {
        log.error({ error: toErrorData(error).message, err: error }, 'a role ended; it begins anew');
        await clock.sleep(ROLE_PAUSE_MS, stop.signal);
      }
    }
  };
  const running = [
    ...(roles.has(Role.Watch)
      ? [play(() => watchCluster({ bus, client, objects, registry: known, clock, log, pod }, stop.signal))]
      : []),
    ...(roles.has(Role.Actors) ? [play(() => holdShards({ bus, host, clock, log, pod }, stop.signal))] : []),
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
        stopConnectivity();
        await service?.close();
        await sessions.close();
      })();
      return closing;
    },
  };
}
