// A simulated Ironic, an API server with the kinds of the group, and a runtime between them that knows of firmware alone: hosts
// are what a test says that they are.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Role } from '../../../../actors/process/config.ts';
import { type Runtime, startRuntime } from '../../../../actors/process/runtime.ts';
import { openLog } from '../../../../actors/telling/log.ts';
import type { ConfiguredAdapter } from '../../../../adapters/adapter.ts';
import { definitions } from '../../../../adapters/ironic/api/definitions.ts';
import { GROUP } from '../../../../adapters/ironic/api/types.ts';
import type { IronicClient } from '../../../../adapters/ironic/client/client.ts';
import { newsOf } from '../../../../adapters/ironic/client/node-news.ts';
import type { NodePoller, NodeWatch } from '../../../../adapters/ironic/client/poller.ts';
import { firmwareSchema } from '../../../../adapters/ironic/kinds/firmware-schema.ts';
import { hostFirmwareComponents } from '../../../../adapters/ironic/kinds/host-firmware-components.ts';
import { hostFirmwareSettings } from '../../../../adapters/ironic/kinds/host-firmware-settings.ts';
import {
  firmwareComponentsOperations,
  firmwareSettingsOperations,
} from '../../../../adapters/ironic/operations/firmware.ts';
import { metal3Resource, REALM, ROLE } from '../../../../adapters/ironic/serving.ts';
import { startApiServer } from '../../../../adapters/kubernetes/embedded/mod.ts';
import { type KubeClient, kubeClient } from '../../../../adapters/kubernetes/mod.ts';
import { AbsentError, type JsonObject, memoryBroker, TransientError } from '../../../../bus/mod.ts';
import type { FollowedKind } from '../../../../machines/kind.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { asking, type Simulated, withSimulated } from '../operations/simulated.ts';

export const NAMESPACE = 'ns';
/** What failed once, as when nobody plays the role of Ironic yet, is tried again after half a minute. */
const DEADLINE_MS = 60_000;
const POLL_MS = 20;
const LEASE_MS = 1_500;

export interface World extends Simulated {
  /** What the runtime logged as errors. */
  readonly errors: readonly JsonObject[];
  /** How often the node was asked for its settings, or its components, by `read` of the kinds. */
  reads(): number;
  start(options?: { readonly isApart: boolean }): Promise<void>;
  stop(): Promise<void>;
  /** Whoever waits for a node looks at it now, as soon as somebody does. */
  look(): Promise<void>;
  /** A host whose status says so; ready unless told otherwise. */
  host(name: string, status: { readonly ID?: string; readonly state?: string }): Promise<void>;
  make(kind: 'hostfirmwaresettings' | 'hostfirmwarecomponents', name: string, spec: JsonObject): Promise<KubeObject>;
  merge(path: string, patch: JsonObject): Promise<KubeObject>;
  remove(path: string): Promise<void>;
  read(path: string): Promise<KubeObject | undefined>;
  list(plural: string): Promise<readonly KubeObject[]>;
  events(): Promise<readonly JsonObject[]>;
  until(path: string, what: string, isSo: (object: KubeObject) => boolean): Promise<KubeObject>;
  eventually(what: string, isSo: () => boolean | Promise<boolean>, instead?: () => string): Promise<void>;
}

export function pathOf(plural: string, name: string): string {
  return `/apis/${GROUP}/v1alpha1/namespaces/${NAMESPACE}/${plural}/${name}`;
}

/** As the life of a host tells of it. */
const host: FollowedKind = {
  ...metal3Resource('BareMetalHost', 'baremetalhosts'),
  standing({ status = {} }) {
    const { ID, state = '' } = (status['provisioning'] ?? {}) as { ID?: string; state?: string };
    const machine = state === 'registering' ? {} : { vendor: 'Loopback', model: 'Simulated' };
    const attributes = { state, operationalStatus: 'OK', ...machine };
    return { ready: ID !== '' && !['', 'unmanaged'].includes(state), id: ID || undefined, attributes };
  },
};

interface Poller extends Pick<NodePoller, 'watch'> {
  isAwaited(): boolean;
  look(): Promise<void>;
}

/** Looks when it is told to. */
function handPoller(client: IronicClient): Poller {
  const waiting = new Map<NodeWatch, (settle: Promise<never> | { readonly node: never }) => void>();
  return {
    watch: (request) =>
      new Promise((resolve, reject) => {
        const settle = (outcome: Promise<never> | { readonly node: never }): void => {
          waiting.delete(request);
          Promise.resolve(outcome).then(resolve, reject);
        };
        waiting.set(request, settle);
        request.signal.addEventListener('abort', () =>
          settle(Promise.reject(new TransientError('the watch was ended'))),
        );
      }),
    isAwaited: () => waiting.size > 0,
    async look() {
      for (const [{ uuid, known }, settle] of [...waiting]) {
        const node = await client.node(uuid, { ...asking(), deadlineAt: Date.now() + DEADLINE_MS });
        if (node === undefined) settle(Promise.reject(new AbsentError('Ironic does not know the node')));
        else if (known === undefined || newsOf(known, node).length > 0) settle({ node: node as never });
      }
    },
  };
}

export async function withWorld(run: (world: World) => Promise<void>): Promise<void> {
  await withSimulated(async (scene) => {
    const world = await open(scene);
    try {
      await run(world);
    } finally {
      await world.close();
    }
  });
}

