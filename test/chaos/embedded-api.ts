// The embedded API server in a process of its own, which is killed, started again with its data, and forgets changes soon.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kubeconfigText } from '../../adapters/simulated/kubernetes/kubeconfig.ts';
import type { Served } from '../adapters/simulated/kubernetes/served.ts';
import { startProxy, type TcpProxy } from '../bus/proxy.ts';
import { killed } from './child.ts';
import type { ApiServer } from './environment.ts';

const PROGRAM = fileURLToPath(new URL('../adapters/simulated/kubernetes/served.ts', import.meta.url));
/** So few that a watch which was away for a moment is told that it is too old. */
const REMEMBERED_CHANGES = 40;

export async function embeddedApi(folder: string): Promise<ApiServer> {
  const data = join(folder, 'api');
  let { child, served } = await start(data);
  const { url, token } = served;
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(served), { mode: 0o600 });
  const proxies: TcpProxy[] = [];
  return {
    name: 'the embedded API server',
    kubeconfig,
    secrets: [token],
    missed: REMEMBERED_CHANGES + 10,
    async wayOf(pod) {
      const proxy = await startProxy('127.0.0.1', Number(new URL(url).port));
      proxies.push(proxy);
      const path = join(folder, `kubeconfig-${pod}`);
      const text = kubeconfigText({ ...served, url: `https://127.0.0.1:${proxy.port}` });
      await writeFile(path, text, { mode: 0o600 });
      return { proxy, kubeconfig: path, outdate: () => undefined, refuse: undefined };
    },
    async kill() {
      await killed(child);
      return async () => {
        ({ child, served } = await start(data));
      };
    },
    async close() {
      for (const proxy of proxies) await proxy.close();
      await killed(child);
    },
  };
}

async function start(folder: string): Promise<{ readonly child: ChildProcess; readonly served: Served }> {
  const child = fork(PROGRAM, [folder, String(REMEMBERED_CHANGES)]);
  const [served] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the API server has ended'))),
  ])) as [Served];
  return { child, served };
}
