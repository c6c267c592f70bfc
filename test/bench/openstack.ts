// OpenStack: so many servers, each with a port, a volume that is attached to it, and a floating IP, applied at once on a network
// that is there; then all deleted at once. On a cloud that takes its time with each of them, simulated or real.
import { createHash } from 'node:crypto';
import { systemClock } from '../../actors/base/clock.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { IMAGE_CONTENT } from '../actors/every-kind.ts';
import { startFileHost } from '../adapters/openstack/file-host.ts';
import { available, type ChainOptions, gone, until } from './chain.ts';
import { directServers } from './direct-servers.ts';
import { type Report, spread, sum } from './figures.ts';
import { CREDENTIALS, type Item, Landscape, pluralOf } from './landscape.ts';
import type { ActorsCounts } from './parts/actors.ts';
import { referenceCalls } from './reference.ts';
import { grown, Stage } from './stage.ts';

/** How long the simulated cloud builds a server, and a volume; and removes one, in milliseconds. */
const WORK = { serverWorkMs: 5_000, volumeWorkMs: 2_000 };
/** Of one server, one after the other: its port is made, it is made, read when it is built, given its volume, and read again. */
const CALLS_IN_A_ROW = 7;
/** Of one server that goes: the floating IP, the server, a look that it is gone, and the port. */
const REMOVALS_IN_A_ROW = 4;
/** Kinds of a server and what it is given, dependents first. */
const PLURALS = ['servers', 'floatingips', 'ports', 'volumes'];

export interface OpenStackOptions extends ChainOptions {
  /** On the cluster of `KUBECONFIG` and the cloud of `OS_CLIENT_CONFIG_FILE`. */
  readonly isReal: boolean;
}

export async function openstack(options: OpenStackOptions): Promise<Report> {
  const { count, isReal, onProgress } = options;
  const real = isReal ? realOnes() : undefined;
  onProgress('the requests alone');
  const direct = real && (await directServers({ clock: systemClock(), cloudsFile: real.cloudsFile, count }));
  const stage = await Stage.open({ ...options, work: WORK, ...(real && { real }) });
  const host = await startFileHost();
  try {
    await stage.startActors();
    const landscape = new Landscape(stage, 'bench-openstack');
    await landscape.open();
    const ground = groundOf(landscape.namespace, host.file('/image', IMAGE_CONTENT));
    await landscape.apply(ground);
    await until(stage, async ({ countByState }) => {
      const done = countByState['idle.available'] ?? 0;
      return done >= ground.length ? 'done' : done;
    });
    const { figures, profile } = await burst(stage, landscape, { ...options, ground: ground.length });
    await landscape.remove(ground);
    await gone(stage, landscape, onProgress, [...new Set(ground.map(({ plural }) => plural))]);
    await landscape.close();
    const reference = isReal ? {} : spread('reference.calls', referenceCalls(WORK));
    const compared = direct === undefined ? pathOf(options, figures) : comparedWith(direct, figures);
    return { profile, figures: { servers: count, ...compared, ...figures, ...reference } };
  } finally {
    await host.close();
    await stage.close();
  }
}

function realOnes(): { readonly kubeconfig: string; readonly cloudsFile: string } {
  const { KUBECONFIG: kubeconfig, OS_CLIENT_CONFIG_FILE: cloudsFile } = process.env;
  if (kubeconfig !== undefined && cloudsFile !== undefined) return { kubeconfig, cloudsFile };
  throw new Error('KUBECONFIG and OS_CLIENT_CONFIG_FILE must name a kubeconfig and a clouds.yaml that may be used');
}

/** All up at once, then all down at once. */
async function burst(
  stage: Stage,
  landscape: Landscape,
  { count, profile, onProgress, ground }: OpenStackOptions & { readonly ground: number },
): Promise<Pick<Report, 'figures' | 'profile'>> {
  const { clock } = stage;
  const items = serversOf(landscape.namespace, count);
  await stage.reset();
  if (profile) await stage.actors.ask('profile');
  const cpuBefore = await stage.cpu();
  const upAt = clock.now();
  await landscape.apply(items);
  const applyMs = clock.now() - upAt;
  // At rest, and not only Available: a server is that before it has its volume.
  await until(stage, async ({ countByState }) => {
    const settled = (countByState['idle.available'] ?? 0) - ground;
    onProgress(`${settled} of ${items.length} settled`);
    return settled >= items.length ? 'done' : settled;
  });
  const up = await available(stage, landscape, items.length, onProgress, PLURALS);
  const cpuUp = grown(cpuBefore, await stage.cpu());
  const profiled = profile ? await stage.actors.ask('profiled') : undefined;

  await stage.quiet();
  await stage.reset();
  const cpuThen = await stage.cpu();
  const downAt = clock.now();
  await landscape.remove(items);
  const down = await gone(stage, landscape, onProgress, PLURALS);
  const cpuDown = grown(cpuThen, await stage.cpu());
  return {
    profile: profiled,
    figures: {
      'up.ms': up.lastWriteAt - upAt,
      'up.applyMs': applyMs,
      ...counted('up', up, { count, objects: items.length, cpuMs: cpuUp }),
      'down.ms': down.lastWriteAt - downAt,
      ...counted('down', down, { count, objects: items.length, cpuMs: cpuDown }),
    },
  };
}

