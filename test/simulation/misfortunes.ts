// What goes wrong with processes, the bus, the API server and whatever processes ask: the same in histories of all models.
import type { Draw } from './draw.ts';
import type { Faulty } from './faults.ts';
import type { Deed, StepOf } from './model.ts';

/** What happens in an external system while it is in trouble. */
export const Trouble = {
  /** It refuses with 500 or 503. */
  Failing: 'failing',
  /** It refuses what is to be made or changed, as if the spec were wrong. */
  Refusing: 'refusing',
  /** It takes seconds. */
  Slow: 'slow',
  /** Connections break before it has done anything. */
  Dropping: 'dropping',
  /** It does what it is asked for, and its answer is lost. */
  Forgetful: 'forgetful',
  /** It does what it is asked for, and says that it failed. */
  Confused: 'confused',
  /** It answers with a page for people. */
  Babbling: 'babbling',
  /** It says that it has changed or deleted, and has not. */
  Lying: 'lying',
  /** It says that too much is asked, and when to come again. */
  Throttling: 'throttling',
  /** It says of what is to be changed or deleted that it was changed meanwhile. */
  Outdating: 'outdating',
} as const;
export type Trouble = (typeof Trouble)[keyof typeof Trouble];
/** Those of all histories; the others come with some kinds of resources. */
export const TROUBLES: readonly Trouble[] = Object.values(Trouble).filter(
  (problem) => problem !== Trouble.Throttling && problem !== Trouble.Outdating,
);

/** An object as its users name it. */
export interface Named {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export type Misfortune =
  | { readonly what: 'crash' | 'stop'; readonly pod: number; readonly forMs: number }
  /** After `slowMs` in which its mail is slow: what is on its way then arrives when it goes on. */
  | { readonly what: 'standStill'; readonly pod: number; readonly slowMs: number; readonly forMs: number }
  /**
   * Stands still from so long after it asked for the renewal of its leases until so long after the end that they had before
   * that. What it has sent arrives meanwhile, and what it is sent waits at its door.
   */
  | { readonly what: 'stopAtRenewal'; readonly pod: number; readonly afterMs: number; readonly beyondMs: number }
  /** Some code of its kind throws for the object. */
  | { readonly what: 'fault'; readonly object: Named; readonly code: Faulty; readonly forMs: number }
  | { readonly what: 'cutBus' | 'cutKube'; readonly pod: number; readonly forMs: number }
  /** What is sent meanwhile, or is on its way, arrives afterwards: a network that loses packets, and sends them again. */
  | { readonly what: 'stallBus'; readonly pod: number; readonly forMs: number }
  | { readonly what: 'breakWatches'; readonly pod: number }
  /** Its machine is paused: it stands still, and its even clock, too. */
  | { readonly what: 'suspend'; readonly pod: number; readonly forMs: number }
  /** The API server begins anew with lower revisions. */
  | { readonly what: 'restoreBackup' }
  /** `lieKube`: something before the API server answers 404 in its place. */
  | { readonly what: 'slowMail' | 'slowKube' | 'loseKube' | 'lieKube'; readonly forMs: number }
  | { readonly what: 'wipeMail' | 'wipeLeases' | 'wipeAll' }
  | { readonly what: 'rollBack'; readonly byMs: number }
  /** All processes end, and with them the bus, which loses its last values: the API server and the clouds stay. */
  | { readonly what: 'powerCut'; readonly byMs: number; readonly forMs: number }
  | { readonly what: 'cloudTrouble'; readonly problem: Trouble; readonly forMs: number }
  /** Whatever is to be made is made when its sender has given up, so long after the deadline. */
  | { readonly what: 'lateCreates'; readonly forMs: number; readonly byMs: number }
  | { readonly what: 'expireTokens' };

const MISFORTUNES: ReadonlySet<string> = new Set<Misfortune['what']>([
  'crash',
  'stop',
  'standStill',
  'stopAtRenewal',
  'fault',
  'suspend',
  'restoreBackup',
  'lieKube',
  'cutBus',
  'cutKube',
  'stallBus',
  'breakWatches',
  'slowMail',
  'slowKube',
  'loseKube',
  'wipeMail',
  'wipeLeases',
  'wipeAll',
  'rollBack',
  'powerCut',
  'cloudTrouble',
  'lateCreates',
  'expireTokens',
]);

export function isMisfortune(happening: Deed): happening is Misfortune {
  return MISFORTUNES.has(happening.what);
}

/** How long users and misfortunes are at it, in milliseconds. */
export const ACTIVE_MS = 90_000;

/** What befalls processes, the bus, the API server and whatever is asked by those. */
export function misfortunes(draw: Draw, steps: StepOf<Deed | Misfortune>[], pods: number, intensity: number): void {
  const at = (fromMs: number, untilMs: number): number => Math.floor(fromMs + draw.below(untilMs - fromMs));
  // Rather while something is under way than at any time.
  const begun = steps.map(({ atMs }) => atMs);
  const when = (): number => (draw.chance(0.6) ? draw.pick(begun) + at(10, 1_500) : at(500, ACTIVE_MS));
  const some = (most: number, probability: number, make: () => Misfortune): void => {
    for (let index = 0; index < most; index++)
      if (draw.chance(probability * intensity)) steps.push({ atMs: when(), ...make() });
  };
  const pod = (): number => draw.below(pods);
  const forMs = (most: number): number => 200 + draw.below(most);
  some(3, 0.35, () => ({ what: 'crash', pod: pod(), forMs: forMs(20_000) }));
  some(1, 0.3, () => ({ what: 'stop', pod: pod(), forMs: forMs(20_000) }));
  some(2, 0.4, () => ({
    what: 'standStill',
    pod: pod(),
    slowMs: draw.chance(0.7) ? 100 + draw.below(2_000) : 0,
    // Rather longer than a lease lasts.
    forMs: draw.chance(0.7) ? 14_000 + draw.below(16_000) : forMs(40_000),
  }));
  some(2, 0.25, () => ({ what: 'cutBus', pod: pod(), forMs: forMs(25_000) }));
  some(2, 0.25, () => ({ what: 'cutKube', pod: pod(), forMs: forMs(15_000) }));
  some(2, 0.25, () => ({ what: 'breakWatches', pod: pod() }));
  some(1, 0.3, () => ({ what: 'slowMail', forMs: forMs(20_000) }));
  some(1, 0.3, () => ({ what: 'slowKube', forMs: forMs(20_000) }));
  some(1, 0.3, () => ({ what: 'loseKube', forMs: forMs(20_000) }));
  some(1, 0.25, () => ({ what: 'wipeMail' }));
  some(1, 0.1, () => ({ what: 'wipeLeases' }));
  some(1, 0.1, () => ({ what: 'wipeAll' }));
  some(1, 0.25, () => ({ what: 'rollBack', byMs: forMs(20_000) }));
  some(3, 0.4, () => ({
    what: 'cloudTrouble',
    problem: draw.pick(TROUBLES),
    forMs: forMs(draw.chance(0.1) ? 240_000 : 20_000),
  }));
  some(1, 0.15, () => ({ what: 'expireTokens' }));
}
