// API servers: objects of one of our kinds created, patched, listed and watched, on the embedded server (in memory, and
// with a folder) and, when KUBECONFIG is set, on the real one.
//
// The embedded server has a process and, where taskset is, a core of its own; this process has the others. The real one
// runs where it runs. A delivery is counted from the sending of the write, and from its answer, to the arrival of the
// event: at PACED_PER_SECOND writes a second, and while IN_FLIGHT writes are always under way.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KubeConfig } from '@kubernetes/client-node';
import { Pool } from 'undici';
import { parse } from 'yaml';
import { systemClock } from '../../actors/base/clock.ts';
import { FRUGAL_ENVIRONMENT, FRUGAL_FLAGS } from '../../adapters/simulated/kubernetes/frugal.ts';
import type { Served, Usage } from '../adapters/simulated/kubernetes/served.ts';
import { COMPILE_CACHE } from './stage.ts';

const IN_FLIGHT = 64;
const LISTS = 5;
const PACED_PER_SECOND = 200;
const PACED_WRITES = 600;

const CHILD = fileURLToPath(new URL('../adapters/simulated/kubernetes/served.ts', import.meta.url));
const CRD = new URL('../../deploy/crds/openstack.k-orc.cloud_networks.yaml', import.meta.url);

const clock = systemClock();

interface Target {
  readonly name: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Undefined when the process is out of reach. */
  usage(): Promise<Usage | undefined>;
  close(): Promise<void>;
}

/**
 * Figures of one run: rates per second, times in milliseconds, memory in MiB. Rates per second of the server's processor
 * time do not depend on who else uses the machine.
 */
