// The API server of KUBECONFIG and an embedded one, asked the same.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';
import { systemClock } from '../../../../actors/base/clock.ts';
import type { KubeObject } from '../../../../adapters/simulated/kubernetes/base/kube-object.ts';
import { startApiServer } from '../../../../adapters/simulated/kubernetes/mod.ts';
import { isMap, listOf, mapOf, stringOf } from '../../../../adapters/text/json.ts';

export interface Answer {
  readonly code: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
}

export interface Server {
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

export interface Servers {
  readonly real: Server;
  readonly embedded: Server;
  /** Asks both at the same time. */
  both(method: string, path: string, body?: unknown): Promise<{ readonly real: Answer; readonly embedded: Answer }>;
  close(): Promise<void>;
}

/** Requests under way at a time on each server. */
export const IN_FLIGHT = 16;

/** Longest wait for a resource to be served, or gone, in milliseconds. */
const SERVED_WITHIN_MS = 20_000;

/** The names of the namespaces that suites make for themselves. */
const OF_SUITES = /^(e2e|storage-|webhooks-)[0-9a-z]+$/;

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const clock = systemClock();

/** @param path  of the kubeconfig of the real server's administrator */
export async function startServers(path: string): Promise<Servers> {
  const embedded = await startApiServer({ clock });
  const agents = [
    new Agent({ ...credentials(path), keepAlive: true, maxSockets: IN_FLIGHT }),
    new Agent({ ca: embedded.caCertificate, keepAlive: true, maxSockets: IN_FLIGHT }),
  ] as const;
  const servers = {
    real: server(serverOf(path), agents[0], bearer(path)),
    embedded: server(embedded.url, agents[1], { authorization: `Bearer ${embedded.token}` }),
  };
  return {
    ...servers,
    async both(method, target, body) {
      const [real, mine] = await Promise.all([
        servers.real.call(method, target, body),
        servers.embedded.call(method, target, body),
      ]);
      return { real, embedded: mine };
    },
    async close() {
      for (const agent of agents) agent.destroy();
      await embedded.close();
    },
  };
}

function server(url: string, agent: Agent, headers: Readonly<Record<string, string>>): Server {
  return {
    call: (method, path, body) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? '' : JSON.stringify(body);
        const outgoing = request(
          `${url}${path}`,
          { method, agent, headers: { ...headers, 'user-agent': 'tester/1.0', 'content-type': 'application/json' } },
          (incoming) => {
            const chunks: Buffer[] = [];
            incoming.on('error', reject);
            incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
            incoming.on('end', () => {
              const warnings = [incoming.headers['warning'] ?? []].flat();
              const answer = Buffer.concat(chunks).toString();
              const isJson = (incoming.headers['content-type'] ?? '').startsWith('application/json');
              resolve({ code: incoming.statusCode ?? 0, body: isJson ? JSON.parse(answer) : answer, warnings });
            });
          },
        );
        outgoing.on('error', reject);
        outgoing.end(text);
      }),
  };
}

function entry(path: string, list: string, key: string): Readonly<Record<string, unknown>> {
  const [first] = listOf(mapOf(parse(readFileSync(path, 'utf8')))[list]);
  return mapOf(mapOf(first)[key]);
}

function serverOf(path: string): string {
  return stringOf(entry(path, 'clusters', 'cluster')['server']);
}

