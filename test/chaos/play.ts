// One run of chaos: a landscape changes and goes while misfortunes befall everybody, and then it must be as it was asked
// for. The seed decides what happens to whom and when; what the processes make of it is theirs.

import { parse } from 'yaml';
import { mulberry32, systemClock } from '../../actors/clock.ts';
import type { ServedCall } from '../../adapters/openstack/simulator/mod.ts';
import { isOneToOne, isUp, landscape, type SampleObject } from '../actors/landscape.ts';
import { loneMs } from '../actors/lone-networks.ts';
import { deployedHeap } from '../actors/processes.ts';
import { startFileHost } from '../adapters/openstack/file-host.ts';
import { startProxy } from '../bus/proxy.ts';
import { TABLES } from '../world/cloud-contents.ts';
import { World } from '../world/world.ts';
import { befall, changing, DOWN, UP, within } from './befalling.ts';
import { CloudLog, withoutBeginning } from './cloud-log.ts';
import { type Addresses, type Counterparts, openCounterparts } from './counterparts.ts';
import { dataCentre, without } from './data-centre.ts';
import { changeSomething, type FaultDeps, misfortunes, writeSecret } from './faults.ts';
import {
  judgeConditions,
  judgeEvents,
  judgeLogs,
  judgeMail,
  judgeMemory,
  judgeNeighbour,
  judgeSecrets,
} from './judgement.ts';
import { judgeOrder } from './order.ts';
import { Pod } from './pod.ts';
import { leftOut } from './stand-faults.ts';
import { story, type Teller } from './story.ts';
import { Tenant } from './tenant.ts';
import { User } from './user.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** How long it all takes if everybody settles soon: UP and DOWN say how much of it is chaos. */
  readonly seconds: number;
  /** A nats-server that several processes can share. */
  readonly program: string;
  /** Of counterparts that are real; all are embedded without. */
  readonly addresses?: Addresses;
  /** Who else has a namespace: a tenant who means harm. Nobody unless stated. */
  readonly neighbour?: 'hostile' | 'none';
}

export interface ChaosOutcome {
  readonly violations: readonly string[];
  readonly story: readonly string[];
  readonly figures: {
    readonly faults: number;
    readonly changes: number;
    /** From the last misfortune until all was as asked for, in milliseconds. */
    readonly settledMs: number;
    readonly goneMs: number;
    readonly cloudCalls: number;
    /** References that were seen to be kept in order. */
    readonly ordered: number;
    /** A lone network until it is Available, median: with nobody else at work, and beside the tenant, in milliseconds. */
    readonly quietMs: number;
    readonly besideMs: number;
    /** Objects that the tenant has made. */
    readonly hostile: number;
    /** The most memory that a pod has held, in MiB. */
    readonly peakMib: number;
  };
}

/** Lone networks that are timed, each time. */
const LONE = 7;
/** Beside the tenant a lone network may take so many times as long as without, and so much more, in milliseconds. */
const SLOWER = { times: 10, moreMs: 2_000 };
/** Longest time between two deeds of the tenant, in milliseconds: he is not to have the machine to himself. */
const TENANT_MS = 500;
/** How the simulated cloud's tokens begin. */
const TOKEN = 'gAAAAAB';

