// A real API server, which others use too: each pod reaches it through a gateway of its own, which can refuse its token
// and call its watches too old. The gateway has the credentials; the pods have a token that is good for the gateway alone.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accessByKubeconfig } from '../../adapters/kubernetes/kubeconfig.ts';
import type { Clock } from '../../bus/mod.ts';
import { startProxy } from '../bus/proxy.ts';
import type { ApiServer } from './environment.ts';
import { type Gateway, type Given, json, startGateway, upstream } from './gateway.ts';

export interface RealApiDeps {
  clock: Clock;
  kubeconfig: string;
  folder: string;
  /** A shell command that kills the server, starts it again, and ends when it is ready. */
  restart: string | undefined;
}

/** Every change is one too many, as the gateway says which watches are too old. */
const MISSED = 3;

export async function realApi({ clock, kubeconfig, folder, restart }: RealApiDeps): Promise<ApiServer> {
  const { server, credentials } = accessByKubeconfig(kubeconfig);
  const { tls, headers } = await credentials();
  const behind = upstream(tls);
  const token = `pod-${clock.random().toString(36).slice(2)}`;
  const closing: (() => Promise<void>)[] = [behind.close];
  return {
    name: 'a real API server',
    kubeconfig,
    secrets: [token],
    missed: MISSED,
    async wayOf(pod) {
      let oldest = 0n;
      let refusals = 0;
      const gateway: Gateway = await startGateway(async (passing) => {
        if (refusals > 0) {
          refusals--;
          return json(401, failure(401, 'Unauthorized', 'Unauthorized'));
        }
        const { searchParams } = new URL(passing.path, server);
        const since = searchParams.get('resourceVersion') ?? '';
        if (searchParams.has('watch') && since !== '' && BigInt(since) < oldest) return tooOld(since, oldest);
        const { authorization: _, ...rest } = passing.headers;
        return behind.send(server, { ...passing, headers: { ...rest, ...headers } });
      });
      const proxy = await startProxy('127.0.0.1', gateway.port);
      closing.push(gateway.close, proxy.close);
      const path = join(folder, `kubeconfig-${pod}`);
      await writeFile(path, kubeconfigOf(`http://127.0.0.1:${proxy.port}`, token), { mode: 0o600 });
      return {
        proxy,
        kubeconfig: path,
        outdate(version) {
          oldest = BigInt(version);
        },
        refuse(times) {
          refusals = times;
        },
      };
    },
    kill:
      restart === undefined
        ? undefined
        : async () => {
            await promisify(execFile)('bash', ['-c', restart]);
            return async () => undefined;
          },
    async close() {
      for (const end of closing.splice(0).reverse()) await end();
    },
  };
}

/** As kube-apiserver says it: the watch begins, and its first event is its end. */
function tooOld(since: string, oldest: bigint): Given {
  const object = failure(410, 'Expired', `too old resource version: ${since} (${oldest})`);
  const event = JSON.stringify({ type: 'ERROR', object });
  return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(`${event}\n`) };
}

function failure(code: number, reason: string, message: string): Readonly<Record<string, unknown>> {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message };
}

/** JSON is YAML. */
function kubeconfigOf(server: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'chaos', cluster: { server } }],
    users: [{ name: 'pod', user: { token } }],
    contexts: [{ name: 'chaos', context: { cluster: 'chaos', user: 'pod' } }],
    'current-context': 'chaos',
  });
}
