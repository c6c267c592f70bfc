// A served model: searches and reads of 10,000 clusters over HTTP, at a steady rate and as fast as it goes, beside Node's bare server that
// answers the same bytes; and its start with a model of the size of the real one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { mulberry32, systemClock } from '../../actors/base/clock.ts';
import { noAuthentication } from '../../adapters/ocm/gateway/auth/none.ts';
import { compileSearch } from '../../adapters/ocm/gateway/search/compile.ts';
import { orderOf } from '../../adapters/ocm/gateway/search/order.ts';
import { Api } from '../../adapters/ocm/gateway/server/api.ts';
import { serveHttp } from '../../adapters/ocm/gateway/server/http.ts';
import type { Collection } from '../../adapters/ocm/gateway/store/collections.ts';
import { memoryStore } from '../../adapters/ocm/gateway/store/memory.ts';
import { collectionAt, testModel } from '../adapters/ocm/gateway/model.ts';
import { REAL_SIZE, synthesize } from '../adapters/ocm/synthetic.ts';

const CLI = fileURLToPath(new URL('../../actors/cli.js', import.meta.url));
const CLUSTERS = '/api/clusters_mgmt/v1/clusters';
const RATE = 200;
const SECONDS = 8;
const REQUESTS = 3_000;
const AT_A_TIME = 16;
const QUERIES = 1_000;

const clock = systemClock();

/** Figures of one run. */
export async function gateway({ count }: { count: number }): Promise<Record<string, number>> {
  const model = testModel();
  const store = memoryStore();
  const clusters = collectionAt(model, CLUSTERS);
  for (let n = 0; n < count; n++) store.put(clusters, { outer: [], id: `id${n}` }, clusterOf(n));
  const api = new Api({
    model,
    store,
    authenticator: noAuthentication(),
    build: 'bench',
    now: () => clock.now(),
    newOperationId: () => 'bench',
    newId: () => 'bench',
    onDefect: (error) => {
      throw error;
    },
  });
  const server = await serveHttp({ api, clock, host: '127.0.0.1', port: 0 });
  const get = getter(server.port);
  const figures: Record<string, number> = {
    'search.cpuUs': queryCpuUs(api, clusters, searchOf),
    'broad.cpuUs': queryCpuUs(api, clusters, broadOf),
  };
  const page = (await get(searchOf(1))).toString();
  const bare = createServer((_, response) => {
    response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(page) })
      .end(page);
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  try {
    for (const [name, of, paths] of [
      ['search', get, searchOf],
      ['broad', get, broadOf],
      ['get', get, (n: number) => `${CLUSTERS}/id${(n * 7_919) % count}`],
      ['bare', getter((bare.address() as AddressInfo).port), searchOf],
    ] as const) {
      // Once, so that indexes are there and code is compiled, as in a server that runs.
      for (let n = 0; n < 200; n++) await of(paths(n));
      const steady = await atRate((n) => of(paths(n)));
      figures[`${name}.medianMs`] = quantile(steady, 0.5);
      figures[`${name}.p99Ms`] = quantile(steady, 0.99);
      figures[`${name}.aSecond`] = Math.round(await asFastAsItGoes((n) => of(paths(n))));
    }
  } finally {
    await server.close();
    bare.closeAllConnections();
    bare.close();
  }
  return { ...figures, ...(await startFigures()) };
}

