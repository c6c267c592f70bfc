// Who converts hosts between their versions: a pod with the role `webhooks`, and the way of the API server there, which stands
// for the Service. An embedded API server knows no Services: it is told a URL.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { installCrds } from '../../actors/cli/crds.ts';
import { contractsIn } from '../../adapters/ironic/api/contracts.ts';
import type { Phase } from '../../adapters/ironic/api/definitions.ts';
import { metal3Webhooks } from '../../adapters/ironic/webhooks.ts';
import { startProxy, type TcpProxy } from '../bus/proxy.ts';
import { Pod, type PodDeps } from './pod.ts';
import type { Stand } from './stand.ts';
import { between, type Misfortune, ofWay, type StandFaultDeps } from './stand-faults.ts';

export interface Converter {
  readonly pod: Pod;
  /** Of the API server. */
  readonly way: TcpProxy;
  /** Applies the definitions of a phase, and waits until the API server is told whom to trust. */
  define(phase: Phase): Promise<void>;
  /** What befalls it. */
  misfortunes(deps: Pick<StandFaultDeps, 'clock' | 'random' | 'tell'>): readonly Misfortune[];
  close(): Promise<void>;
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Longest that it is away, in milliseconds: nobody reads or writes a host in the version that is not stored meanwhile. */
const AWAY_MS = 2_500;
const WAY_MS = 4_000;
/** Longest wait until it is there again, in milliseconds. */
const LISTENS_WITHIN_MS = 15_000;

export async function startConverter(stand: Stand, deps: PodDeps): Promise<Converter> {
  const { clock, world } = deps;
  const port = await freePort();
  const env = { ...deps.env, TROUPE_ROLES: 'webhooks', TROUPE_WEBHOOK_ADDRESS: `127.0.0.1:${port}` };
  const pod = new Pod('webhooks', await stand.waysOf('webhooks'), { ...deps, env });
  const way = await startProxy('127.0.0.1', port);
  /** It has read its certificate, or the API server is away for longer than that is waited for. */
  const listens = async (): Promise<void> => {
    const until = clock.now() + LISTENS_WITHIN_MS;
    while (clock.now() < until && !(await isTaken(port))) await clock.sleep(100);
  };
  pod.start();
  return {
    pod,
    way,
    async define(phase) {
      const webhook = { url: `https://127.0.0.1:${way.port}/convert` };
      await installCrds(world.client, clock, () => undefined, contractsIn({ phase, webhook }));
      for (const name of metal3Webhooks.conversion?.definitions ?? []) {
        await world.eventually(`the API server trusts who converts ${name}`, async () => {
          const { body } = await world.client.call({ method: 'GET', path: `${DEFINITIONS}/${name}` });
          const spec = JSON.stringify(body['spec']);
          return spec.includes('"caBundle"') ? undefined : spec;
        });
      }
    },
    misfortunes(faultDeps) {
      const { tell } = faultDeps;
      return [
        {
          name: 'converter killed',
          weight: 8,
          to: ['webhooks'],
          async play() {
            tell('chaos', 'kills who converts hosts between their versions');
            await pod.kill();
            await clock.sleep(between(faultDeps, 0, AWAY_MS));
            pod.start();
            await listens();
            tell('chaos', 'hosts are converted again');
          },
        },
        ...ofWay(faultDeps, 'the way to who converts hosts', way, ['webhooks'], WAY_MS),
      ];
    },
    close: () => way.close(),
  };
}

async function isTaken(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