export async function playChaos(options: ChaosOptions): Promise<ChaosOutcome> {
  const { seed, seconds, program, addresses = {}, neighbour = 'none' } = options;
  const clock = systemClock();
  const beganAt = clock.now();
  const lines: { at: number; who: string; what: string }[] = [];
  const calls: ServedCall[] = [];
  const violations: string[] = [];
  const passwords: string[] = [];
  const tell: Teller = (who, what) => void lines.push({ at: clock.now(), who, what });
  const violate = (what: string): void => {
    violations.push(what);
    tell('VIOLATION', what);
  };
  const secrets = (): readonly string[] => [...counterparts.secrets, ...passwords, TOKEN];
  const cloudLog = new CloudLog(violate);
  const counterparts = await openCounterparts({
    program,
    neighbour,
    addresses,
    onBegun: (call) => cloudLog.begin(call),
    onServed(call) {
      calls.push(call);
      cloudLog.take(call);
    },
  });
  const { api, cloud, pace } = counterparts;
  const { leaseMs, settleMs } = pace;
  const world = await World.open(async () => counterparts.ground, {
    runtime: 'stopped',
    credentials: 'absent',
    leaseMs,
  });
  const pods: Pod[] = [];
  const figures = {
    faults: 0,
    changes: 0,
    settledMs: 0,
    goneMs: 0,
    cloudCalls: 0,
    ordered: 0,
    quietMs: 0,
    besideMs: 0,
    hostile: 0,
    peakMib: 0,
  };
  let tenant: Tenant | undefined;
  const files = await startFileHost();
  const wayToFiles = await startProxy('127.0.0.1', files.port);
  try {
    const onPassword = (password: string): void => void passwords.push(password);
    const random = mulberry32(seed);
    const deps: FaultDeps = {
      world,
      stand: counterparts,
      pods,
      files: wayToFiles,
      clock,
      random,
      tell,
      onPassword,
      changeSomething: (times) => changeSomething({ world, random }, times),
    };
    const env = await deployedHeap();
    for (const name of ['one', 'two']) {
      const ways = await counterparts.waysOf(name);
      pods.push(new Pod(name, ways, { world, clock, pace, env, onViolation: violate }));
    }
    const first = `pw-${clock.random().toString(36).slice(2)}`;
    onPassword(first);
    await cloud.setPassword(first);
    await writeSecret(deps, first);
    await world.outside(world.name('public'));

    const serve = (path: string, content: Uint8Array): string => {
      const url = new URL(files.file(path, content));
      url.port = String(wayToFiles.port);
      return url.href;
    };
    const { podUser } = cloud;
    const all = [...landscape(world).flat(), ...dataCentre({ world, serve, podUser, onSecret: onPassword })];
    const lacking = (await world.lacking()).map(({ kind }) => kind);
    const { kept: objects, left } = without(all, lacking);
    const user = new User({ world, clock, random: mulberry32(seed + 1), objects, tell });
    for (const pod of pods) pod.start();
    await Promise.all(pods.map((pod) => pod.runs()));
    tell('chaos', `begins with seed ${seed}: ${objects.length} objects, two pods, ${api.name}, ${cloud.name}`);
    for (const line of [...leftOut(counterparts), ...leftBehind(left, lacking)]) tell('chaos', line);

    // --- somebody else comes ---
    figures.quietMs = await loneMs(world, 'quiet', LONE);
    if (neighbour === 'hostile') {
      const honestCloud = authUrlOf(counterparts);
      tenant = await Tenant.settle({
        world,
        clock,
        random: mulberry32(seed + 3),
        tell,
        honestCloud,
        paceMs: TENANT_MS,
      });
      tenant.begin();
    }

    // --- the landscape comes up, and changes ---
    const changes = changing({ clock, random: mulberry32(seed + 2) }, seconds * UP, () => user.step());
    figures.faults += await befall(deps, misfortunes(deps), seconds * UP);
    figures.changes = await changes;
    await quiet(deps);
    const quietAt = clock.now();
    await within(clock, settleMs, violate, async () => {
      await user.completeAll();
      const missing = objects.filter((object) => !isUp(world, object));
      return missing.map(({ kind, name }) => {
        const object = world.follower.get(kind, name);
        const { deletionTimestamp, finalizers } = object?.metadata ?? {};
        return `${kind}/${name} is not available: ${JSON.stringify({ deletionTimestamp, finalizers, status: object?.status })}`;
      });
    });
    figures.settledMs = Math.round(clock.now() - quietAt);
    tell('chaos', 'all is as it was asked for, or should be');
    await checked(violate, () => isOneToOne(world, objects));
    await judgeMail(counterparts.natsData, secrets(), violate);
    await judgeEvents(world, secrets(), violate);
    figures.besideMs = await loneMs(world, 'beside', LONE);
    if (figures.besideMs > SLOWER.times * figures.quietMs + SLOWER.moreMs)
      violate(`a lone network took ${figures.besideMs} ms beside the tenant, ${figures.quietMs} ms without`);

    // --- it goes ---
    await world.deleteNamespace();
    tell('user', 'deletes the namespace');
    const others = misfortunes(deps).filter(({ name }) => name !== 'secret rotated' && name !== 'watch expired');
    figures.faults += await befall(deps, others, seconds * DOWN);
    await quiet(deps);
    const goingAt = clock.now();
    await within(clock, settleMs, violate, async () =>
      world.follower
        .all()
        .map(({ kind, metadata }) => `${kind}/${metadata.name} is not gone: ${JSON.stringify(metadata.finalizers)}`),
    );
    figures.goneMs = Math.round(clock.now() - goingAt);
    await world.namespaceGone();
    tell('chaos', 'all is gone, or should be');
    for (const { kind, collection } of TABLES.values()) {
      if (lacking.includes(kind)) continue;
      for (const { name, id } of await world.contents(collection)) {
        if (name !== world.name('public')) violate(`orphan: '${name}' of ${collection} (${id}) is left at the cloud`);
      }
    }
    figures.hostile = tenant?.made ?? 0;
    figures.peakMib = await judgeMemory(pods, violate);
    for (const pod of pods) await pod.stop();
    judgeNeighbour(world, tenant?.namespace, violate);
    judgeLogs(pods, violate);
    judgeConditions(world, objects, violate);
    figures.ordered = judgeOrder(world.follower, violate);
    if (figures.ordered === 0) violate('nothing was seen of the order');
    judgeSecrets({ pods, world, secrets: secrets(), violate });
  } catch (error) {
    violate(`the run broke off: ${error instanceof Error ? error.stack : error}`);
  } finally {
    for (const pod of pods) await pod.kill();
    await tenant?.close();
    await world.close();
    await wayToFiles.close();
    await files.close();
  }
  figures.cloudCalls = calls.length;
  const names = new Map(
    world.follower.everSeen().flatMap((key) => {
      const [kind = '', name = ''] = key.split('/');
      return world.follower
        .history(kind, name)
        .map(({ metadata }): [string, string] => [withoutBeginning(metadata.uid), key]);
    }),
  );
  const logs = new Map(
    pods.flatMap(({ name, lives }) => lives.map((life, index) => [`${name}#${index + 1}`, life.lines])),
  );
  return { violations, story: story({ beganAt, lines, logs, calls, names }), figures };
}

