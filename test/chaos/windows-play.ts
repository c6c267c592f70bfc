// One run of chaos with Windows storage: objects change and go while misfortunes befall everybody, the machines among them, and
// then they must be as they were asked for, and nothing may have been done to a machine that nobody asked for.
import { fileURLToPath } from 'node:url';
import { installCrds } from '../../actors/cli/crds.ts';
import { mulberry32, systemClock } from '../../actors/clock.ts';
import { windowsContracts } from '../../adapters/csi-proxy/kinds/contracts/mod.ts';
import { ROLE } from '../../adapters/csi-proxy/kinds/mod.ts';
import { resource } from '../../adapters/csi-proxy/kinds/windows-kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import { deployedHeap } from '../actors/processes.ts';
import { newPassword, tracesOf } from '../adapters/ironic/passwords.ts';
import { World } from '../world/world.ts';
import { befall, changing, DOWN, UP, within } from './befalling.ts';
import { estate as estateWith } from './estate.ts';
import { judgeEvents, judgeLogs, judgeMail, judgeMemory, judgeSecrets } from './judgement.ts';
import { Pod } from './pod.ts';
import type { MachineEntry } from './served-machine.ts';
import { simulatedMachines } from './simulated-machines.ts';
import { groundOf, openStand, type Pace, type PlayOptions, type PlayOutcome } from './stand.ts';
import { story, type Teller } from './story.ts';
import { type WindowsFaultDeps, windowsMisfortunes } from './windows-faults.ts';
import { leftovers, type WindowsFigures, WindowsJudge } from './windows-judgement.ts';
import { storageObjects, WindowsUser } from './windows-user.ts';
import { Wishes } from './windows-wishes.ts';

const PACE: Pace = { leaseMs: 4_000, settleMs: 120_000, callsInFlight: 16 };
/** Between two changes of objects, in milliseconds. */
const CHANGES_MS = { least: 50, most: 600 };
/** Between two misfortunes. */
const FAULTS_MS = { least: 200, most: 1_500 };
/** A format takes a quarter of what it is waited for, at most. */
const ENVIRONMENT = { WINDOWS_LOOK_EVERY_MS: '2500', WINDOWS_FORMAT_MS: '10000' };
/** What befalls objects that are there to stay. */
const ALIVE: ReadonlySet<string> = new Set(['password changed', 'Secret away', 'watch expired']);
const NODE = fileURLToPath(new URL('./node.process.ts', import.meta.url));

