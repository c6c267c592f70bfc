// What only a defect or an unlucky instant brings: the code of a kind throws for an object, and a process is stopped while
// the answer to the renewal of its leases is on its way. Drawn apart from the rest of a plan, which stays as it was.
import { mulberry32 } from '../../actors/clock.ts';
import type { KubeObject, ManagedKind } from '../../machines/kind.ts';
import { drawFrom, type Planned } from './manifests.ts';
import type { Step } from './plan.ts';
import type { SimulatedTime } from './time.ts';

/** What of a kind runs outside of an effect. */
export const FAULTY = [
  'references',
  'settled',
  'isAvailable',
  'published',
  'status',
  'resyncAfterMs',
  'owned',
] as const;
export type Faulty = (typeof FAULTY)[number];

/** One history of two has some of each. */
export function faultsOf(
  seed: number,
  { steps, pods }: { readonly steps: readonly Step[]; readonly pods: number },
): Step[] {
  const draw = drawFrom(mulberry32(seed ^ 0x7a017));
  const begun = steps.map(({ atMs }) => atMs);
  const objects = steps.flatMap((step) => (step.what === 'create' ? [step.object] : []));
  const when = (): number => draw.pick(begun) + draw.below(1_500);
  const faults: Step[] = [];
  if (draw.chance(0.5) && objects.length > 0)
    for (let index = draw.below(4); index >= 0; index--)
      faults.push({
        atMs: when(),
        what: 'fault',
        object: draw.pick(objects),
        code: draw.pick(FAULTY),
        forMs: draw.chance(0.5) ? draw.below(2_000) : draw.below(60_000),
      });
  if (draw.chance(0.5))
    for (let index = draw.below(3); index >= 0; index--)
      faults.push({
        atMs: when(),
        what: 'stopAtRenewal',
        pod: draw.below(pods),
        afterMs: draw.below(1_500),
        // The lease as it knows it has ended, and as the server has it has not.
        beyondMs: draw.below(1_400),
      });
  return faults;
}

/** Which code throws now. */
export class Faults {
  readonly #time: SimulatedTime;
  /** Until when, by code, kind and name. */
  readonly #lasting = new Map<string, number>();

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  begin(code: Faulty, { kind, namespace, name }: Pick<Planned, 'kind' | 'namespace' | 'name'>, forMs: number): void {
    this.#lasting.set(`${code} ${kind} ${namespace}/${name}`, this.#time.elapsed() + forMs);
  }

  /** The same kinds, whose code throws where it is to. */
  readonly applied = (kinds: readonly ManagedKind[]): readonly ManagedKind[] =>
    kinds.map((kind) => {
      const check = (code: Faulty, { metadata: { namespace, name } }: KubeObject): void => {
        const untilMs = this.#lasting.get(`${code} ${kind.kind} ${namespace}/${name}`) ?? 0;
        if (this.#time.elapsed() < untilMs) throw new TypeError(`${code} of ${kind.kind} ${name} fails`);
      };
      const followed = FAULTY.map((code) => {
        const run = kind[code] as (...given: unknown[]) => unknown;
        const checked = (...given: unknown[]): unknown => {
          check(code, given.find(isObject) as KubeObject);
          return run(...given);
        };
        return [code, checked];
      });
      return { ...kind, ...(Object.fromEntries(followed) as Pick<ManagedKind, Faulty>) };
    });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'metadata' in value;
}