export async function apiServer({ count }: { count: number }): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  const targets = [
    () => embedded('memory', []),
    () => embedded('folder', [join(folder, 'api')]),
    ...(process.env['KUBECONFIG'] === undefined ? [] : [async () => real(process.env['KUBECONFIG'] ?? '')]),
  ];
  try {
    for (const open of targets) {
      const target = await open();
      try {
        for (const [figure, value] of Object.entries(await measure(target, count))) {
          figures[`${target.name}.${figure}`] = Math.round(value * 100) / 100;
        }
      } finally {
        await target.close();
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return figures;
}

async function embedded(name: string, args: readonly string[]): Promise<Target> {
  const pins = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
  const child = fork(CHILD, args, {
    // With its first file cached too, what strips types is not loaded.
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE, ...FRUGAL_ENVIRONMENT },
    ...(pins
      ? { execPath: 'taskset', execArgv: ['-c', '0', process.execPath, ...FRUGAL_FLAGS] }
      : { execArgv: [...FRUGAL_FLAGS] }),
  });
  if (pins) spawnSync('taskset', ['-apc', `1-${availableParallelism() - 1}`, String(process.pid)]);
  const [served] = (await once(child, 'message')) as [Served];
  return {
    name,
    url: served.url,
    authorization: `Bearer ${served.token}`,
    tls: { ca: served.caCertificate },
    async usage() {
      child.send('usage');
      const [usage] = (await once(child, 'message')) as [Usage];
      return usage;
    },
    async close() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

function real(kubeconfig: string): Target {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()];
  const text = (data: string | undefined, file: string | undefined): string | undefined => {
    if (data !== undefined) return Buffer.from(data, 'base64').toString();
    return file === undefined ? undefined : readFileSync(file, 'utf8');
  };
  const ca = text(cluster?.caData, cluster?.caFile);
  const [cert, key] = [text(user?.certData, user?.certFile), text(user?.keyData, user?.keyFile)];
  return {
    name: 'kube-apiserver',
    url: cluster?.server ?? '',
    authorization: user?.token === undefined ? undefined : `Bearer ${user.token}`,
    tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
    usage: async () => undefined,
    close: async () => undefined,
  };
}

interface Reply {
  readonly code: number;
  readonly text: string;
}

async function measure(target: Target, count: number): Promise<Record<string, number>> {
  const pool = new Pool(target.url, { connections: IN_FLIGHT, connect: target.tls });
  const watching = new Pool(target.url, { connections: 1, connect: target.tls, bodyTimeout: 0 });
  const headers = (type?: string): Record<string, string> => ({
    ...(target.authorization === undefined ? {} : { authorization: target.authorization }),
    ...(type === undefined ? {} : { 'content-type': type }),
    'user-agent': 'bench',
  });
  const call = async (method: string, path: string, body?: object, type = 'application/json'): Promise<Reply> => {
    const sent = body === undefined ? null : JSON.stringify(body);
    const reply = await pool.request({ method, path, headers: headers(type), body: sent });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${text.slice(0, 500)}`);
    return { code: reply.statusCode, text };
  };

  // A group of its own, so that nothing is shared with what else a real server serves.
  const id = `bench-${Math.floor(clock.random() * 1e9)}`;
  const group = `${id}.example.org`;
  const definition = parse((await readFile(CRD, 'utf8')).replaceAll('openstack.k-orc.cloud', group)) as object;
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const path = `/apis/${group}/v1alpha1/namespaces/${id}/networks`;
  await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
  await call('POST', definitions, definition);
  try {
    await served(pool, path, headers());
    const names = Array.from({ length: count }, (_, index) => `network-${String(index).padStart(6, '0')}`);
    const before = await target.usage();
    const create = await inFlight(names, (name) => call('POST', path, network(group, name)));
    const created = await target.usage();
    const { metadata } = JSON.parse((await call('GET', `${path}?limit=1`)).text) as {
      metadata: { resourceVersion: string };
    };
    const arrivals = new Map<string, number>();
    const stop = new AbortController();
    const watch = await watching.request({
      method: 'GET',
      path: `${path}?watch=1&resourceVersion=${metadata.resourceVersion}`,
      headers: headers(),
      signal: stop.signal,
    });
    const reading = follow(watch.body, arrivals);
    const writes: { revision: string; sentAt: number; answeredAt: number }[] = [];
    const patch = async (name: string, round: number): Promise<void> => {
      const sentAt = clock.now();
      const { text } = await call(
        'PATCH',
        `${path}/${name}/status`,
        status(name, round),
        'application/merge-patch+json',
      );
      writes.push({ revision: revisionOf(text), sentAt, answeredAt: clock.now() });
    };
    const deliveries = async (prefix: string): Promise<Record<string, number>> => {
      while (!writes.every(({ revision }) => arrivals.has(revision))) await clock.sleep(5);
      const arrival = (revision: string): number => arrivals.get(revision) ?? Number.NaN;
      const fromSending = writes.map(({ revision, sentAt }) => arrival(revision) - sentAt);
      const fromAnswer = writes.map(({ revision, answeredAt }) => arrival(revision) - answeredAt);
      writes.length = 0;
      return { ...quantiles(`${prefix}FromSendingMs`, fromSending), ...quantiles(`${prefix}FromAnswerMs`, fromAnswer) };
    };

    const patched = await inFlight(names, (name) => patch(name, 1));
    const changed = await target.usage();
    const full = await deliveries('fullLoadDelivery');
    const lists: number[] = [];
    for (let list = 0; list < LISTS; list++) {
      const startedAt = clock.now();
      await call('GET', path);
      lists.push(clock.now() - startedAt);
    }
    const beganAt = clock.now();
    const pending: Promise<void>[] = [];
    for (let write = 0; write < PACED_WRITES; write++) {
      await clock.sleep(Math.max(0, beganAt + (write * 1000) / PACED_PER_SECOND - clock.now()));
      pending.push(patch(names[write % count] ?? '', 2));
    }
    await Promise.all(pending);
    const paced = await deliveries('delivery');
    stop.abort();
    await reading;
    const after = await target.usage();
    const perCpuSecond = (from: Usage, to: Usage): number => (count * 1000) / (to.cpuMs - from.cpuMs);
    const used =
      before === undefined || created === undefined || changed === undefined || after === undefined
        ? {}
        : {
            createPerCpuSecond: perCpuSecond(before, created),
            patchPerCpuSecond: perCpuSecond(created, changed),
            residentMibAtStart: before.residentBytes / 2 ** 20,
            residentMibWithObjects: created.residentBytes / 2 ** 20,
            residentMib: after.residentBytes / 2 ** 20,
          };
    return {
      createPerSecond: create,
      patchPerSecond: patched,
      ...quantiles('listMs', lists),
      ...paced,
      ...full,
      ...used,
    };
  } finally {
    await call('DELETE', `${definitions}/networks.${group}`);
    await call('DELETE', `/api/v1/namespaces/${id}`);
    await Promise.all([pool.destroy(), watching.destroy()]);
  }
}

/** Waits until a definition is served. */
async function served(pool: Pool, path: string, headers: Record<string, string>): Promise<void> {
  for (;;) {
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
    await body.dump();
    if (statusCode === 200) return;
    await clock.sleep(50);
  }
}

/** @returns how many a second */
async function inFlight(names: readonly string[], run: (name: string) => Promise<unknown>): Promise<number> {
  const left = names.values();
  const startedAt = clock.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (const name of left) await run(name);
    }),
  );
  return (names.length * 1000) / (clock.now() - startedAt);
}

/** Notes when the event of each revision came. */
async function follow(body: AsyncIterable<Buffer>, arrivals: Map<string, number>): Promise<void> {
  let rest = '';
  try {
    for await (const chunk of body) {
      const at = clock.now();
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) arrivals.set(revisionOf(line), at);
    }
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
  }
}

const revisionOf = (text: string): string => /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? '';

function quantiles(name: string, values: readonly number[]): Record<string, number> {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { [`${name}Median`]: at(0.5), [`${name}P99`]: at(0.99) };
}

function network(group: string, name: string): object {
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'Network',
    metadata: { name, labels: { 'app.kubernetes.io/name': 'bench' } },
    spec: {
      cloudCredentialsRef: { secretName: 'clouds', cloudName: 'openstack' },
      resource: { description: `The network ${name}`, mtu: 1500, portSecurityEnabled: true, tags: ['bench', name] },
    },
  };
}

function status(name: string, round: number): object {
  const condition = {
    lastTransitionTime: '2025-01-01T00:00:00Z',
    message: 'the network is as specified',
    observedGeneration: 1,
  };
  return {
    status: {
      id: '6f2b0a0e-8f2a-4c1d-9b55-2c9f5a8f7d11',
      conditions: [
        { ...condition, type: 'Available', status: 'True', reason: 'Success' },
        { ...condition, type: 'Progressing', status: 'False', reason: 'Success' },
      ],
      resource: {
        name,
        description: `The network ${name}`,
        adminStateUp: true,
        mtu: 1500,
        portSecurityEnabled: true,
        projectID: '2d1a4f0c8f2a4c1d9b552c9f5a8f7d11',
        revisionNumber: round,
        status: 'ACTIVE',
        tags: ['bench', name],
      },
    },
  };
}
