// Converter of hosts between their versions: a pod with the role `webhooks`, and the way of the API server there, which stands
// for the Service. An embedded API server knows no Services: it is told a URL.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { installCrds } from '../../../../actors/process/install-crds.ts';
import { contractsIn } from '../../../../adapters/ironic/api/contracts.ts';
import type { Phase } from '../../../../adapters/ironic/api/definitions.ts';
import { metal3Webhooks } from '../../../../adapters/ironic/webhooks.ts';
import { startProxy, type TcpProxy } from '../../../bus/proxy.ts';
import { settled } from '../../../world/speed.ts';
import type { World } from '../../../world/world.ts';
import { ofWay } from '../../faults.ts';
import type { Fault, Run } from '../../model.ts';
import { between } from '../../random.ts';

export interface Converter {
  /** Of the API server. */
  readonly way: TcpProxy;
  /** Applies the definitions of a phase, and waits until the API server is told whom to trust. */
  define(phase: Phase): Promise<void>;
  readonly faults: readonly Fault[];
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Longest that it is away, in milliseconds: nobody reads or writes a host in the version that is not stored meanwhile. */
const AWAY_MS = 2_500;
const WAY_MS = 4_000;
/** Longest wait until it is there again on the reference machine, in milliseconds. */
const LISTENS_WITHIN_MS = 15_000;

export async function startConverter(run: Run, world: World): Promise<Converter> {
  const { clock, random, report } = run;
  const port = await freePort();
  const env = { TROUPE_ROLES: 'webhooks', TROUPE_WEBHOOK_ADDRESS: `127.0.0.1:${port}` };
  const pod = await run.addPod(world, 'webhooks', { env, faults: 'own' });
  const way = await startProxy('127.0.0.1', port);
  run.closing(way.close);
  pod.start();
  return {
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
    faults: [
      {
        name: 'converter killed',
        weight: 8,
        to: ['webhooks'],
        async play() {
          report('chaos', 'kills who converts hosts between their versions');
          await pod.kill();
          await clock.sleep(between(random, 0, AWAY_MS));
          pod.start();
          // It has read its certificate, or the API server is away for longer than that is waited for.
          await settled(clock, LISTENS_WITHIN_MS, async () => ((await isTaken(port)) ? [] : ['it does not listen']));
          report('chaos', 'hosts are converted again');
        },
      },
      ...ofWay(run, 'the way to who converts hosts', way, ['webhooks'], WAY_MS),
    ],
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
