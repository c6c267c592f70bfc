// What a cloud needs for the requests of `openstack` and nothing else: each resource made and deleted by a client that knows the
// order beforehand, so many servers at a time. The part of the time of `openstack --real` that no controller can save.
import { readFileSync } from 'node:fs';
import { openStackSessions } from '../../adapters/openstack/mod.ts';
import type { Clock, JsonObject } from '../../bus/mod.ts';
import { serviceOf } from '../adapters/openstack/service-paths.ts';
import type { Direct } from './direct.ts';
import { CREDENTIALS } from './landscape.ts';
import { CLIENTS } from './real.ts';

const LIMIT_MS = 120_000;
/** Between two looks at what is built or removed, in milliseconds: one list for all, as the actors make it. */
const LOOK_MS = 1_000;

type Body = Readonly<Record<string, JsonObject | string | number | boolean | readonly JsonObject[]>>;

class DirectCloud {
  readonly #clock: Clock;
  readonly #sessions: ReturnType<typeof openStackSessions>;

  constructor(clock: Clock, cloudsFile: string) {
    this.#clock = clock;
    const data = { 'clouds.yaml': readFileSync(cloudsFile).toString('base64') };
    const readSecret = async () => ({ uid: 'uid', resourceVersion: '1', data });
    this.#sessions = openStackSessions({ clock, version: '0.0.0', callsInFlight: CLIENTS, readSecret });
  }