/** What the landscape lacks here, and why; a line a kind that the cloud has nothing for. */
function leftBehind(left: readonly SampleObject[], lacking: readonly string[]): readonly string[] {
  if (left.length === 0) return [];
  const services = new Set(lacking.map((kind) => TABLES.get(kind)?.service.type));
  const names = left.map(({ kind, name }) => `${kind}/${name}`);
  return [`leaves out ${names.join(', ')}: the cloud has no service ${[...services].join(', ')}`];
}

async function quiet({ stand: { cloud }, files, pods, tell }: FaultDeps): Promise<void> {
  for (const { ways } of pods) for (const way of [ways.nats, ways.api.proxy]) way.heal();
  for (const way of [cloud.way, files]) way.heal();
  await cloud.clear();
  tell('chaos', 'leaves everybody alone');
}

async function checked(violate: (what: string) => void, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    const { message, details = '' } = error as { message: string; details?: string };
    violate(`I4: ${message} ${details}`);
  }
}

/** Of the cloud that the honest ones use. */
function authUrlOf({ ground: { cloudsYaml, cloudName } }: Counterparts): string {
  const { clouds } = parse(cloudsYaml) as { readonly clouds: Record<string, { readonly auth: { auth_url: string } }> };
  return clouds[cloudName]?.auth.auth_url ?? '';
}