function counted(
  name: string,
  { calls, phases, writes, writesOf, messages }: ActorsCounts,
  of: { readonly count: number; readonly objects: number; readonly cpuMs: Readonly<Record<string, number>> },
): Report['figures'] {
  return {
    [`${name}.callsPerObject`]: sum(calls) / of.objects,
    // There is one of each kind to a server.
    ...spread(`${name}.calls`, phases, of.count),
    [`${name}.writesPerObject`]: (sum(writes) - (writes['DELETE'] ?? 0)) / of.objects,
    ...spread(`${name}.writes`, writesOf, of.count),
    [`${name}.messagesPerObject`]: sum(messages) / of.objects,
    ...spread(`${name}.cpuMsPerObject`, of.cpuMs, of.objects),
  };
}

/** What no controller could go below on the simulated cloud: calls that wait for each other, and calls that wait for their turn. */
function pathOf({ count, latencyMs, inFlight }: OpenStackOptions, figures: Report['figures']): Report['figures'] {
  // Ports and servers are made before the last server can be built; everything else finds its time meanwhile.
  const turns = (2 * count * latencyMs) / inFlight;
  const upMs = turns + CALLS_IN_A_ROW * latencyMs + WORK.serverWorkMs;
  const downMs = turns + REMOVALS_IN_A_ROW * latencyMs + WORK.serverWorkMs + WORK.volumeWorkMs;
  return {
    'up.pathMs': upMs,
    'up.ratio': (figures['up.ms'] ?? Number.NaN) / upMs,
    'down.pathMs': downMs,
    'down.ratio': (figures['down.ms'] ?? Number.NaN) / downMs,
  };
}

function comparedWith(
  direct: { readonly upMs: number; readonly downMs: number },
  figures: Report['figures'],
): Report['figures'] {
  return {
    'up.directMs': direct.upMs,
    'up.directRatio': (figures['up.ms'] ?? Number.NaN) / direct.upMs,
    'down.directMs': direct.downMs,
    'down.directRatio': (figures['down.ms'] ?? Number.NaN) / direct.downMs,
  };
}

function item(kind: string, name: string, resource: JsonObject, more: JsonObject = {}): Item {
  const spec = kind === 'RouterInterface' ? resource : { cloudCredentialsRef: CREDENTIALS, resource, ...more };
  const body = { apiVersion: 'openstack.k-orc.cloud/v1alpha1', kind, metadata: { name }, spec };
  return { plural: pluralOf(kind), name, body };
}

/** What all servers stand on. */
function groundOf(prefix: string, url: string): readonly Item[] {
  const name = (suffix: string): string => `${prefix}-${suffix}`;
  const hash = { algorithm: 'sha256', value: createHash('sha256').update(IMAGE_CONTENT).digest('hex') };
  const range = { ipVersion: 4, enableDHCP: false };
  return [
    item('RouterInterface', name('plug'), { type: 'Subnet', routerRef: name('router'), subnetRef: name('sub') }),
    item('Router', name('router'), { externalGateways: [{ networkRef: name('out') }] }),
    item('Subnet', name('sub'), { ...range, networkRef: name('net'), cidr: '10.0.0.0/20' }),
    item('Subnet', name('out-sub'), { ...range, networkRef: name('out'), cidr: '172.20.0.0/20' }),
    item('Network', name('net'), {}),
    item('Network', name('out'), { external: true }),
    item('Image', name('image'), { content: { diskFormat: 'raw', download: { url, hash } } }),
    item('Flavor', name('size'), { ram: 64, vcpus: 1, disk: 1 }),
  ];
}

/** Dependents first. */
function serversOf(prefix: string, count: number): readonly Item[] {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const of = { imageRef: `${prefix}-image`, flavorRef: `${prefix}-size` };
  return [
    ...names.map((name) => item('FloatingIP', name, { floatingSubnetRef: `${prefix}-out-sub`, portRef: name })),
    ...names.map((name) => {
      const uses = { ports: [{ portRef: name }], volumes: [{ volumeRef: name }] };
      return item('Server', name, { ...of, ...uses });
    }),
    ...names.map((name) => {
      return item('Port', name, { networkRef: `${prefix}-net`, addresses: [{ subnetRef: `${prefix}-sub` }] });
    }),
    ...names.map((name) => item('Volume', name, { size: 1 })),
  ];
}
