// Actors of modeled objects, an API server, and a store of the gateway before it.
import { systemClock } from '../../../../actors/base/clock.ts';
import { openLog } from '../../../../actors/base/log.ts';
import { installCrds } from '../../../../actors/cli/crds.ts';
import { configure } from '../../../../actors/process/adapters.ts';
import { type Runtime, startRuntime } from '../../../../actors/process/runtime.ts';
import { delegatedObjects, type KubeClient } from '../../../../adapters/kubernetes/mod.ts';
import { modelAdapter } from '../../../../adapters/ocm/adapter.ts';
import type { Binding } from '../../../../adapters/ocm/kinds/bindings.ts';
import { bindKinds, type ModelKind } from '../../../../adapters/ocm/kinds/kinds.ts';
import { type KubernetesStore, kubernetesStore } from '../../../../adapters/ocm/kubernetes-store/store.ts';
import type { Model } from '../../../../adapters/ocm/model/mod.ts';
import { type Clock, type JsonObject, memoryBroker, type ReceivedEvent } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { openApiServer } from '../../../world/api-server.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { Wire } from '../../../world/wire.ts';
import { written } from '../../../world/written.ts';

/** An API server, as a world finds it. */
export interface Ground {
  readonly clock: Clock;
  /** Closed by whoever asks for it. */
  client(): KubeClient;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly model: Model;
  readonly bindings: readonly Binding[];
  readonly writesAs?: 'caller' | 'self';
  /** Whether actors are there; they are unless stated. */
  readonly hasActors?: boolean;
  /** Whether the actors are those of all namespaces. */
  readonly isForAll?: boolean;
}

export interface ModelWorld {
  readonly clock: Clock;
  readonly client: KubeClient;
  readonly namespace: string;
  readonly store: KubernetesStore;
  readonly kinds: readonly ModelKind[];
  readonly runtime: Runtime | undefined;
  /** Events of the actors so far. */
  readonly events: readonly ReceivedEvent[];
  /** What the runtime logged as errors. */
  readonly errors: readonly JsonObject[];
  path(kind: string, name?: string): string;
  create(kind: string, name: string, spec?: JsonObject): Promise<KubeObject>;
  read(kind: string, name: string): Promise<KubeObject | undefined>;
  /** Waits until an object, or its absence, is as wanted. */
  until(kind: string, name: string, isWanted: (object: KubeObject | undefined) => boolean): Promise<KubeObject>;
  close(): Promise<void>;
}

const DEADLINE_MS = 60_000;
const PAUSE_MS = 50;

export async function embeddedGround(): Promise<Ground> {
  const clock = simulatedClock();
  const server = await openApiServer({ clock, wire: new Wire() });
  return { clock, client: server.client, close: () => server.close().finally(() => clock.stop()) };
}

/** The same by the clock of the system: for what is asked from outside. */
export async function embeddedInRealTime(): Promise<Ground> {
  const clock = systemClock();
  const server = await openApiServer({ clock, wire: new Wire() });
  return { clock, client: server.client, close: server.close };
}

export async function openModelWorld(ground: Ground, options: WorldOptions): Promise<ModelWorld> {
  const { model, bindings, writesAs = 'self', hasActors = true, isForAll = false } = options;
  const { clock } = ground;
  const { kinds, problems } = bindKinds(model, bindings);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const [client, own] = [ground.client(), ground.client()];
  const adapter = modelAdapter(kinds);
  await installCrds(client, clock, () => undefined, adapter.contracts);
  const namespace = await newNamespace(client, clock);
  const broker = memoryBroker({ clock, leaseMs: 1_500 });
  const bus = broker.connect();
  const events: ReceivedEvent[] = [];
  const listening = await bus.trace.subscribe((event) => events.push(event));
  const errors: JsonObject[] = [];
  const destination = written((text) => {
    for (const line of text.trim().split('\n')) {
      const said = JSON.parse(line) as JsonObject;
      if (Number(said['level']) >= 50) errors.push(said);
    }
  });
  const runtime = hasActors
    ? await startRuntime({
        bus,
        client: own,
        clock,
        log: openLog({ level: 'info', readable: false, destination }),
        adapters: [configure(adapter, {})],
        roles: new Set(['watch', 'actors', adapter.role]),
        callMs: 1_000,
        events: true,
        namespaces: isForAll ? undefined : [namespace],
      })
    : undefined;
  const objects = delegatedObjects({ client, clock, manager: 'troupe-gateway' });
  const store = kubernetesStore({ objects, clock, namespace, writesAs, onRefused: () => undefined }, kinds);
  const of = (kind: string): ModelKind => {
    const found = kinds.find((each) => each.kind === kind);
    if (found === undefined) throw new Error(`no kind '${kind}'`);
    return found;
  };
  const path = (kind: string, name?: string): string => {
    const { group, version, plural } = of(kind);
    return `/apis/${group}/${version}/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
  };
  const read = async (kind: string, name: string): Promise<KubeObject | undefined> => {
    const query = `?fieldSelector=metadata.name%3D${name}`;
    const { body } = await client.call({ method: 'GET', path: `${path(kind)}${query}` });
    return (body['items'] as unknown as readonly KubeObject[])[0];
  };
  return {
    clock,
    client,
    namespace,
    store,
    kinds,
    runtime,
    events,
    errors,
    path,
    read,
    async create(kind, name, spec = {}) {
      const { group, version } = of(kind);
      const body = { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec };
      return (await client.call({ method: 'POST', path: path(kind), body })).body as unknown as KubeObject;
    },
    async until(kind, name, isWanted) {
      const end = clock.now() + DEADLINE_MS;
      for (;;) {
        const object = await read(kind, name);
        if (isWanted(object)) return object as KubeObject;
        if (clock.now() > end) throw new Error(`${kind}/${name} is not as wanted: ${JSON.stringify(object)}`);
        await clock.sleep(PAUSE_MS);
      }
    },
    async close() {
      await store.close();
      await runtime?.close();
      await listening.close();
      await bus.close();
      await client.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
      await client.close();
      await own.close();
      await ground.close();
    },
  };
}

export async function newNamespace(client: KubeClient, clock: Clock): Promise<string> {
  const namespace = `models-${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await client.call({ method: 'POST', path: '/api/v1/namespaces', body });
  return namespace;
}
