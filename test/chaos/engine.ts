// Engine of chaos: one run of a model. A landscape changes and goes while faults befall all processes, and then it must be as it
// was asked for. The seed decides what happens to whom and when; what the processes make of it is theirs.
import { mulberry32, systemClock } from '../../actors/base/clock.ts';
import { ErrorCode, type JsonObject, TroupeError } from '../../bus/mod.ts';
import { deployedHeap } from '../actors/processes.ts';
import { newPassword, tracesOf } from '../adapters/ironic/passwords.ts';
import { settled, slowness } from '../world/speed.ts';
import { World } from '../world/world.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { environmentFaults, leftOut } from './faults.ts';
import { startGuard } from './guard.ts';
import { judgeEvents, judgeLogs, judgeMail, judgeMemory, judgeSecrets } from './invariants.ts';
import type { Fault, Model, Pace, Run, Scenario } from './model.ts';
import { Pod } from './pod.ts';
import { pick } from './random.ts';
import { acting, befall } from './schedule.ts';
import { type Line, story } from './story.ts';

export interface PlayOptions {
  readonly seed: number;
  /** How long it all takes if everybody settles soon: UP and DOWN say how much of it is chaos. */
  readonly seconds: number;
  /** A nats-server that several processes can share. */
  readonly program: string;
}

export interface PlayOutcome {
  readonly violations: readonly string[];
  readonly story: readonly string[];
  /** `settledMs`, `goneMs`: from the last fault until all was as asked for, or gone; `peakMib`: the most memory of one pod. */
  readonly figures: Readonly<Record<string, number>>;
}

/** Part of the time in which faults befall the landscape while it changes, and while it goes. */
const UP = 0.65;
const DOWN = 0.12;
/** Longest wait for anything that should happen on the reference machine, in milliseconds. */
const DEADLINE_MS = 30_000;
const MERGE = 'application/merge-patch+json';

interface Recorded {
  readonly lines: Line[];
  readonly violations: string[];
  readonly secrets: string[];
  readonly pods: Pod[];
  readonly ending: (() => void | Promise<void>)[];
}

export async function play(model: Model, { seed, seconds, program }: PlayOptions): Promise<PlayOutcome> {
  const clock = systemClock();
  const beganAt = clock.now();
  const recorded: Recorded = { lines: [], violations: [], secrets: [], pods: [], ending: [] };
  const { lines, violations, secrets, pods, ending } = recorded;
  const figures = { faults: 0, changes: 0, settledMs: 0, goneMs: 0, events: 0, peakMib: 0 };
  let scenario: Scenario | undefined;
  try {
    const guard = await startGuard();
    ending.push(guard.end);
    const { folder } = guard;
    const environment = await openEnvironment({ clock, folder, program, ...model.api });
    ending.push(environment.close);
    secrets.push(...environment.secrets);
    const run = await runOf(model, seed, { environment, folder, watch: guard.watch }, recorded);
    const { report, violate } = run;
    scenario = await model.open(run);
    const { world } = scenario;
    const deck = deckOf(run, scenario);
    for (const pod of pods) if (pod.lives.length === 0) pod.start();
    await Promise.all(pods.map((pod) => pod.runs()));
    report('chaos', `begins with seed ${seed}: ${scenario.parts}, ${environment.api.name}`);
    for (const line of [...leftOut(environment), ...scenario.notes]) report('chaos', line);
    await scenario.begin?.();

    // --- the landscape comes up, and changes ---
    const { faultEvery, actEvery } = model;
    const acts = acting({ clock, random: run.randomFor(2) }, actEvery, seconds * UP, scenario.step);
    figures.faults += await befall(run, faultEvery, seconds * UP, deck);
    await acts;
    figures.changes = scenario.changes();
    await leaveAlone(run, scenario);
    await scenario.putRight?.();
    figures.settledMs = await rest(run, model.pace, scenario.unsettled);
    report('chaos', 'all is as it was asked for, or should be');
    await judgeMail(environment.natsData, secrets, violate);
    figures.events = await judgeEvents({ world, secrets, tells: model.tells, violate });
    await scenario.judgeSettled?.();

    // --- it goes ---
    await scenario.leave?.();
    await world.deleteNamespace();
    report('user', 'deletes the namespace');
    const others = deck.filter(({ only }) => only !== 'living');
    figures.faults += await befall(run, faultEvery, seconds * DOWN, others);
    await leaveAlone(run, scenario);
    figures.goneMs = await rest(run, model.pace, scenario.left);
    await world.namespaceGone();
    await scenario.judgeGone?.();
    report('chaos', 'all is gone, or should be');
    figures.peakMib = await judgeMemory(pods, violate);
    for (const pod of pods) await pod.stop();
    judgeLogs(pods, violate);
    judgeSecrets({ pods, world, secrets, violate });
  } catch (error) {
    const what = `the run broke off: ${error instanceof Error ? error.stack : error}`;
    violations.push(what);
    lines.push({ at: clock.now(), who: 'VIOLATION', what });
  } finally {
    for (const end of ending.splice(0).reverse()) await end();
  }
  const seen = scenario?.judgeEnd() ?? {};
  const logs = new Map(
    pods.flatMap(({ name, lives }) => lives.map((life, index) => [`${name}#${index + 1}`, life.lines])),
  );
  return {
    violations,
    story: story({ beganAt, lines: [...lines, ...(scenario?.reported?.() ?? [])], logs, kinds: scenario?.kinds ?? [] }),
    figures: { ...figures, ...seen },
  };
}

