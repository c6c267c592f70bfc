// What the actors stand on, each in a process of its own: nats-server, the embedded API server, the simulated cloud. Each
// pod reaches the first two through proxies of its own, and all reach the cloud through one. The test itself goes directly.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../actors/clock.ts';
import { kubeconfigText } from '../../adapters/kubernetes/embedded/kubeconfig.ts';
import type { ServedCall } from '../../adapters/openstack/simulator/mod.ts';
import { natsBus, startNatsServer } from '../../bus/mod.ts';
import type { Ground } from '../actors/grounds.ts';
import type { Served } from '../adapters/kubernetes/embedded/served.ts';
import { startProxy, type TcpProxy } from '../bus/proxy.ts';
import { Cloud } from './cloud.ts';

const API_PROGRAM = fileURLToPath(new URL('../adapters/kubernetes/embedded/served.ts', import.meta.url));
/** So few that a watch which was away for a moment is told that it is too old. */
export const REMEMBERED_CHANGES = 40;
const TOKEN_LIFETIME_MS = 20_000;
const CLOUD_NAME = 'openstack';
/** Whose password nobody changes: the test's own user. */
const OWN_USER = 'auditor';
const DEADLINE_MS = 30_000;

/** The ways of one pod to what it needs, and what to tell it about them. */
export interface Ways {
  readonly nats: TcpProxy;
  readonly api: TcpProxy;
  readonly env: Readonly<Record<string, string>>;
}

export interface Counterparts {
  readonly ground: Ground;
  readonly cloud: Cloud;
  /** The pods' way to the cloud. */
  readonly wayToCloud: TcpProxy;
  /** Folders whose files no secret may be in, but for those that hold the Secret itself. */
  readonly natsData: string;
  /** Strings that are nobody's business: tokens and passwords of the counterparts. */
  readonly secrets: readonly string[];
  /** A clouds.yaml of the pods' user. */
  cloudsYaml(password: string): string;
  waysOf(pod: string): Promise<Ways>;
  /** Both kill a server. @returns the way to start it again, with its data, at its port */
  killNats(): Promise<() => Promise<void>>;
  killApi(): Promise<() => Promise<void>>;
}

export async function openCounterparts(program: string, onServed: (call: ServedCall) => void): Promise<Counterparts> {
  const clock = systemClock();
  const folder = await mkdtemp(join(tmpdir(), 'troupe-chaos-'));
  const closing: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    let api = await startApi(join(folder, 'api'));
    closing.push(() => killed(api.child));
    const { served } = api;
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigText(served), { mode: 0o600 });

    const startNats = (port?: number): ReturnType<typeof startNatsServer> =>
      startNatsServer({
        program,
        path: '',
        cacheFolder: folder,
        fetch: globalThis.fetch,
        onProgress: () => undefined,
        folder: join(folder, 'nats'),
        clock,
        ...(port !== undefined && { port }),
      });
    let nats = await startNats();
    closing.push(() => nats.close());
    const { url } = nats;

    let cloud: Cloud | undefined;
    const wayToCloud = await startProxy('127.0.0.1', () => cloud?.port ?? 0);
    closing.push(() => wayToCloud.close());
    const publicOrigin = `http://127.0.0.1:${wayToCloud.port}`;
    const started = await Cloud.start({ publicOrigin, tokenLifetimeMs: TOKEN_LIFETIME_MS, onServed });
    cloud = started;
    closing.push(() => started.close());
    const ownPassword = `own-${clock.random().toString(36).slice(2)}`;
    await started.ask({ ask: 'addUser', name: OWN_USER, password: ownPassword });
    const cloudsYaml = (username: string, password: string): string =>
      JSON.stringify({
        clouds: {
          [CLOUD_NAME]: {
            auth: {
              auth_url: `${publicOrigin}/identity/v3`,
              username,
              password,
              project_name: 'admin',
              user_domain_name: 'Default',
              project_domain_name: 'Default',
            },
            region_name: 'RegionOne',
          },
        },
      });

    const natsPassword = new URL(url).password;
    return {
      cloud: started,
      wayToCloud,
      natsData: join(folder, 'nats', 'data'),
      secrets: [served.token, natsPassword],
      cloudsYaml: (password) => cloudsYaml('admin', password),
      ground: {
        name: 'processes of their own',
        folder,
        kubeconfig,
        api: undefined,
        simulator: undefined,
        cloudsYaml: cloudsYaml(OWN_USER, ownPassword),
        cloudName: CLOUD_NAME,
        deadlineMs: DEADLINE_MS,
        nats: { url, prefix: 'troupe' },
        connect: (process, options) => natsBus({ url, clock, process, firstLease: 'immediate', ...options }),
        interruptBus: undefined,
        interruptApi: undefined,
        close,
      },
      async waysOf(pod) {
        const toNats = await startProxy('127.0.0.1', Number(new URL(url).port));
        const toApi = await startProxy('127.0.0.1', Number(new URL(served.url).port));
        closing.push(toNats.close, toApi.close);
        const path = join(folder, `kubeconfig-${pod}`);
        const text = (await readFile(kubeconfig, 'utf8')).replace(served.url, `https://127.0.0.1:${toApi.port}`);
        await writeFile(path, text, { mode: 0o600 });
        const through = new URL(url);
        through.port = String(toNats.port);
        return { nats: toNats, api: toApi, env: { KUBECONFIG: path, NATS_URL: through.toString() } };
      },
      async killNats() {
        process.kill(nats.pid, 'SIGKILL');
        await nats.exited;
        return async () => {
          nats = await startNats(Number(new URL(url).port));
        };
      },
      async killApi() {
        await killed(api.child);
        return async () => {
          api = await startApi(join(folder, 'api'));
        };
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startApi(folder: string): Promise<{ readonly child: ChildProcess; readonly served: Served }> {
  const child = fork(API_PROGRAM, [folder, String(REMEMBERED_CHANGES)]);
  const [served] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the API server has ended'))),
  ])) as [Served];
  return { child, served };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