/** `troupe model serve` of a model of the size of the real one, a process of its own: from its start to its first answer. */
async function startFigures(): Promise<Record<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  try {
    for (const [file, text] of synthesize(mulberry32(1), REAL_SIZE)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
    const startAt = performance.now();
    const child = spawn(process.execPath, [CLI, 'model', 'serve', folder, '--bind-address', '127.0.0.1:0'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'close');
    try {
      const port = await portOf(child.stdout);
      await getter(port)('/api');
      const ms = performance.now() - startAt;
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(' ');
      return {
        'start.ms': Math.round(ms),
        // Ticks of 10 ms, of itself and in the system.
        'start.cpuMs': (Number(stat[13]) + Number(stat[14])) * 10,
        'start.residentMb': Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024),
      };
    } finally {
      child.kill();
      await ended;
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @throws {Error} the output ends before it listens */
async function portOf(output: Readable): Promise<number> {
  let text = '';
  for await (const data of output) {
    text += String(data);
    const port = /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`it does not listen: ${text}`);
}

/** Processor time of a query and the texts of its page, which does not depend on who else uses the machine. */
function queryCpuUs(api: Api, clusters: Collection, path: (n: number) => string): number {
  const table = api.served.table(clusters);
  if (table === undefined) throw new Error('the clusters are not served');
  const run = (n: number): void => {
    const query = new URLSearchParams(path(n).split('?')[1]);
    const search = compileSearch(query.get('search') ?? '', table.scope);
    const order = orderOf(query.get('order') ?? '', table.scope);
    table.index
      .inside([])
      .query(search, order, 0, 100)
      .objects.map((each) => table.writer.text(each))
      .join();
  };
  for (let n = 0; n < 200; n++) run(n);
  const before = process.threadCpuUsage();
  for (let n = 0; n < QUERIES; n++) run(n);
  const { user, system } = process.threadCpuUsage(before);
  return Math.round((user + system) / QUERIES);
}

/** Three conditions, of which a few hundred clusters pass, and an order. */
function searchOf(n: number): string {
  const search = `region.id = 'region-${n % 20}' and state = 'ready' and nodes.compute >= ${n % 5}`;
  return `${CLUSTERS}?${new URLSearchParams({ search, order: 'name desc', size: '100' })}`;
}

/** Of which most clusters pass, and no index helps. */
function broadOf(n: number): string {
  const search = `name like '%${n % 10}%' and nodes.compute > ${n % 3} and managed = 't'`;
  return `${CLUSTERS}?${new URLSearchParams({ search, order: 'creation_timestamp, name desc', size: '100' })}`;
}

function clusterOf(n: number) {
  return {
    name: `cluster-${(n * 7_919) % 10_007}`,
    state: n % 3 === 0 ? 'installing' : 'ready',
    managed: n % 4 !== 0,
    openshift_version: `4.${n % 20}.3`,
    creation_timestamp: new Date(1_700_000_000_000 + ((n * 104_729) % 1_000_003) * 1_000).toISOString(),
    nodes: { compute: n % 12, total: (n % 12) + 3 },
    region: { id: `region-${n % 20}` },
    product: { id: n % 2 === 0 ? 'rosa' : 'osd' },
    api: { url: `https://api.cluster-${n}.example.com:6443` },
    properties: { owner: `user-${n % 100}` },
  };
}

function getter(port: number): (path: string) => Promise<Buffer> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME * 4 });
  return (path) =>
    new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, path, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks));
          else reject(new Error(`'${path}' is answered with ${response.statusCode}: ${Buffer.concat(chunks)}`));
        });
      });
      outgoing.on('error', reject).end();
    });
}

/** Begins requests when they are due, whether or not earlier ones are answered. @returns milliseconds from when each was due */
async function atRate(send: (n: number) => Promise<unknown>): Promise<number[]> {
  const startAt = performance.now();
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  for (let n = 0; n < RATE * SECONDS; n++) {
    const dueAt = startAt + (n * 1_000) / RATE;
    const wait = dueAt - performance.now();
    if (wait > 0) await clock.sleep(wait);
    const sentAt = performance.now();
    pending.push(send(n).then(() => void times.push(performance.now() - sentAt)));
  }
  await Promise.all(pending);
  return times;
}

/** @returns requests a second */
async function asFastAsItGoes(send: (n: number) => Promise<unknown>): Promise<number> {
  const startAt = performance.now();
  let next = 0;
  const sender = async (): Promise<void> => {
    while (next < REQUESTS) await send(next++);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, sender));
  return (REQUESTS * 1_000) / (performance.now() - startAt);
}

function quantile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 100) / 100;
}
