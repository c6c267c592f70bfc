// Model of a landscape on a cloud: the sample landscape with what stands on it, on a simulated cloud or a real one, and a hostile
// tenant beside it if wanted.
import { openstackContracts } from '../../../../adapters/openstack/mod.ts';
import type { ServedCall } from '../../../../adapters/simulated/openstack/mod.ts';
import { isOneToOne, isUp, landscape, type SampleObject } from '../../../actors/landscape.ts';
import { loneMs } from '../../../actors/lone-networks.ts';
import { startFileHost } from '../../../adapters/openstack/file-host.ts';
import { startProxy } from '../../../bus/proxy.ts';
import { TABLES } from '../../../world/cloud-contents.ts';
import { slowness } from '../../../world/speed.ts';
import { CREDENTIALS } from '../../../world/world.ts';
import type { Model, Pace, Run, Scenario } from '../../model.ts';
import type { Cloud } from './cloud.ts';
import { CloudLog, linesOf } from './cloud-log.ts';
import { dataCentre, without } from './data-center.ts';
import { cloudFaults, LOGIN } from './faults.ts';
import { judgeConditions, judgeNeighbor } from './invariants.ts';
import { judgeOrder } from './order.ts';
import { realCloud } from './real-cloud.ts';
import { simulatedCloud } from './simulated-cloud.ts';
import { Tenant } from './tenant.ts';
import { userOf } from './user.ts';

/** Which of the counterparts are real; those that are not named are embedded. */
export interface Addresses {
  readonly kubeconfig?: string | undefined;
  /** A shell command that kills the API server, starts it again, and ends when it is ready. */
  readonly restartApi?: string | undefined;
  readonly cloudsFile?: string | undefined;
  /** The entry in that file. */
  readonly cloudName?: string | undefined;
}

/** What `--real` and the suites of real counterparts go by. */
export function addressesIn(env: Readonly<Record<string, string | undefined>>): Addresses {
  return {
    kubeconfig: env['KUBECONFIG'],
    restartApi: env['TROUPE_CHAOS_RESTART_KUBE'],
    cloudsFile: env['OS_CLIENT_CONFIG_FILE'],
    cloudName: env['OS_CLOUD'],
  };
}

export interface ResourcesOptions {
  readonly addresses?: Addresses;
  /** Who else has a namespace: a tenant who means harm. */
  readonly neighbor?: 'hostile' | 'none';
}

const EMBEDDED: Pace = { leaseMs: 3_000, settleMs: 90_000, callsInFlight: 16 };
/** Beside hundreds of objects of a neighbor a takeover takes longer than a lease may be short. */
const CROWDED: Pace = { ...EMBEDDED, leaseMs: 6_000 };
/** A real Neutron does some 25 changes a second when it has the machine to itself, and one or two when it has not. */
const REAL: Pace = { leaseMs: 15_000, settleMs: 180_000, callsInFlight: 3 };
/** Lone networks that are timed, each time. */
const LONE = 7;
/** Beside the tenant a lone network may take so many times as long as without, and so much more, in milliseconds. */
const SLOWER = { times: 10, moreMs: 2_000 };
/** Longest time between two deeds of the tenant, in milliseconds: he is not to have the machine to himself. */
const TENANT_MS = 500;
/** How the simulated cloud's tokens begin. */
const TOKEN = 'gAAAAAB';

export function resources({ addresses = {}, neighbor = 'none' }: ResourcesOptions = {}): Model {
  const { kubeconfig, restartApi, cloudsFile } = addresses;
  return {
    name: 'resources',
    pace: cloudsFile ? REAL : neighbor === 'hostile' ? CROWDED : EMBEDDED,
    actEvery: { least: 50, most: 600 },
    faultEvery: { least: 300, most: 2_500 },
    tells: 'always',
    api: { kubeconfig, restartApi },
    open: (run) => open(run, addresses, neighbor),
  };
}

