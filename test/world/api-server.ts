// The embedded API server of a world, its kubeconfig, and clients of it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../actors/base/clock.ts';
import { installCrds } from '../../actors/process/install-crds.ts';
import type { Contract } from '../../adapters/api/contract/crds.ts';
import { type KubeClient, kubeClient } from '../../adapters/kubernetes/mod.ts';
import {
  type CompiledDefinition,
  type EmbeddedApiServer,
  startApiServer,
} from '../../adapters/simulated/kubernetes/mod.ts';
import type { Clock } from '../../bus/mod.ts';
import { Wire } from './wire.ts';

export interface ApiServer {
  readonly api: EmbeddedApiServer;
  /** For whatever else belongs to the world; removed with it. */
  readonly folder: string;
  /** Path of the kubeconfig, which is in the folder. */
  readonly kubeconfig: string;
  /** A new one; whoever asks for it closes it. */
  client(): KubeClient;
  /** Requests so far that change something. @param path  of those alone, which takes a wire */
  writes(path?: RegExp): number;
  close(): Promise<void>;
}

export interface ApiServerPart {
  readonly clock: Clock;
  /** How it is reached without sockets; undefined: by sockets. */
  readonly wire?: Wire | undefined;
  /** What it serves from the start. */
  readonly contracts?: readonly Contract[] | undefined;
}

export async function openApiServer({ clock, wire, contracts }: ApiServerPart): Promise<ApiServer> {
  const definitions = contracts && (await definitionsOf(contracts));
  const api = await startApiServer({ clock, ...(definitions && { definitions }), ...(wire && { host: 'none' }) });
  const written: string[] = [];
  wire?.serve(api.url, (request, response) => {
    if (request.method !== 'GET') written.push(request.url ?? '');
    api.handle(request, response);
  });
  const folder = await mkdtemp(join(tmpdir(), 'troupe-world-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  return {
    api,
    folder,
    kubeconfig,
    client: () => kubeClient({ clock, kubeconfig, ...(wire && { dispatcher: wire }) }),
    writes(path) {
      if (path !== undefined) return written.filter((each) => path.test(each)).length;
      const { GET: _, WATCH: __, ...writing } = api.requests();
      return Object.values(writing).reduce((sum, count) => sum + count, 0);
    },
    async close() {
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Compiled once a process: that takes longer than most tests. */
const compiled = new Map<readonly Contract[], Promise<readonly CompiledDefinition[]>>();

function definitionsOf(contracts: readonly Contract[]): Promise<readonly CompiledDefinition[]> {
  const compile = async (): Promise<readonly CompiledDefinition[]> => {
    const clock = systemClock();
    const server = await openApiServer({ clock, wire: new Wire() });
    const client = server.client();
    try {
      await installCrds(client, clock, () => undefined, contracts);
      return server.api.definitions();
    } finally {
      await client.close();
      await server.close();
    }
  };
  const known = compiled.get(contracts) ?? compile();
  compiled.set(contracts, known);
  return known;
}