async function runOf(
  model: Model,
  seed: number,
  {
    environment,
    folder,
    watch,
  }: {
    readonly environment: Environment;
    readonly folder: string;
    readonly watch: (pid: number, exited: Promise<unknown>) => void;
  },
  { lines, violations, secrets, pods, ending }: Recorded,
): Promise<Run> {
  const clock = systemClock();
  const slower = Math.max(slowness(clock), slowness(clock));
  const pace = { ...model.pace, leaseMs: Math.round(model.pace.leaseMs * slower) };
  const heap = deployedHeap();
  const passwords = new Map<string, string>();
  const report: Run['report'] = (who, what) => void lines.push({ at: clock.now(), who, what });
  const violate: Run['violate'] = (what) => {
    violations.push(what);
    report('VIOLATION', what);
  };
  const renew = (name: string): string => {
    const password = newPassword();
    secrets.push(...tracesOf(password));
    passwords.set(name, password);
    return password;
  };
  return {
    seed,
    clock,
    pace,
    environment,
    folder,
    pods,
    report,
    violate,
    slowness: slower,
    random: mulberry32(seed),
    randomFor: (purpose) => mulberry32(seed + purpose),
    passwords: { of: (name) => passwords.get(name) ?? renew(name), renew },
    note: (at, who, what) => void lines.push({ at, who, what }),
    keepSecret: (...texts) => void secrets.push(...texts),
    closing: (end) => void ending.push(end),
    async openWorld(of, options) {
      const { api, nats, connect } = environment;
      const ground = {
        folder,
        kubeconfig: api.kubeconfig,
        nats,
        connect,
        api: undefined,
        simulator: undefined,
        interruptBus: undefined,
        interruptApi: undefined,
        clock,
        wire: undefined,
        get deadlineMs() {
          return DEADLINE_MS * slowness(clock);
        },
        name: of.name,
        cloudsYaml: of.cloudsYaml,
        cloudName: of.cloudName,
        close: async () => undefined,
      };
      const { leaseMs } = pace;
      const world = await World.open(async () => ground, {
        runtime: 'stopped',
        credentials: 'absent',
        leaseMs,
        ...options,
      });
      ending.push(() => world.close());
      return world;
    },
    async addPod(world, name, { env = {}, program, faults = 'all' } = {}) {
      const pod = new Pod(name, await environment.waysOf(name), {
        world,
        clock,
        pace,
        program,
        faults,
        watch,
        onViolation: violate,
        env: { ...heap, ...env },
      });
      pods.push(pod);
      ending.push(() => pod.kill());
      return pod;
    },
    async attempt(what, act) {
      try {
        if ((await act()) !== false) report('user', what);
        return 'done';
      } catch (error) {
        if (!(error instanceof TroupeError) || error.code === ErrorCode.Terminal) throw error;
        report('user', `${what} in vain: ${error.message}`);
        return error.code === ErrorCode.Absent ? 'absent' : 'unknown';
      }
    },
  };
}

function deckOf(run: Run, { world, present, faults }: Scenario): readonly Fault[] {
  const changeSomething = async (times: number): Promise<string | undefined> => {
    const path = pick(present(), run.random);
    let version: string | undefined;
    for (let change = 0; change < times && path !== undefined; change++) {
      const body = { metadata: { annotations: { 'chaos.test/change': String(change) } } };
      const answer = await world.client.call({ method: 'PATCH', path, contentType: MERGE, body });
      version = String((answer.body['metadata'] as JsonObject)['resourceVersion']);
    }
    return version;
  };
  return [...environmentFaults({ ...run, changeSomething }), ...faults];
}

async function leaveAlone({ pods, report }: Run, { ways, clear }: Scenario): Promise<void> {
  for (const { ways: own } of pods) for (const way of [own.nats, own.api.proxy]) way.heal();
  for (const way of ways) way.heal();
  await clear();
  report('chaos', 'leaves everybody alone');
}

/** Waits until a look finds nothing wrong. @returns how long that took, in milliseconds */
async function rest({ clock, violate }: Run, { settleMs }: Pace, look: Scenario['left']): Promise<number> {
  const fromAt = clock.now();
  for (const each of await settled(clock, settleMs, look)) violate(`after ${settleMs / 1_000} s of quiet: ${each}`);
  return Math.round(clock.now() - fromAt);
}