async function open(scene: Simulated): Promise<World & { close(): Promise<void> }> {
  const { client: ironic, simulator, runtimeClock: clock } = scene;
  const folder = await mkdtemp(join(tmpdir(), 'troupe-firmware-'));
  const broker = memoryBroker({ clock, leaseMs: LEASE_MS });
  const api = await startApiServer({ clock });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  const client = kubeClient({ clock, kubeconfig });
  await install(client);
  const poller = handPoller(ironic);
  const errors: JsonObject[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().trim().split('\n')) {
        const said = JSON.parse(line) as JsonObject;
        if (Number(said['level']) >= 50) errors.push(said);
      }
      done();
    },
  });
  const kinds = [hostFirmwareSettings, hostFirmwareComponents];
  const adapter: ConfiguredAdapter = {
    realm: REALM,
    role: ROLE,
    contracts: [],
    followed: [host, firmwareSchema],
    makes: [{ owner: 'hostfirmwaresettings', owned: 'firmwareschemas' }],
    kinds,
    serve: async ({ readObject }) => ({
      operations: {
        hostfirmwaresettings: firmwareSettingsOperations({ ironic, poller, readObject }),
        hostfirmwarecomponents: firmwareComponentsOperations({ ironic, poller }),
      },
      close: async () => undefined,
    }),
  };
  let running: { readonly runtime: Runtime; close(): Promise<void> }[] = [];
  const begin = async (roles: readonly string[]) => {
    const bus = broker.connect({ clock });
    const runtime = await startRuntime({
      bus,
      client: kubeClient({ clock, kubeconfig }),
      clock,
      log: openLog({ level: 'info', readable: false, destination }),
      adapters: [adapter],
      roles: new Set(roles),
      callMs: 5_000,
      events: true,
      kinds: kinds.map(({ kind }) => kind),
    });
    return {
      runtime,
      async close() {
        await runtime.close();
        await bus.close();
      },
    };
  };
  const send = async (method: 'GET' | 'PATCH' | 'POST' | 'DELETE', path: string, body?: JsonObject) => {
    const merge = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
    return (await client.call({ method, path, ...(body !== undefined && { body }), ...merge })).body;
  };
  const listed = async (path: string): Promise<readonly JsonObject[]> => (await send('GET', path))['items'] as never;
  const world: World & { close(): Promise<void> } = {
    ...scene,
    errors,
    reads() {
      const calls = simulator.calls();
      return (calls['GET /nodes/{id}/bios'] ?? 0) + (calls['GET /nodes/{id}/firmware'] ?? 0);
    },
    async start({ isApart } = { isApart: false }) {
      const own = Object.values(Role);
      running = await Promise.all((isApart ? [own, [ROLE]] : [[...own, ROLE]]).map(begin));
    },
    async stop() {
      for (const each of running) await each.close();
      running = [];
    },
    async look() {
      await world.eventually('somebody waits', () => poller.isAwaited());
      await poller.look();
    },
    async host(name, { ID = scene.node, state = 'available' }) {
      const path = pathOf('baremetalhosts', name);
      if ((await world.read(path)) === undefined) {
        const bmc = { address: 'redfish://bmc.test', credentialsName: 'bmc' };
        await create('baremetalhosts', 'BareMetalHost', name, { online: true, bmc });
      }
      const status = {
        errorMessage: '',
        hardwareProfile: '',
        operationalStatus: 'OK',
        poweredOn: false,
        provisioning: { ID, state, image: { url: '' } },
      };
      await send('PATCH', `${path}/status`, { status });
    },
    make: (plural, name, spec) =>
      create(plural, plural === 'hostfirmwaresettings' ? 'HostFirmwareSettings' : 'HostFirmwareComponents', name, spec),
    merge: async (path, patch) => (await send('PATCH', path, patch)) as unknown as KubeObject,
    remove: async (path) => void (await send('DELETE', path)),
    async read(path) {
      try {
        return (await send('GET', path)) as unknown as KubeObject;
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    list: async (plural) => (await listed(pathOf(plural, '').slice(0, -1))) as unknown as readonly KubeObject[],
    events: () => listed(`/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`),
    async until(path, what, isSo) {
      let last: KubeObject | undefined;
      await world.eventually(
        `${path} is ${what}`,
        async () => {
          last = await world.read(path);
          return last !== undefined && isSo(last);
        },
        () => JSON.stringify(last),
      );
      return last as unknown as KubeObject;
    },
    async eventually(what, isSo, instead = () => '') {
      const until = clock.now() + DEADLINE_MS;
      while (!(await isSo())) {
        if (clock.now() > until) throw new Error(`not so after ${DEADLINE_MS} ms: ${what}; ${instead()}`);
        await clock.sleep(POLL_MS);
      }
    },
    async close() {
      await world.stop();
      await client.close();
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  const create = async (plural: string, kind: string, name: string, spec: JsonObject): Promise<KubeObject> => {
    const object = { apiVersion: `${GROUP}/v1alpha1`, kind, metadata: { name, namespace: NAMESPACE }, spec };
    return (await send('POST', pathOf(plural, '').slice(0, -1), object)) as unknown as KubeObject;
  };
  return world;
}

/** The kinds of the group, and the namespace. */
async function install(client: KubeClient): Promise<void> {
  for (const definition of definitions({ phase: 0 })) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await client.call({ method: 'POST', path, body: definition as unknown as JsonObject });
  }
  const metadata = { name: NAMESPACE };
  await client.call({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata },
  });
}