  async call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: JsonObject): Promise<JsonObject> {
    const deadlineAt = this.#clock.now() + LIMIT_MS;
    const session = await this.#sessions.open('bench', CREDENTIALS, '1', deadlineAt);
    const call = {
      service: serviceOf(path),
      method,
      path,
      deadlineAt,
      traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`,
    };
    return (await session.call(body === undefined ? call : { ...call, body })).body;
  }

  /** @returns its path */
  async make(path: string, member: string, attributes: Body): Promise<string> {
    const answer = await this.call('POST', path, { [member]: attributes as JsonObject });
    return `${path}/${String((answer[member] as JsonObject)['id'])}`;
  }

  /** Looks until everything named has the state; undefined: until it is gone. */
  async until(collection: 'servers' | 'volumes', paths: readonly string[], state?: string): Promise<void> {
    const limitAt = this.#clock.now() + LIMIT_MS;
    for (;;) {
      const { [collection]: items } = await this.call('GET', `/${collection}/detail`);
      const states = new Map((items as readonly JsonObject[]).map(({ id, status }) => [idIn(String(id)), status]));
      if (paths.every((path) => states.get(idIn(path)) === state)) return;
      if (this.#clock.now() > limitAt)
        throw new Error(`${collection} are not ${state ?? 'gone'}: ${[...states.values()]}`);
      await this.#clock.sleep(LOOK_MS);
    }
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }
}

interface One {
  readonly name: string;
  port?: string;
  volume?: string;
  server?: string;
  floating?: string;
}

export async function directServers(options: {
  readonly clock: Clock;
  readonly cloudsFile: string;
  readonly count: number;
}): Promise<Direct> {
  const { clock, count } = options;
  const cloud = new DirectCloud(clock, options.cloudsFile);
  const ones: readonly One[] = Array.from({ length: count }, (_, index) => ({ name: `direct-${index}` }));
  const ground: string[] = [];
  const timed = async (run: () => Promise<void>): Promise<number> => {
    const startedAt = clock.now();
    await run();
    return clock.now() - startedAt;
  };
  const down = async (): Promise<void> => {
    const gone = async (field: 'floating' | 'server' | 'port' | 'volume'): Promise<readonly string[]> => {
      const paths = ones.flatMap(({ [field]: path }) => path ?? []);
      await each(paths, (path) => cloud.call('DELETE', path));
      for (const one of ones) delete one[field];
      return paths;
    };
    const [servers] = await Promise.all([gone('server'), gone('floating')]);
    await cloud.until('servers', servers);
    const volumes = ones.flatMap(({ volume }) => volume ?? []);
    await cloud.until('volumes', volumes, volumes.length === 0 ? undefined : 'available');
    await Promise.all([gone('port'), gone('volume')]);
    await cloud.until('volumes', volumes);
  };
  try {
    const { networkId, subnetId, outsideId, flavorId, imageId } = await stand(cloud, ground);
    const upMs = await timed(async () => {
      await each(ones, async (one) => {
        const { name } = one;
        one.volume = await cloud.make('/volumes', 'volume', { name, size: 1 });
        const fixed_ips = [{ subnet_id: subnetId }];
        one.port = await cloud.make('/ports', 'port', { name, network_id: networkId, fixed_ips });
        const networks = [{ port: idIn(one.port) }];
        const attributes = { name, flavorRef: flavorId, imageRef: imageId, networks };
        one.server = await cloud.make('/servers', 'server', attributes);
        const floating = { floating_network_id: outsideId, port_id: idIn(one.port) };
        one.floating = await cloud.make('/floatingips', 'floatingip', floating);
      });
      await cloud.until(
        'servers',
        ones.flatMap(({ server }) => server ?? []),
        'ACTIVE',
      );
      await cloud.until(
        'volumes',
        ones.flatMap(({ volume }) => volume ?? []),
        'available',
      );
      await each(ones, async ({ server = '', volume = '' }) => {
        const volumeAttachment = { volumeId: idIn(volume) };
        await cloud.call('POST', `${server}/os-volume_attachments`, { volumeAttachment });
      });
      await cloud.until(
        'volumes',
        ones.flatMap(({ volume }) => volume ?? []),
        'in-use',
      );
    });
    return { upMs, downMs: await timed(down) };
  } finally {
    await down();
    for (const path of ground.reverse()) {
      const [, unplug] = /^unplug (.*)$/.exec(path) ?? [];
      const [router = '', subnet = ''] = unplug?.split(' ') ?? [];
      if (unplug === undefined) await cloud.call('DELETE', path);
      else await cloud.call('PUT', `${router}/remove_router_interface`, { subnet_id: idIn(subnet) });
    }
    await cloud.close();
  }
}

interface Ground {
  readonly networkId: string;
  readonly subnetId: string;
  readonly outsideId: string;
  readonly flavorId: string;
  readonly imageId: string;
}

/** What all servers stand on; `ground` takes the paths of it, and what has to be unplugged. */
async function stand(cloud: DirectCloud, ground: string[]): Promise<Ground> {
  const make = async (...of: Parameters<DirectCloud['make']>): Promise<string> => {
    const path = await cloud.make(...of);
    ground.push(path);
    return path;
  };
  const range = { ip_version: 4, enable_dhcp: false };
  const net = await make('/networks', 'network', { name: 'direct' });
  const sub = await make('/subnets', 'subnet', { ...range, network_id: idIn(net), cidr: '10.0.0.0/20' });
  const out = await make('/networks', 'network', { name: 'direct-out', 'router:external': true });
  await make('/subnets', 'subnet', { ...range, network_id: idIn(out), cidr: '172.21.0.0/20' });
  const gateway = { external_gateway_info: { network_id: idIn(out) } };
  const router = await make('/routers', 'router', { name: 'direct', ...gateway });
  await cloud.call('PUT', `${router}/add_router_interface`, { subnet_id: idIn(sub) });
  ground.push(`unplug ${router} ${sub}`);
  const flavor = await make('/flavors', 'flavor', { name: `direct-${idIn(net)}`, ram: 64, vcpus: 1, disk: 1 });
  const { images } = await cloud.call('GET', '/images');
  const image = (images as readonly JsonObject[]).find(({ status }) => status === 'active');
  const ids = { networkId: idIn(net), subnetId: idIn(sub), outsideId: idIn(out), flavorId: idIn(flavor) };
  return { ...ids, imageId: String(image?.['id']) };
}

function idIn(path: string): string {
  return path.split('/').at(-1) ?? '';
}

/** As many at a time as the actors make calls. */
async function each<Value>(items: readonly Value[], run: (item: Value) => Promise<unknown>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const item of left) await run(item);
    }),
  );
}