export async function playWindowsChaos({ seed, seconds, program }: PlayOptions): Promise<PlayOutcome<WindowsFigures>> {
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
  const renew = (secret: string): string => {
    const password = newPassword();
    passwords.push(password);
    ownPasswords.set(secret, password);
    return password;
  };
  const passwordOf = (secret: string): string => ownPasswords.get(secret) ?? renew(secret);
  const estate = estateWith(passwordOf);
  const opened = await openStand({ clock, program });
  const stand = { ...opened, pace: PACE };
  let world: World | undefined;
  const wishes = new Wishes(() => clock.now());
  const get = (kind: string, name: string): KubeObject | undefined =>
    world?.follower.get(kind, name) as unknown as KubeObject | undefined;
  const judge = new WindowsJudge({ estate, wishes, get, violate });
  const onEntry = (entry: MachineEntry): void => {
    if (isStory(entry)) lines.push({ at: entry.at, who: entry.node, what: sentence(entry) });
    judge.hear(entry);
  };
  const machines = await simulatedMachines({ clock, estate: estate.machines, onEntry }).catch(
    async (error: unknown) => {
      await stand.close();
      throw error;
    },
  );
  const close = async (): Promise<void> => {
    await machines.close();
    await stand.close();
  };
  const ground = groundOf(stand, { name: 'processes of their own', cloudsYaml: '', cloudName: '', close });
  const secrets = (): readonly string[] => [...stand.secrets, ...passwords.flatMap(tracesOf)];
  const options = { runtime: 'stopped', credentials: 'absent', crds: 'absent', leaseMs: PACE.leaseMs } as const;
  world = await World.open(async () => ground, options);
  const random = mulberry32(seed);
  const pods: Pod[] = [];
  const figures = { faults: 0, changes: 0, settledMs: 0, goneMs: 0, peakMib: 0 };
  try {
    await installCrds(world.client, clock, () => undefined, windowsContracts);
    for (const { kind, plural } of windowsContracts) await world.follower.follow(resource(kind, plural));
    const parts = { world, clock, machines, wishes, judge, tell, passwordOf };
    const user = new WindowsUser({ ...parts, random: mulberry32(seed + 1), estate });
    const env = { ...(await deployedHeap()), ...ENVIRONMENT };
    const podDeps = { world, clock, pace: PACE, onViolation: violate };
    for (const name of ['one', 'two']) pods.push(new Pod(name, await stand.waysOf(name), { ...podDeps, env }));
    for (const { node } of estate.machines) {
      const own = { TROUPE_ROLES: ROLE, NODE_NAME: node, MACHINE_PORT: String(machines.wayOf(node).port) };
      const deps = { ...podDeps, env: { ...env, ...own }, program: NODE };
      pods.push(new Pod(node, await stand.waysOf(node), deps));
    }
    const deps: WindowsFaultDeps = {
      ...{ stand, pods, clock, random, tell, machines, user, renew },
      ...{ estate: estate.machines, locks: estate.locks },
      changeSomething: (times) => user.touch(times),
    };
    await user.writeSecrets();
    for (const pod of pods) pod.start();
    await Promise.all(pods.map((pod) => pod.runs()));
    const [things, nodes] = [estate.things.length, estate.machines.length];
    tell('chaos', `begins with seed ${seed}: ${things} objects, two pods, ${nodes} machines, ${stand.api.name}`);
    const deck = windowsMisfortunes(deps);
    const quiet = async (): Promise<void> => {
      for (const { ways } of pods) for (const way of [ways.nats, ways.api.proxy]) way.heal();
      for (const { node } of estate.machines) machines.wayOf(node).heal();
      await machines.ask({ ask: 'clear' });
      tell('chaos', 'leaves everybody alone');
    };

    // --- the objects come up, and change ---
    const pace = { clock, random: mulberry32(seed + 2), pauseMs: CHANGES_MS };
    const changes = changing(pace, seconds * UP, () => user.step());
    figures.faults += await befall({ ...deps, pauseMs: FAULTS_MS }, deck, seconds * UP);
    await changes;
    figures.changes = user.deeds;
    await quiet();
    const quietAt = clock.now();
    await user.writeSecrets();
    const { follower } = world;
    await within(clock, PACE.settleMs, violate, async () => {
      const lacking = await user.completeAll();
      if (lacking.length > 0) return lacking;
      const { unrest } = await machines.ask({ ask: 'unrest', objects: storageObjects({ follower }) });
      return unrest === undefined ? [] : [unrest];
    });
    figures.settledMs = Math.round(clock.now() - quietAt);
    tell('chaos', 'all is as it was asked for, or should be');
    await judgeMail(stand.natsData, secrets(), violate);
    await judgeEvents(world, secrets(), violate);
    // What is on a disk can be read now.
    const { lost = [] } = await machines.ask({ ask: 'lost' });
    for (const volume of lost) violate(`M1: what somebody has put on ${volume} is lost`);

    // --- they go ---
    user.wishAllGone();
    await world.deleteNamespace();
    tell('user', 'deletes the namespace');
    const others = deck.filter(({ name }) => !ALIVE.has(name));
    figures.faults += await befall({ ...deps, pauseMs: FAULTS_MS }, others, seconds * DOWN);
    await quiet();
    const goingAt = clock.now();
    await within(clock, PACE.settleMs, violate, async () =>
      storageObjects({ follower }).map(
        ({ kind, metadata, status }) =>
          `${kind}/${metadata.name} is not gone: ${JSON.stringify(metadata.finalizers)} ${JSON.stringify(status)}`,
      ),
    );
    figures.goneMs = Math.round(clock.now() - goingAt);
    await world.namespaceGone();
    const { sights = [] } = await machines.ask({ ask: 'look' });
    for (const left of leftovers(estate, sights)) violate(`M5: all objects are gone, and ${left}`);
    tell('chaos', 'all is gone, or should be');
    figures.peakMib = await judgeMemory(pods, violate);
    for (const pod of pods) await pod.stop();
    judgeLogs(pods, violate);
    judgeSecrets({ pods, world, secrets: secrets(), violate });
  } catch (error) {
    violate(`the run broke off: ${error instanceof Error ? error.stack : error}`);
  } finally {
    for (const pod of pods) await pod.kill();
    await world.close();
  }
  const seen = judge.figures();
  const logs = new Map(
    pods.flatMap(({ name, lives }) => lives.map((life, index) => [`${name}#${index + 1}`, life.lines])),
  );
  return {
    violations,
    story: story({ beganAt, lines, logs, calls: [], names: new Map() }),
    figures: { ...figures, ...seen },
  };
}

/** Whatever takes long has a beginning and an end, all else is done when it is begun. */
function isStory({ call, step }: MachineEntry): boolean {
  return step === 'ended' || call === 'volume.formatVolume';
}

function sentence({ call, step, what, identity, was, error }: MachineEntry): string {
  const about = [what, identity, was].filter((each) => each !== undefined && each !== '').join(', ');
  const end = error === undefined ? step : `failed: ${error}`;
  return `${call} of ${about} ${end}`;
}
