// Contract between the engine of chaos and its models: a model says which world it needs, what users do in it, which faults are
// its own, and what is judged. The engine starts, draws faults, heals, waits, judges what holds for all, and tells the story.
import type { Clock } from '../../bus/mod.ts';
import type { TcpProxy } from '../bus/proxy.ts';
import type { Ground } from '../world/environments.ts';
import type { World, WorldOptions } from '../world/world.ts';
import type { Environment } from './environment.ts';
import type { Pod } from './pod.ts';
import type { Line } from './story.ts';

/** How long things take on the reference machine, in milliseconds. */
export interface Pace {
  /** Long enough that a call ends well within. */
  readonly leaseMs: number;
  /** Longest wait after the last fault. */
  readonly settleMs: number;
  /** Calls of each pod to the outside system, at a time. */
  readonly callsInFlight: number;
}

/** Pauses are drawn from it, in milliseconds. */
export interface Span {
  readonly least: number;
  readonly most: number;
}

export interface Model {
  readonly name: string;
  readonly pace: Pace;
  /** Between two acts of users. */
  readonly actEvery: Span;
  /** Between two faults. */
  readonly faultEvery: Span;
  /** Whether pods write Events in any run, or of failures that last, and so by chance. */
  readonly tells: 'always' | 'failures';
  /** A real API server, and a shell command that kills it, starts it again and ends when it is ready; embedded without. */
  readonly api?: { readonly kubeconfig?: string | undefined; readonly restartApi?: string | undefined };
  /** Starts what the model needs beside the environment, opens the world, and adds the pods. */
  open(run: Run): Promise<Scenario>;
}

/** Adds to the story what is happening now. */
export type Reporter = (who: string, what: string) => void;

/** What became of a call to the API server, which may be away. */
export type Outcome = 'done' | 'absent' | 'unknown';

/** One run, as models see it. */
export interface Run {
  readonly seed: number;
  readonly clock: Clock;
  /** Scaled to this machine. */
  readonly pace: Pace;
  /** How many times as long as the reference machine this one took at the start, at least 1. */
  readonly slowness: number;
  readonly environment: Environment;
  /** For files of the run. */
  readonly folder: string;
  readonly pods: readonly Pod[];
  readonly passwords: Passwords;
  /** Of faults. */
  readonly random: () => number;
  readonly report: Reporter;
  /** Adds to the story what happened at another time. */
  note(at: number, who: string, what: string): void;
  violate(what: string): void;
  /** This text may be in no log, mail, event or object. */
  keepSecret(...texts: readonly string[]): void;
  /** A generator of its own for each purpose. */
  randomFor(purpose: number): () => number;
  /** At the end of the run; what began last ends first. */
  closing(end: () => void | Promise<void>): void;
  openWorld(ground: Pick<Ground, 'name' | 'cloudsYaml' | 'cloudName'>, options: WorldOptions): Promise<World>;
  addPod(world: World, name: string, options?: PodOptions): Promise<Pod>;
  /** Does what a user does, and tells it, unless `run` says that there was nothing to tell. A refusal is a defect, and thrown. */
  attempt(what: string, run: () => Promise<unknown>): Promise<Outcome>;
}

export interface PodOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What it runs, if not `troupe run`. */
  readonly program?: string;
  /** `own`: what befalls it is the model's affair. */
  readonly faults?: 'all' | 'own';
}

/** Passwords by the name of what they open. */
export interface Passwords {
  /** As what it opens has it now. */
  of(name: string): string;
  /** Replaces it. */
  renew(name: string): string;
}

export interface Scenario {
  readonly world: World;
  /** What takes part, as the story begins with it. */
  readonly parts: string;
  /** What else the story begins with; a line each. */
  readonly notes: readonly string[];
  readonly faults: readonly Fault[];
  /** All ways that faults of the model may be on. */
  readonly ways: readonly TcpProxy[];
  /** Ends all else that faults have begun. */
  clear(): Promise<void> | void;
  /** Paths of objects at the API server. */
  present(): readonly string[];
  /** Before anything changes. */
  begin?(): Promise<void>;
  /** A user does one thing, unless the API server is away. */
  step(): Promise<void>;
  /** Things that were done so far. */
  changes(): number;
  /** Once, when everybody is left alone. */
  putRight?(): Promise<void>;
  /** Completes what is missing. @returns what is not as it was asked for; a line each */
  unsettled(): Promise<readonly string[]>;
  /** When all is as it was asked for. */
  judgeSettled?(): Promise<void>;
  /** Before all objects are deleted. */
  leave?(): Promise<void> | void;
  /** @returns what is not yet gone; a line each */
  left(): Promise<readonly string[]> | readonly string[];
  judgeGone?(): Promise<void>;
  /** When all processes have ended. @returns what was seen */
  judgeEnd(): Readonly<Record<string, number>>;
  /** By which the story names objects. */
  readonly kinds: readonly { readonly kind: string; readonly plural: string }[];
  /** What else the story tells. */
  reported?(): readonly Line[];
}

/** One fault, from its beginning to its end. */
export interface Fault {
  readonly name: string;
  /** How often it comes, next to the others. */
  readonly weight: number;
  /** What it happens to: nothing else may happen to that meanwhile. */
  readonly to: readonly string[];
  /** Drawn while objects are there to stay, not while they go. */
  readonly only?: 'living';
  play(): Promise<void>;
}