function credentials(path: string): Readonly<Record<string, Buffer>> {
  const read = (from: Readonly<Record<string, unknown>>, name: string): Buffer | undefined => {
    const data = stringOf(from[`${name}-data`]);
    if (data !== '') return Buffer.from(data, 'base64');
    const file = stringOf(from[name]);
    return file === '' ? undefined : readFileSync(file);
  };
  const user = entry(path, 'users', 'user');
  const found = {
    ca: read(entry(path, 'clusters', 'cluster'), 'certificate-authority'),
    cert: read(user, 'client-certificate'),
    key: read(user, 'client-key'),
  };
  return Object.fromEntries(Object.entries(found).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

function bearer(path: string): Readonly<Record<string, string>> {
  const token = stringOf(entry(path, 'users', 'user')['token']);
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}

/** What an answer says, without what differs between any two servers: times, ids and revisions. */
function comparable({ code, body, warnings }: Answer): unknown {
  if (!isMap(body)) return { code, body };
  if (body['kind'] !== 'Status') return { code, object: withoutIds(body), warnings: [...warnings].sort() };
  // The type of `self` has a name that is new every time.
  const plain = (text: string): string => text.replaceAll(/selfType\d+/g, 'selfType');
  const causes = listOf(mapOf(body['details'])['causes'])
    .map((cause) => plain(JSON.stringify(cause)))
    .sort();
  // Several causes come in the order of a hash table.
  const message = causes.length < 2 ? plain(String(body['message'])) : '';
  return { code, reason: body['reason'], message, causes };
}

const TIMES = new Set(['creationTimestamp', 'deletionTimestamp', 'lastTransitionTime', 'time']);

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'managedFields');
  return Object.fromEntries(
    entries
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, field]) => [
        key,
        key === 'metadata' ? withoutSystemFields(field) : TIMES.has(key) ? '' : withoutIds(field),
      ]),
  );
}

function withoutSystemFields(metadata: unknown): unknown {
  const { uid: _, resourceVersion: __, ...rest } = mapOf(metadata);
  return withoutIds(rest);
}

/** What differs between the answers to the same request, or nothing. */
export function difference(sent: unknown, real: Answer, embedded: Answer): string[] {
  const [one, other] = [JSON.stringify(comparable(real)), JSON.stringify(comparable(embedded))];
  return one === other ? [] : [`sent ${JSON.stringify(sent)}\n  real     ${one}\n  embedded ${other}`];
}

/** Asks until the real server serves the resource: it does so some time after it accepted the definition. */
export async function served(
  { real }: Servers,
  { apiVersion, plural }: { readonly apiVersion: string; readonly plural: string },
): Promise<void> {
  const deadlineAt = clock.now() + SERVED_WITHIN_MS;
  while ((await real.call('GET', `/apis/${apiVersion}/${plural}?limit=1`)).code !== 200) {
    if (clock.now() > deadlineAt) throw new Error(`${plural} of ${apiVersion} are not served`);
  }
}

/**
 * Deletes a definition from the real server, where another suite may have left it, and waits until it is gone. Objects
 * that a suite left behind, as it was killed or as its world ended, have finalizers that nobody takes off any more; those of
 * others are let be.
 */
export async function removed({ real }: Servers, { metadata, spec }: KubeObject): Promise<void> {
  const { group, names, versions } = mapOf(spec);
  const stored = listOf(versions)
    .map(mapOf)
    .find((version) => version['storage'] === true);
  const list = `/apis/${String(group)}/${String(stored?.['name'])}/${String(mapOf(names)['plural'])}`;
  const deadlineAt = clock.now() + SERVED_WITHIN_MS;
  while ((await real.call('DELETE', `${DEFINITIONS}/${metadata.name}`)).code !== 404) {
    const left = listOf(mapOf((await real.call('GET', list)).body)['items']).map((item) => item as KubeObject);
    const places = left.map(({ metadata: { namespace = '', name = '' } }) => ({ namespace, name }));
    if (clock.now() > deadlineAt) throw new Error(`${metadata.name} is still there, with ${JSON.stringify(places)}`);
    const own = left.filter(({ metadata: { namespace = '' } }) => OF_SUITES.test(namespace));
    await forAll(own.values(), async (object) => {
      const { namespace, name, finalizers: _, ...rest } = object.metadata;
      const path = list.replace(/\/(?=[^/]*$)/, `/namespaces/${namespace}/`);
      await real.call('PUT', `${path}/${name}`, { ...object, metadata: { namespace, name, ...rest } });
    });
  }
}

/** Runs `work` for every item, some at a time. */
export async function forAll<T>(items: Iterator<T>, work: (item: T) => Promise<void>): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let next = items.next(); !next.done; next = items.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}
