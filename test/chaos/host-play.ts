// One run of chaos with bare-metal hosts: hosts change and go while misfortunes befall everybody, Ironic and its machines among
// them, and then they must be as they were asked for, and nothing may have been done to a machine that nobody asked for.
import { mulberry32, systemClock } from '../../actors/clock.ts';
import { metal3Contracts } from '../../adapters/ironic/api/contracts.ts';
import type { Phase } from '../../adapters/ironic/api/definitions.ts';
import { metal3Resource } from '../../adapters/ironic/serving.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { deployedHeap } from '../actors/processes.ts';
import type { Entry } from '../adapters/ironic/orders.ts';
import { newPassword, tracesOf } from '../adapters/ironic/passwords.ts';
import { World } from '../world/world.ts';
import { befall, changing, DOWN, UP, within } from './befalling.ts';
import { type Converter, startConverter } from './converter.ts';
import { type HostFaultDeps, hostMisfortunes } from './host-faults.ts';
import { type HostFigures, judgeOrders, leftoversOf } from './host-judgement.ts';
import { HostUser, hostPath } from './host-user.ts';
import { judgeEvents, judgeLogs, judgeMail, judgeMemory, judgeSecrets } from './judgement.ts';
import { Pod } from './pod.ts';
import { racks as racksWith } from './racks.ts';
import { simulatedIronic } from './simulated-ironic.ts';
import { groundOf, openStand, type Pace, type PlayOptions, type PlayOutcome } from './stand.ts';
import type { Misfortune } from './stand-faults.ts';
import { story, type Teller } from './story.ts';
import { pick } from './user.ts';

/** A call that waits for a node that the conductor holds is refused (409) within two thirds of it, and begins anew. */
const PACE: Pace = { leaseMs: 4_000, settleMs: 120_000, callsInFlight: 16 };
/** So many times as fast as real ones Ironic and its machines are. */
const SPEED = 20;
/** Between two changes of hosts, in milliseconds: each has time to come to something. */
const CHANGES_MS = { least: 100, most: 800 };
/** Between two misfortunes: a deployment takes a dozen requests, one after another. */
const FAULTS_MS = { least: 500, most: 4_000 };
/** Both have both versions; what is stored in v1beta1 is converted for all that the pods read and write. */
const PHASES: readonly Phase[] = [1, 2];
const ENVIRONMENT = {
  TROUPE_IRONIC_SPEED: String(SPEED),
  IRONIC_CLIENT_CACHE_TTL: '500ms',
  // What fails for as long as misfortunes last is tried until they are over.
  TROUPE_MAX_PROVISIONING_RETRIES: '0',
  DEPLOY_KERNEL_URL: 'http://images.test/kernel',
  DEPLOY_RAMDISK_URL: 'http://images.test/ramdisk',
};

