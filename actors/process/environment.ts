// What `troupe dev` and `troupe demo` need and were not given is started here, on loopback.
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { type KubeClient, kubeClient } from '../../adapters/kubernetes/mod.ts';
import { type EmbeddedApiServer, startApiServer } from '../../adapters/simulated/kubernetes/mod.ts';
import {
  type Bus,
  type BusUser,
  type Clock,
  type FirstLease,
  memoryBroker,
  type NatsServer,
  natsBus,
  OlderServerError,
  startNatsServer,
  TerminalError,
  TroupeError,
  toErrorData,
} from '../../bus/mod.ts';
import type { Config } from '../base/config.ts';
import { isLoopback } from '../base/listen-address.ts';
import { USER_AGENT } from '../base/version.ts';
import { lockFolder } from './folder-lock.ts';
import { refuseLinks } from './own-folder.ts';
import { firstLeaseOn, natsOptions } from './run.ts';

export interface Environment {
  readonly client: KubeClient;
  /** Origin of the API server: one that was started here has no objects of other users. */
  readonly cluster: 'started' | 'given';
  /** Path of the kubeconfig in use. */
  readonly kubeconfig: string;
  readonly bus: Bus;
  /** The URL of a NATS server, for `nats sub`; holds a password if we started it. Undefined: in memory. */
  readonly natsUrl: string | undefined;
  close(): Promise<void>;
}

export interface EnvironmentOptions {
  config: Config;
  /** Whom the process is known as on the bus. */
  user: BusUser;
  adapters: readonly Pick<ConfiguredAdapter, 'kinds'>[];
  clock: Clock;
  /** Directory for the data of started systems. */
  folder: string;
  /** Whether objects of an embedded API server are kept in the directory for the next start. */
  lasting: boolean;
  onProgress: (line: string) => void;
}

/** Starts what is missing; what was started ends with `close`. @throws {TroupeError} something given cannot be used */
export async function openEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { config, clock, onProgress, lasting } = options;
  const folder = resolve(options.folder);
  await refuseUnaskedCluster(options, ownKubeconfig(folder));
  await makeFolder(folder);
  await refuseLinks(folder);
  const closing: (() => Promise<void>)[] = [await lockFolder(folder)];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const { kubeconfig, api } = await openApiServer(config, clock, folder, lasting);
    if (api !== undefined) closing.push(() => api.close());
    const client = kubeClient({ clock, kubeconfig, env: config.env, userAgent: USER_AGENT });
    closing.push(() => client.close());
    onProgress(
      api === undefined ? `API server: ${client.server}` : `API server: ${api.url} (embedded, for development only)`,
    );

    // Messages and leases end with the objects of the API server that they are of.
    const isLasting = api === undefined || lasting;
    const natsFolder = join(folder, isLasting ? 'nats' : 'once');
    if (!isLasting) {
      // Found at the start if an earlier process was killed.
      const forget = (): Promise<void> => rm(natsFolder, { recursive: true, force: true, maxRetries: 5 });
      await forget();
      closing.push(forget);
    }
    const { bus, natsUrl, server } = await openBus(options, {
      natsFolder,
      firstLease: firstLeaseOn(client, options.adapters, config),
    });
    if (server !== undefined) closing.push(() => server.close());
    closing.push(() => bus.close());
    onProgress(`bus: ${bus.description}`);
    return { client, cluster: api === undefined ? 'given' : 'started', kubeconfig, bus, natsUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws {TerminalError} it is no directory, or cannot be made */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { message } = toErrorData(error);
    throw new TerminalError(`--data must name a directory, or one that can be made; got '${folder}': ${message}`, {
      cause: error,
    });
  }
}

/** Kubeconfig of the API server that is started for the folder. */
function ownKubeconfig(folder: string): string {
  return join(folder, 'kubeconfig');
}

/**
 * Check that the cluster was meant. `KUBECONFIG` is often exported for other programs, and its cluster would get
 * definitions and have its objects managed. One on this machine is for development.
 *
 * @throws {TerminalError} only the variable names the cluster, and it is on another machine
 */
async function refuseUnaskedCluster(
  { config: { kubeconfig, kubeconfigOrigin, env }, clock }: EnvironmentOptions,
  own: string,
): Promise<void> {
  if (kubeconfig === undefined || kubeconfigOrigin === 'option' || (await isSame(kubeconfig, own))) return;
  let place = `'${kubeconfig}'`;
  try {
    const client = kubeClient({ clock, kubeconfig, env, userAgent: USER_AGENT });
    place = client.server;
    await client.close();
    // mutant: cluster-of-variable-used if -> true
    if (isLoopback(new URL(place).hostname.replaceAll(/[[\]]/g, ''))) return;
  } catch (error) {
    // An unusable file is no reason to name a cluster: the advice is the same.
    if (!(error instanceof TerminalError)) throw error;
  }
  throw new TerminalError(
    `KUBECONFIG leads to ${place}, which is not on this machine: unset KUBECONFIG, or name that cluster with --kubeconfig`,
  );
}

async function openApiServer(
  config: Config,
  clock: Clock,
  folder: string,
  lasting: boolean,
): Promise<{ kubeconfig: string; api?: EmbeddedApiServer }> {
  const kubeconfig = ownKubeconfig(folder);
  // A kubeconfig printed by an earlier start is dev's own: its API server is started here.
  if (config.kubeconfig !== undefined && !(await isSame(config.kubeconfig, kubeconfig))) {
    return { kubeconfig: config.kubeconfig };
  }
  const api = await startApiServer({ clock, ...(lasting ? { folder: join(folder, 'api') } : {}) });
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  return { kubeconfig, api };
}

/** Whether both paths lead to the same file, there or not. */
async function isSame(one: string, other: string): Promise<boolean> {
  const place = async (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
  return (await place(one)) === (await place(other));
}

interface BusPlace {
  /** Directory of a server that is started. */
  readonly natsFolder: string;
  readonly firstLease: () => Promise<FirstLease>;
}

async function openBus(
  { config, user, clock, onProgress }: EnvironmentOptions,
  { natsFolder, firstLease }: BusPlace,
): Promise<{ bus: Bus; natsUrl: string | undefined; server?: NatsServer }> {
  const { natsUrl, natsServer, path, cache, shards, leaseMs } = config;
  if (natsUrl !== undefined) {
    return { bus: await natsBus({ ...natsOptions(config, user, natsUrl, clock, onProgress), firstLease }), natsUrl };
  }
  let server: NatsServer;
  try {
    server = await startNatsServer({
      clock,
      path,
      onProgress,
      program: natsServer,
      cacheFolder: cache,
      fetch: globalThis.fetch,
      folder: natsFolder,
    });
  } catch (error) {
    // A folder that only another server can open is for a person to decide on.
    if (!(error instanceof TroupeError) || error instanceof OlderServerError || natsServer !== undefined) throw error;
    onProgress(`no nats-server can be had, so the bus is in memory: ${error.message}`);
    return { bus: memoryBroker({ clock, shards, leaseMs }).connect(), natsUrl: undefined };
  }
  try {
    // The server is ours alone and so are its leases.
    const bus = await natsBus({ ...natsOptions(config, user, server.url, clock, onProgress), firstLease: 'immediate' });
    return { bus, natsUrl: server.url, server };
  } catch (error) {
    await server.close();
    throw error;
  }
}
