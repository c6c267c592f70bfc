// csi-proxy: calls over a Unix socket (a named pipe on Windows) by one client and by 64, next to gRPC alone in the same
// run; and what is asked of Windows while the volumes of a node are mounted, next to the original's sequence.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, credentials } from '@grpc/grpc-js';
import { systemClock } from '../../actors/base/clock.ts';
import { GetDiskStatsRequest } from '../../adapters/csi-proxy/api/disk/v1/api_generated.ts';
import { asBuffer, asIs, grpcTarget } from '../../adapters/csi-proxy/base/grpc.ts';
import { pipePath } from '../../adapters/csi-proxy/base/pipes.ts';
import { newClientWithPipePath } from '../../adapters/csi-proxy/client/disk/v1/client_generated.ts';
import { freshPrefix } from '../adapters/csi-proxy/echo-group.ts';
import { ASKED_BY_THE_ORIGINAL, askedToMount } from './csi-proxy-mounts.ts';

const CLIENTS = 64;
/** The two are measured by turns, so that whatever else the machine does hits both. */
const TURNS = 5;
/** Before the first turn, so that nothing is compiled in one. */
const WARM_UP_CALLS = 2_000;
const VOLUMES = 100;

const clock = systemClock();

interface Connection {
  call(): Promise<unknown>;
  close(): void;
}

interface Measured {
  readonly name: string;
  readonly clients: number;
  readonly open: () => Promise<Connection>;
  readonly server: ChildProcess;
  readonly timesMs: number[];
  spentMs: number;
  /** Of the processors, by the server and by the clients. */
  cpuMs: number;
}

/**
 * Figures of one run: rates per second, times in milliseconds. Rates per second of processor time, the clients' and the
 * server's together, do not depend on who else uses the machine.
 */
export async function csiProxy({
  count,
  latencyMs,
}: {
  count: number;
  latencyMs: number;
}): Promise<Record<string, number>> {
  return { ...(await rates(count)), ...(await mounts(latencyMs)) };
}

async function rates(count: number): Promise<Record<string, number>> {
  const { prefix, remove } = freshPrefix();
  const servers: ChildProcess[] = [];
  const start = async (program: string, ...args: string[]): Promise<ChildProcess> => {
    const server = fork(fileURLToPath(new URL(program, import.meta.url)), args);
    servers.push(server);
    await once(server, 'message');
    return server;
  };
  const bare = pipePath('bare', 'v1', prefix);
  const troupe = pipePath('disk', 'v1', prefix);
  try {
    const bareServer = await start('./bare-grpc.ts', bare);
    const troupeServer = await start('../adapters/csi-proxy/served-groups.ts', prefix, 'disk', 'v1');
    const all = [1, CLIENTS].flatMap((clients): Measured[] => [
      { ...nothing(), name: 'bare', clients, open: async () => openBare(bare), server: bareServer },
      { ...nothing(), name: 'troupe', clients, open: () => openTroupe(troupe), server: troupeServer },
    ]);
    for (const measured of all) await measure({ ...measured, ...nothing() }, WARM_UP_CALLS);
    for (let turn = 0; turn < TURNS; turn++) {
      for (const measured of all) await measure(measured, Math.ceil(count / TURNS));
    }
    const figures: Record<string, number> = Object.assign({}, ...all.map(figuresOf));
    for (const clients of [1, CLIENTS]) {
      for (const figure of ['perSecond', 'perCpuSecond']) {
        const [ours = 0, bare = 0] = [figures[`troupe.${clients}.${figure}`], figures[`bare.${clients}.${figure}`]];
        figures[`ratio.${clients}.${figure}`] = rounded(ours / bare);
      }
    }
    return figures;
  } finally {
    for (const server of servers) server.kill('SIGKILL');
    remove();
  }
}

async function mounts(latencyMs: number): Promise<Record<string, number>> {
  const original = VOLUMES * ASKED_BY_THE_ORIGINAL;
  const atOnce = await askedToMount(VOLUMES, { clock, latencyMs, atATime: VOLUMES });
  const oneByOne = await askedToMount(VOLUMES, { clock, latencyMs, atATime: 1 });
  return {
    'mounts.original': original,
    'mounts.atOnce': atOnce,
    'mounts.atOnceRatio': rounded(atOnce / original),
    'mounts.oneByOne': oneByOne,
    'mounts.oneByOneRatio': rounded(oneByOne / original),
  };
}

/** The bytes of the same request, said back. */
function openBare(path: string): Connection {
  const client = new Client(grpcTarget(path), credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const request = asBuffer(GetDiskStatsRequest.encode({ diskNumber: 0 }));
  const call = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest('/v1.Disk/GetDiskStats', asIs, asIs, request, (error, response) => {
        if (error === null) resolve(response);
        else reject(error);
      });
    });
  return { call, close: () => client.close() };
}

async function openTroupe(path: string): Promise<Connection> {
  const client = await newClientWithPipePath(path, { clock });
  return { call: () => client.getDiskStats({ diskNumber: 0 }), close: () => client.close() };
}

/** Each client makes its calls one after the other, on a connection of its own. */
async function measure(measured: Measured, calls: number): Promise<void> {
  const { clients, open, timesMs } = measured;
  const connections = await Promise.all(Array.from({ length: clients }, open));
  // The first call of each opens its connection.
  await Promise.all(connections.map((connection) => connection.call()));
  let left = calls;
  const before = await cpuMs(measured.server);
  const startedAt = clock.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (left-- > 0) {
        const sentAt = clock.now();
        await connection.call();
        timesMs.push(clock.now() - sentAt);
      }
    }),
  );
  measured.spentMs += clock.now() - startedAt;
  measured.cpuMs += (await cpuMs(measured.server)) - before;
  for (const connection of connections) connection.close();
}

/** What this process and the server have used so far. */
async function cpuMs(server: ChildProcess): Promise<number> {
  server.send('usage');
  const [theirs] = (await once(server, 'message')) as [NodeJS.CpuUsage];
  const ours = process.cpuUsage();
  return [theirs, ours].reduce((sum, { user, system }) => sum + (user + system) / 1_000, 0);
}

const nothing = (): Pick<Measured, 'timesMs' | 'spentMs' | 'cpuMs'> => ({ timesMs: [], spentMs: 0, cpuMs: 0 });

function figuresOf({ name, clients, timesMs, spentMs, cpuMs }: Measured): Record<string, number> {
  const sorted = timesMs.sort((a, b) => a - b);
  const at = (share: number): number => rounded(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
  return {
    [`${name}.${clients}.perSecond`]: Math.round((timesMs.length * 1_000) / spentMs),
    [`${name}.${clients}.perCpuSecond`]: Math.round((timesMs.length * 1_000) / cpuMs),
    [`${name}.${clients}.p50Ms`]: at(0.5),
    [`${name}.${clients}.p99Ms`]: at(0.99),
  };
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
