// Environment of the pods, whatever they control: an API server, embedded or real, and a nats-server, which is always the test's
// own. Each pod reaches both through proxies of its own.
import { join } from 'node:path';
import { natsBus, startNatsServer } from '../../bus/mod.ts';
import type { Clock } from '../../bus/time.ts';
import { startProxy, type TcpProxy } from '../bus/proxy.ts';
import type { Ground } from '../world/environments.ts';
import { embeddedApi } from './embedded-api.ts';
import { realApi } from './real-api.ts';

/** An API server, and what can be done to it. */
export interface ApiServer {
  /** For people. */
  readonly name: string;
  /** Of the test itself. */
  readonly kubeconfig: string;
  /** Strings that the pods are given and nobody else's business. */
  readonly secrets: readonly string[];
  /** Changes that a pod has to miss before its watches can be too old. */
  readonly missed: number;
  wayOf(pod: string): Promise<ApiWay>;
  /** @returns the way to start it again, with its data, at its port; undefined: it is not ours to kill */
  readonly kill: (() => Promise<() => Promise<void>>) | undefined;
  close(): Promise<void>;
}

/** One pod's way to the API server. */
export interface ApiWay {
  readonly proxy: TcpProxy;
  readonly kubeconfig: string;
  /** Watches that go on from before `version` are too old from now on, if they are not anyway. */
  outdate(version: string): void;
  /** The pod's token is refused so many times; undefined: nobody can do that here. */
  readonly refuse: ((times: number) => void) | undefined;
}

/** The ways of one pod to what it needs, and what to tell it about them. */
export interface Ways {
  readonly nats: TcpProxy;
  readonly api: ApiWay;
  readonly env: Readonly<Record<string, string>>;
}

export interface Environment {
  readonly api: ApiServer;
  readonly nats: { readonly url: string; readonly prefix: string };
  /** A folder whose files no secret may be in. */
  readonly natsData: string;
  /** Strings that the pods are given and nobody else's business. */
  readonly secrets: readonly string[];
  waysOf(pod: string): Promise<Ways>;
  /** @returns the way to start it again, with its data, at its port */
  killNats(): Promise<() => Promise<void>>;
  connect: Ground['connect'];
  close(): Promise<void>;
}

export interface EnvironmentDeps {
  clock: Clock;
  /** For all its files. */
  folder: string;
  /** A nats-server that several processes can share. */
  program: string;
  /** Of a real API server; embedded without. */
  kubeconfig?: string | undefined;
  /** A shell command that kills the real API server, starts it again, and ends when it is ready. */
  restartApi?: string | undefined;
}

export async function openEnvironment(deps: EnvironmentDeps): Promise<Environment> {
  const { clock, folder, program, kubeconfig, restartApi: restart } = deps;
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const api = await (kubeconfig ? realApi({ clock, kubeconfig, folder, restart }) : embeddedApi(folder));
    closing.push(api.close);
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
    return {
      api,
      nats: { url, prefix: 'troupe' },
      natsData: join(folder, 'nats', 'data'),
      secrets: [...api.secrets, new URL(url).password],
      connect: (process, options) => natsBus({ url, clock, process, firstLease: 'immediate', ...options }),
      async waysOf(pod) {
        const toNats = await startProxy('127.0.0.1', Number(new URL(url).port));
        closing.push(toNats.close);
        const toApi = await api.wayOf(pod);
        const through = new URL(url);
        through.port = String(toNats.port);
        return { nats: toNats, api: toApi, env: { KUBECONFIG: toApi.kubeconfig, NATS_URL: through.toString() } };
      },
      async killNats() {
        process.kill(nats.pid, 'SIGKILL');
        await nats.exited;
        return async () => {
          nats = await startNats(Number(new URL(url).port));
        };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
