// A user of his own, forked: `lone.process.ts <kubeconfig> <namespace> <folder of clouds.yaml>`. He has one network made at
// a time and hears of it by a watch, as `kubectl wait` does; or he makes the very requests himself. He lives as long as who
// started him.
import { readFile } from 'node:fs/promises';
import { systemClock } from '../../actors/base/clock.ts';
import { kubeClient } from '../../adapters/kubernetes/mod.ts';
import { openStackSessions } from '../../adapters/openstack/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { CREDENTIALS, GROUP, isAvailable, network, type Stored } from './landscape.ts';

export interface LoneRequest {
  readonly name: string;
  /** `directly`: the writes of a new object, one after another, and what a new network asks of the cloud; no actor has a part in it. */
  readonly manner: 'as an object' | 'directly';
}

export interface LoneReport {
  readonly ms: number;
}

/** Writes that one waits for before the next: the user's, the finalizer's, the id's and the status's. */
const WRITES = 4;
const LIMIT_MS = 120_000;
const MERGE = 'application/merge-patch+json';

const [kubeconfig = '', namespace = '', cloudsFile = ''] = process.argv.slice(2);
const clock = systemClock();
const client = kubeClient({ clock, kubeconfig, userAgent: 'troupe-bench-lone' });
const networks = `${GROUP}/namespaces/${namespace}/networks`;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const data = { 'clouds.yaml': (await readFile(cloudsFile)).toString('base64') };
const sessions = openStackSessions({
  clock,
  version: '0.0.0',
  callsInFlight: 1,
  readSecret: async () => ({ uid: 'uid', resourceVersion: '1', data }),
});
const waiting = new Map<string, () => void>();

async function follow(onOpen: () => void): Promise<void> {
  const signal = new AbortController().signal;
  for await (const event of client.stream(`${networks}?watch=1`, undefined, signal, onOpen)) {
    const object = event['object'] as unknown as Stored & { readonly metadata: { readonly name: string } };
    if (isAvailable(object)) waiting.get(object.metadata.name)?.();
  }
}

async function asObject(name: string): Promise<void> {
  const isThere = new Promise<void>((resolve) => waiting.set(name, resolve));
  await client.call({ method: 'POST', path: networks, body: network(name).body });
  await isThere;
  waiting.delete(name);
}

async function directly(name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
  await client.call({ method: 'POST', path: configMaps, body });
  const path = `${configMaps}/${name}`;
  for (let write = 1; write < WRITES; write++)
    await client.call({ method: 'PATCH', path, contentType: MERGE, body: { data: { written: `${write}` } } });
  const session = await sessions.open(namespace, CREDENTIALS, '1', clock.now() + LIMIT_MS);
  const traceparent = `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`;
  const call = (
    method: 'GET' | 'POST',
    collection: string,
    sent: { readonly query?: readonly (readonly [string, string])[]; readonly body?: JsonObject },
  ): Promise<unknown> => {
    const deadlineAt = clock.now() + LIMIT_MS;
    return session.call({ service: 'network', method, path: collection, deadlineAt, traceparent, ...sent });
  };
  await call('GET', '/networks', { query: [['name', name]] });
  await call('POST', '/networks', { body: { network: { name } } });
}

process.on('disconnect', () => process.exit()); // whoever started it is gone
process.on('message', ({ name, manner }: LoneRequest) => {
  void (async () => {
    const startedAt = clock.now();
    await (manner === 'directly' ? directly : asObject)(name);
    process.send?.({ ms: clock.now() - startedAt } satisfies LoneReport);
  })();
});
await new Promise<void>((resolve, reject) => void follow(resolve).catch(reject));
process.send?.({ ready: true });
