// Missing kinds: managed kinds that the API server does not know, and when they are logged. Most clusters do not use
// most adapters.
//
// Invariants:
//   MISSING-KINDS-1. An adapter without any installed kind is always logged once, without its kinds.
//   MISSING-KINDS-2. A kind that is missing where others of its adapter are there is a fault, and told for itself.
import type { Logger } from 'pino';
import type { Resource } from '../../adapters/kubernetes/mod.ts';
import type { Clock, Timer } from '../../bus/mod.ts';

export interface MissingKindsDeps {
  /** Managed kinds. */
  readonly kinds: readonly Resource[];
  readonly clock: Clock;
  readonly log: Logger;
  /** No kind of an adapter is there, and so no object of one. */
  readonly onAbsent: (realm: string) => void;
  /** A kind is missing where others are there. */
  readonly onMissed: (resource: Resource) => void;
}

/**
 * Time after an adapter's first kind in which the others may follow, in milliseconds: definitions are applied one after
 * another, and discovered every 15 s at the least.
 */
const ARRIVAL_MS = 45_000;

const KindState = {
  /** The API server has not answered yet. */
  Unknown: 'unknown',
  There: 'there',
  Missing: 'missing',
  /** And told. */
  Missed: 'missed',
} as const;
type KindState = (typeof KindState)[keyof typeof KindState];

interface Family {
  readonly realm: string;
  readonly kinds: readonly Resource[];
  /** States by plural. */
  readonly states: Map<string, KindState>;
  isAbsent: boolean;
  /** Runs while the others may still come. */
  arrival: Timer | undefined;
}

export class MissingKinds {
  readonly #deps: MissingKindsDeps;
  readonly #families: ReadonlyMap<string, Family>;

  constructor(deps: MissingKindsDeps) {
    this.#deps = deps;
    this.#families = new Map(
      [...Map.groupBy(deps.kinds, ({ realm }) => realm)].map(([realm, kinds]): [string, Family] => [
        realm,
        {
          realm,
          kinds,
          isAbsent: false,
          arrival: undefined,
          states: new Map(kinds.map(({ plural }) => [plural, KindState.Unknown])),
        },
      ]),
    );
  }

  /** The API server does not know the kind; told once for each namespace that is looked into. */
  missing({ realm, plural }: Resource): void {
    const family = this.#families.get(realm);
    const state = family?.states.get(plural);
    if (family === undefined || state === KindState.Missing || state === KindState.Missed) return;
    family.states.set(plural, KindState.Missing);
    this.#judge(family);
  }

  /** Notes that the API server has listed the kind. @returns whether it was logged as missing */
  there({ realm, plural }: Resource): boolean {
    const family = this.#families.get(realm);
    const state = family?.states.get(plural);
    if (family === undefined || state === KindState.There) return false;
    const { clock, log } = this.#deps;
    family.states.set(plural, KindState.There);
    if (family.isAbsent) {
      family.isAbsent = false;
      log.info(`the kinds of '${realm}' are being installed here`);
      family.arrival = clock.setTimeout(() => {
        family.arrival = undefined;
        this.#judge(family);
      }, ARRIVAL_MS);
    }
    this.#judge(family);
    return state === KindState.Missed;
  }

  close(): void {
    for (const { arrival } of this.#families.values())
      if (arrival !== undefined) this.#deps.clock.clearTimeout(arrival);
  }

  #judge(family: Family): void {
    const { log, onAbsent, onMissed } = this.#deps;
    const { realm, kinds, states, arrival } = family;
    const all = [...states.values()];
    if (all.every((state) => state === KindState.Missing || state === KindState.Missed)) {
      if (family.isAbsent) return;
      family.isAbsent = true;
      if (arrival !== undefined) this.#deps.clock.clearTimeout(arrival);
      family.arrival = undefined;
      log.info(`the kinds of '${realm}' are not installed here`);
      onAbsent(realm);
      if ([...this.#families.values()].every(({ isAbsent }) => isAbsent)) {
        log.warn('the API server knows none of the kinds: apply their CustomResourceDefinitions (troupe crds --apply)');
      }
      return;
    }
    // Before the first one all may be missing, and later each has its time.
    if (!all.includes(KindState.There) || arrival !== undefined) return;
    for (const kind of kinds) {
      const { plural, group } = kind;
      if (states.get(plural) !== KindState.Missing) continue;
      states.set(plural, KindState.Missed);
      log.warn(
        `the API server does not know '${plural}.${group}': apply its CustomResourceDefinition (troupe crds --apply)`,
      );
      onMissed(kind);
    }
  }
}