export async function playHostChaos({ seed, seconds, program }: PlayOptions): Promise<PlayOutcome<HostFigures>> {
  const clock = systemClock();
  const beganAt = clock.now();
  const lines: { at: number; who: string; what: string }[] = [];
  const violations: string[] = [];
  const passwords: string[] = [];
  const ownPasswords = new Map<string, string>();
  const tell: Teller = (who, what) => void lines.push({ at: clock.now(), who, what });
  const violate = (what: string): void => {
    violations.push(what);
    tell('VIOLATION', what);
  };
  const renew = (host: string): string => {
    const password = newPassword();
    passwords.push(password);
    ownPasswords.set(host, password);
    return password;
  };
  const passwordOf = (host: string): string => ownPasswords.get(host) ?? renew(host);
  const racks = racksWith(passwordOf);
  const opened = await openStand({ clock, program });
  const stand = { ...opened, pace: PACE };
  const ironic = await simulatedIronic({
    clock,
    folder: stand.folder,
    speed: SPEED,
    machines: racks.map(({ machine }) => machine),
    onEntry: (entry) => tell(entry.what === 'wished' ? 'user' : 'ironic', sentence(entry)),
  }).catch(async (error: unknown) => {
    await stand.close();
    throw error;
  });
  const close = async (): Promise<void> => {
    await ironic.close();
    await stand.close();
  };
  const ground = groundOf(stand, { name: 'processes of their own', cloudsYaml: '', cloudName: '', close });
  const secrets = (): readonly string[] => [...stand.secrets, ...passwords.flatMap(tracesOf)];
  const world = await World.open(async () => ground, {
    runtime: 'stopped',
    credentials: 'absent',
    crds: 'absent',
    leaseMs: PACE.leaseMs,
  });
  const random = mulberry32(seed);
  const pods: Pod[] = [];
  let converter: Converter | undefined;
  const figures = { faults: 0, changes: 0, settledMs: 0, goneMs: 0, peakMib: 0 };
  try {
    const heap = await deployedHeap();
    converter = await startConverter(stand, { world, clock, pace: PACE, env: heap, onViolation: violate });
    const { pod, way: toConverter, misfortunes, define } = converter;
    const phase = PHASES[seed % PHASES.length] ?? 1;
    await define(phase);
    for (const { kind, plural } of metal3Contracts) await world.follower.follow(metal3Resource(kind, plural));
    const user = new HostUser({ world, clock, random: mulberry32(seed + 1), racks, ironic, tell, violate, passwordOf });
    const deps: HostFaultDeps = {
      stand,
      pods,
      clock,
      random,
      tell,
      ironic,
      racks,
      user,
      renew,
      async changeSomething(times) {
        const host = pick(
          racks.filter(({ name }) => world.follower.get('BareMetalHost', name) !== undefined),
          random,
        );
        let version: string | undefined;
        for (let change = 0; change < times && host !== undefined; change++) {
          const { body } = await world.client.call({
            method: 'PATCH',
            path: hostPath(world, 'v1alpha1', host.name),
            contentType: 'application/merge-patch+json',
            body: { metadata: { annotations: { 'chaos.test/change': String(change) } } },
          });
          version = String((body['metadata'] as JsonObject)['resourceVersion']);
        }
        return version;
      },
    };
    const env = { ...heap, ...ENVIRONMENT, IRONIC_ENDPOINT: ironic.endpoint };
    for (const name of ['one', 'two']) {
      const ways = await stand.waysOf(name);
      pods.push(new Pod(name, ways, { world, clock, pace: PACE, env, onViolation: violate }));
    }
    for (const pod of pods) pod.start();
    await Promise.all(pods.map((pod) => pod.runs()));
    tell('chaos', `begins with seed ${seed}: ${racks.length} hosts, two pods, ${stand.api.name}, a simulated Ironic`);
    tell('chaos', `stores hosts in ${phase === 1 ? 'v1alpha1' : 'v1beta1'}`);
    const deck = (): readonly Misfortune[] => [...hostMisfortunes(deps), ...misfortunes(deps)];
    const quiet = (): void => {
      for (const { ways } of pods) for (const way of [ways.nats, ways.api.proxy]) way.heal();
      for (const way of [ironic.way, toConverter]) way.heal();
      ironic.clear();
      tell('chaos', 'leaves everybody alone');
    };

    // --- the hosts come up, and change ---
    const pace = { clock, random: mulberry32(seed + 2), pauseMs: CHANGES_MS };
    const changes = changing(pace, seconds * UP, () => user.step());
    figures.faults += await befall({ ...deps, pauseMs: FAULTS_MS }, deck(), seconds * UP);
    await changes;
    figures.changes = user.deeds;
    quiet();
    const quietAt = clock.now();
    await user.putRight();
    await within(clock, PACE.settleMs, violate, () => user.completeAll());
    figures.settledMs = Math.round(clock.now() - quietAt);
    tell('chaos', 'all is as it was asked for, or should be');
    await judgeMail(stand.natsData, secrets(), violate);
    await judgeEvents(world, secrets(), violate);

    // --- they go ---
    await user.wishAllGone();
    await world.deleteNamespace();
    tell('user', 'deletes the namespace');
    const others = deck().filter(({ name }) => name !== 'password changed' && name !== 'watch expired');
    figures.faults += await befall({ ...deps, pauseMs: FAULTS_MS }, others, seconds * DOWN);
    quiet();
    const goingAt = clock.now();
    await within(clock, PACE.settleMs, violate, async () => {
      const sight = await ironic.ask({ ask: 'look' });
      return leftoversOf({ objects: world.follower.all(), nodes: sight?.nodes.map(({ name }) => name) });
    });
    figures.goneMs = Math.round(clock.now() - goingAt);
    await world.namespaceGone();
    tell('chaos', 'all is gone, or should be');
    const all = [...pods, pod];
    figures.peakMib = await judgeMemory(all, violate);
    for (const each of all) await each.stop();
    judgeLogs(all, violate);
    judgeSecrets({ pods: all, world, secrets: secrets(), violate });
  } catch (error) {
    violate(`the run broke off: ${error instanceof Error ? error.stack : error}`);
  } finally {
    for (const pod of pods) await pod.kill();
    await converter?.pod.kill();
    await converter?.close();
    await world.close();
  }
  const seen = judgeOrders(ironic.orders.entries, violate);
  const logs = new Map(
    [...pods, ...(converter === undefined ? [] : [converter.pod])].flatMap(({ name, lives }) =>
      lives.map((life, index) => [`${name}#${index + 1}`, life.lines]),
    ),
  );
  return {
    violations,
    story: story({ beganAt, lines, logs, calls: [], names: new Map() }),
    figures: { ...figures, ...seen },
  };
}

function sentence(entry: Entry): string {
  const host = entry.host.split('~').at(-1);
  switch (entry.what) {
    case 'born':
      return `host ${host} is new`;
    case 'wished':
      return `asks for ${entry.wish} of host ${host}${entry.image === undefined ? '' : ` with ${entry.image}`}`;
    case 'settled':
      return `host ${host} is seen to be as asked for`;
    case 'made':
      return `has a node for host ${host}`;
    case 'left':
      return `has a node for host ${host}, which is gone`;
    case 'removed':
      return `has no node for host ${host} any more`;
    case 'said':
      return `says that host ${host} is '${entry.state}'`;
    case 'ordered':
      return `is told '${entry.target}' of host ${host}: ${entry.status ?? 'no answer'}`;
    case 'written':
      return `host ${host} is written with ${entry.image}`;
    case 'wiped':
      return `host ${host} is wiped`;
  }
}