async function open(
  run: Run,
  { kubeconfig, cloudsFile, cloudName = 'test' }: Addresses,
  neighbor: 'hostile' | 'none',
): Promise<Scenario> {
  const { clock, violate, report, passwords, closing } = run;
  const calls: ServedCall[] = [];
  const cloudLog = new CloudLog(violate);
  const listener = {
    onBegun: (call: Pick<ServedCall, 'method' | 'path' | 'body'>) => cloudLog.begin(call),
    onServed(call: ServedCall) {
      calls.push(call);
      cloudLog.take(call);
    },
  };
  const cloud: Cloud = await (cloudsFile
    ? realCloud({ clock, cloudsFile, cloudName, ...listener })
    : simulatedCloud({ clock, ...listener }));
  closing(cloud.close);
  run.keepSecret(TOKEN);
  // What others use too is left as it was.
  const name = kubeconfig || cloudsFile ? 'real' : 'processes of their own';
  const world = await run.openWorld({ name, cloudsYaml: cloud.ownCloudsYaml, cloudName: cloud.cloudName }, {});
  const files = await startFileHost();
  closing(files.close);
  const wayToFiles = await startProxy('127.0.0.1', files.port);
  closing(wayToFiles.close);
  for (const pod of ['one', 'two']) await run.addPod(world, pod);
  await cloud.setPassword(passwords.of(LOGIN));
  const writeSecret = (): Promise<void> => world.secret(CREDENTIALS, cloud.cloudsYaml(passwords.of(LOGIN)));
  await writeSecret();
  await world.outside(world.name('public'));

  const serve = (path: string, content: Uint8Array): string => {
    const url = new URL(files.file(path, content));
    url.port = String(wayToFiles.port);
    return url.href;
  };
  const parts = { world, serve, podUser: cloud.podUser, onSecret: (text: string) => run.keepSecret(text) };
  const lacking = (await world.lacking()).map(({ kind }) => kind);
  const { kept: objects, left } = without([...landscape(world).flat(), ...dataCentre(parts)], lacking);
  const user = userOf(run, world, objects);
  const { follower } = world;
  const seen = { changes: 0, ordered: 0, quietMs: 0, besideMs: 0 };
  let tenant: Tenant | undefined;
  return {
    world,
    parts: `${objects.length} objects, two pods, ${cloud.name}`,
    notes: leftBehind(left, lacking),
    faults: cloudFaults({ ...run, cloud, files: wayToFiles, writeSecret }),
    ways: [cloud.way, wayToFiles],
    kinds: openstackContracts,
    clear: cloud.clear,
    present: () =>
      objects
        .filter(({ kind, name }) => kind !== 'Secret' && follower.get(kind, name) !== undefined)
        .map(({ kind, name }) => world.path(kind, name)),
    async begin() {
      seen.quietMs = await loneMs(world, 'quiet', LONE);
      if (neighbor === 'none') return;
      const random = run.randomFor(3);
      tenant = await Tenant.settle({ world, clock, random, report, honestCloud: cloud.authUrl, paceMs: TENANT_MS });
      closing(() => tenant?.close());
      tenant.begin();
    },
    async step() {
      await user.step();
      seen.changes++;
    },
    changes: () => seen.changes,
    async unsettled() {
      await user.complete();
      return objects
        .filter((object) => !isUp(world, object))
        .map(({ kind, name }) => {
          const { metadata: { deletionTimestamp, finalizers } = {}, status } = follower.get(kind, name) ?? {};
          return `${kind}/${name} is not available: ${JSON.stringify({ deletionTimestamp, finalizers, status })}`;
        });
    },
    async judgeSettled() {
      await isOneToOne(world, objects).catch(({ message, details = '' }: { message: string; details?: string }) =>
        violate(`I4: ${message} ${details}`),
      );
      seen.besideMs = await loneMs(world, 'beside', LONE);
      const limitMs = (SLOWER.times * seen.quietMs + SLOWER.moreMs) * slowness(clock);
      if (seen.besideMs > limitMs)
        violate(`a lone network took ${seen.besideMs} ms beside the tenant, ${seen.quietMs} ms without`);
    },
    left: () =>
      follower
        .all()
        .map(({ kind, metadata }) => `${kind}/${metadata.name} is not gone: ${JSON.stringify(metadata.finalizers)}`),
    async judgeGone() {
      for (const { kind, collection } of TABLES.values()) {
        if (lacking.includes(kind)) continue;
        for (const { name, id } of await world.contents(collection)) {
          if (name !== world.name('public')) violate(`orphan: '${name}' of ${collection} (${id}) is left at the cloud`);
        }
      }
    },
    judgeEnd() {
      judgeNeighbor(world, tenant?.namespace, violate);
      judgeConditions(world, objects, violate);
      seen.ordered = judgeOrder(follower, violate);
      if (seen.ordered === 0) violate('nothing was seen of the order');
      const { ordered, quietMs, besideMs } = seen;
      return { cloudCalls: calls.length, ordered, quietMs, besideMs, hostile: tenant?.made ?? 0 };
    },
    reported: () => linesOf(calls, follower),
  };
}

/** What the landscape lacks here, and why; one line for all. */
function leftBehind(left: readonly SampleObject[], lacking: readonly string[]): readonly string[] {
  if (left.length === 0) return [];
  const services = new Set(lacking.map((kind) => TABLES.get(kind)?.service.type));
  const names = left.map(({ kind, name }) => `${kind}/${name}`);
  return [`leaves out ${names.join(', ')}: the cloud has no service ${[...services].join(', ')}`];
}
