// Hosts on a real Ironic, each with a machine of its own, as the suites lead them.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import type { LeftImage } from '../../adapters/ironic/left-behind.ts';
import type { OrderBook } from '../../adapters/ironic/order-book.ts';
import type { Wish } from '../../adapters/ironic/orders.ts';
import { type HostWorld, NAMESPACE, type openHostWorld, type Raw } from '../../world/hosts.ts';
import { DEADLINE_MS, eventually, type Fleet, type Lent } from './fleet.ts';
import { request } from './request.ts';

export const env = (name: string): string => process.env[name] ?? '';
export const image = (): LeftImage => ({
  url: env('IMAGE_URL'),
  checksum: env('IMAGE_SHA256'),
  checksumType: 'sha256',
  format: 'raw',
});

/** What costs Ironic and its machines least. */
export const QUICK = { inspectionMode: 'disabled', automatedCleaningMode: 'disabled' };

export interface Scene {
  readonly stage: HostWorld;
  readonly fleet: Fleet;
  readonly orders: OrderBook;
}

/** A host and its machine. */
export interface Kept {
  readonly stage: HostWorld;
  readonly name: string;
  readonly path: string;
  readonly lent: Lent;
  /** Name of its Secret. */
  readonly secret: string;
  /** What follows from `spec` and `annotate` is wished there. */
  wish(...wishes: readonly Wish[]): void;
  until(state: string): Promise<Raw>;
  is(what: string, isSo: (status: Status, host: Raw) => boolean): Promise<Raw>;
  spec(spec: JsonObject): Promise<Raw>;
  annotate(annotations: Readonly<Record<string, string | null>>): Promise<Raw>;
  /** It is deleted, and Ironic does not know it any more. */
  end(): Promise<void>;
}

export interface Status {
  readonly provisioning?: { readonly state?: string; readonly ID?: string };
  readonly operationalStatus?: string;
  readonly errorType?: string;
  readonly errorMessage?: string;
  readonly errorCount?: number;
  readonly poweredOn?: boolean;
  readonly hardware?: { readonly hostname?: string };
}

export const statusOf = ({ status }: Raw): Status => (status ?? {}) as Status;
export const stateOf = (host: Raw): string => statusOf(host).provisioning?.state ?? '';

export async function nodeOf(id: string): Promise<JsonObject | undefined> {
  const answer = await askIronic('GET', `/v1/nodes/${encodeURIComponent(id)}`);
  return answer.status === 404 ? undefined : ((await answer.json()) as JsonObject);
}

export async function askIronic(method: string, path: string, body?: JsonObject): Promise<Response> {
  const [username, password] = [env('IRONIC_USERNAME'), env('IRONIC_PASSWORD')];
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return request(env('IRONIC_URL') + path, method, body, {
    Accept: 'application/json',
    'X-OpenStack-Ironic-API-Version': '1.95',
    ...(username !== '' && { authorization }),
  });
}

/** Without a word to Troupe. */
export async function takeNodeAway(id: string): Promise<void> {
  await eventually(`node ${id} is taken away`, async () => {
    await (await askIronic('PUT', `/v1/nodes/${id}/maintenance`, { reason: 'lost' })).arrayBuffer();
    await (await askIronic('DELETE', `/v1/nodes/${id}`)).arrayBuffer();
    return (await nodeOf(id)) === undefined;
  });
}

/** What a story that failed has left there would be in the way of whoever has its machine next. Nobody looks after it any more. */
export async function leaveNothing(): Promise<void> {
  const { nodes } = (await (await askIronic('GET', '/v1/nodes?fields=uuid,name')).json()) as {
    readonly nodes: readonly { readonly uuid: string; readonly name: string | null }[];
  };
  const ours = nodes.filter(({ name }) => name?.startsWith(`${NAMESPACE}~`));
  await Promise.all(ours.map(({ uuid }) => takeNodeAway(uuid)));
}

export async function withMachine(
  scene: Scene,
  name: string,
  spec: JsonObject,
  story: (kept: Kept) => Promise<void>,
  given: { readonly before?: (lent: Lent) => Promise<void>; readonly password?: string } = {},
): Promise<void> {
  const lent = await scene.fleet.lend();
  try {
    await given.before?.(lent);
    await story(await keep(scene, lent, name, spec, given.password));
  } finally {
    await lent.giveBack();
  }
}

/** What is wished of it is written down before it is. */
export async function keep(
  { stage, orders }: Pick<Scene, 'stage' | 'orders'>,
  lent: Lent,
  name: string,
  spec: JsonObject,
  password?: string,
): Promise<Kept> {
  const kept = keptHost({ stage, orders }, lent, name, spec);
  const { secret, path, wish } = kept;
  const stringData = { username: lent.door.username, password: password ?? lent.door.password };
  await stage.create(`secrets/${secret}`, { type: 'Opaque', stringData });
  const bmc = { address: lent.address, credentialsName: secret };
  const isSomeoneElses = spec['externallyProvisioned'] === true;
  if (!isSomeoneElses && spec['inspectionMode'] !== 'disabled') wish('inspection');
  if (!isSomeoneElses && spec['image'] !== undefined) wish('deployment');
  await stage.create(path, { spec: { online: true, bootMACAddress: lent.mac, bmc, ...spec } });
  return kept;
}

/** One that is there already. */
export function keptHost(
  { stage, orders }: Pick<Scene, 'stage' | 'orders'>,
  lent: Lent,
  name: string,
  { externallyProvisioned }: JsonObject = {},
): Kept {
  const wish = (...wishes: readonly Wish[]): void => {
    for (const each of wishes) orders.wished(`${NAMESPACE}~${name}`, each);
  };
  const path = `baremetalhosts/${name}`;
  const secret = `${name}-bmc`;
  const is: Kept['is'] = (what, isSo) => stage.until(path, what, (host) => isSo(statusOf(host), host));
  return {
    stage,
    name,
    path,
    lent,
    secret,
    is,
    until: (state) => is(state, (_, host) => stateOf(host) === state),
    wish,
    spec(changes) {
      const { image: wanted } = changes;
      if (wanted !== undefined) wish('wiping');
      if (wanted !== undefined && wanted !== null) wish('deployment');
      return stage.merge(path, { spec: changes });
    },
    annotate(annotations) {
      if (typeof annotations['inspect.metal3.io'] === 'string') wish('inspection');
      if (typeof annotations['baremetalhost.metal3.io/detached'] === 'string') wish('removal');
      return stage.merge(path, { metadata: { annotations } });
    },
    async end() {
      const isLetGo = statusOf((await stage.read(path)) as Raw).operationalStatus === 'detached';
      if (externallyProvisioned !== true && !isLetGo) wish('wiping');
      wish('removal');
      await stage.remove(path);
      await stage.gone(path);
      assert.is(await nodeOf(`${NAMESPACE}~${name}`), undefined);
    },
  };
}

export const isWell = ({ operationalStatus, errorMessage }: Status): boolean =>
  operationalStatus === 'OK' && (errorMessage ?? '') === '';

/** What a stage has to know of it. @param endpoint  the way to it */
export function ironic(
  endpoint: string,
): Pick<Parameters<typeof openHostWorld>[0], 'endpoint' | 'deadlineMs' | 'credentials'> {
  const credentials = { username: env('IRONIC_USERNAME'), password: env('IRONIC_PASSWORD') };
  return {
    endpoint,
    deadlineMs: DEADLINE_MS,
    ...(credentials.username !== '' && { credentials }),
  };
}
