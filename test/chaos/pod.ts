// A pod of a Deployment: a process that is started anew whenever it has ended.
import type { Clock } from '../../bus/mod.ts';
import { TroupeProcess } from '../actors/processes.ts';
import { settled } from '../world/speed.ts';
import type { World } from '../world/world.ts';
import type { Ways } from './environment.ts';
import type { Pace } from './model.ts';

export interface PodDeps {
  world: World;
  clock: Clock;
  pace: Pace;
  /** More of its environment. */
  env: Readonly<Record<string, string>>;
  /** What it runs, if not `troupe run`. */
  program: string | undefined;
  /** `own`: what befalls it is the model's affair. */
  faults: 'all' | 'own';
  /** Told of each process. */
  watch: (pid: number, exited: Promise<void>) => void;
  onViolation: (what: string) => void;
}

/** Pause before a process that ended by itself is started again, in milliseconds. */
const PAUSE_MS = 500;
/** Longest wait for a process to come to work on the reference machine, in milliseconds. */
const STARTS_WITHIN_MS = 10_000;

export class Pod {
  readonly name: string;
  readonly ways: Ways;
  /** All processes so far, the last one running. */
  readonly lives: TroupeProcess[] = [];
  readonly #deps: PodDeps;
  #wanted = false;

  get faults(): PodDeps['faults'] {
    return this.#deps.faults;
  }

  constructor(name: string, ways: Ways, deps: PodDeps) {
    this.name = name;
    this.ways = ways;
    this.#deps = deps;
  }

  start(): void {
    const { world, pace, clock, onViolation, env: more, program, watch } = this.#deps;
    this.#wanted = true;
    const env = {
      ...this.ways.env,
      ...more,
      TROUPE_LEASE_MS: String(pace.leaseMs),
      TROUPE_CALLS_IN_FLIGHT: String(pace.callsInFlight),
      POD_NAME: this.name,
    };
    const life = program === undefined ? new TroupeProcess(world, env) : new TroupeProcess(world, env, [], program);
    if (life.pid !== undefined) watch(life.pid, life.exited);
    this.lives.push(life);
    void life.exited.then(async () => {
      if (!this.#wanted || this.#life !== life) return;
      onViolation(`pod '${this.name}' ended by itself: ${life.said.join(' / ')}`);
      await clock.sleep(PAUSE_MS);
      if (this.#wanted && this.#life === life) this.start();
    });
  }

  /** Resolves when the process has come to work, or after a while: the bus may be away. */
  async runs(): Promise<void> {
    const hasCome = (): boolean => this.#life?.lines.some(({ msg }) => msg === 'troupe runs') === true;
    await settled(this.#deps.clock, STARTS_WITHIN_MS, () => (hasCome() ? [] : [this.name]));
  }

  async kill(): Promise<void> {
    this.#wanted = false;
    await this.#life?.kill();
  }

  /** As a node that swaps, or a virtual machine that is moved: it stands still, and knows nothing of it afterwards. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** The most memory that the process has held. */
  async peakMib(): Promise<number> {
    return (await this.#life?.peakMib()) ?? 0;
  }

  async stop(): Promise<void> {
    this.#wanted = false;
    await this.#life?.stop();
  }

  get #life(): TroupeProcess | undefined {
    return this.lives.at(-1);
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#life?.pid;
    if (pid !== undefined) process.kill(pid, signal);
  }
}
