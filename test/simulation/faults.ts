// What only a defect or an unlucky instant brings: the code of a kind throws for an object, and a process is stopped while
// the answer to the renewal of its leases is on its way. Drawn apart from the rest of a plan, which stays as it was.
import { mulberry32 } from '../../actors/base/clock.ts';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import type { KubeObject } from '../../machines/object.ts';
import { drawFrom } from './draw.ts';
import type { Misfortune, Named } from './misfortunes.ts';
import type { Deed, StepOf } from './model.ts';
import type { SimulatedTime } from './time.ts';

/** What of a kind, and of its life, runs outside of an effect. */
export const FAULTY = ['references', 'standing', 'children', 'view', 'saying', 'status'] as const;
export type Faulty = (typeof FAULTY)[number];

/** One history of two has some of each. */
export function faultsOf(
  seed: number,
  { steps, pods }: { readonly steps: readonly (StepOf<Deed> & { readonly object?: Named })[]; readonly pods: number },
): StepOf<Misfortune>[] {
  const draw = drawFrom(mulberry32(seed ^ 0x7a017));
  const begun = steps.map(({ atMs }) => atMs);
  const objects = steps.flatMap((step) => (step.what === 'create' && step.object !== undefined ? [step.object] : []));
  const when = (): number => draw.pick(begun) + draw.below(1_500);
  const faults: StepOf<Misfortune>[] = [];
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

  begin(code: Faulty, { kind, namespace, name }: Named, forMs: number): void {
    this.#lasting.set(`${code} ${kind} ${namespace}/${name}`, this.#time.elapsed() + forMs);
  }

  /** The same adapter; the code of its kinds throws where it is to. */
  readonly applied = (adapter: ConfiguredAdapter): ConfiguredAdapter => ({
    ...adapter,
    kinds: adapter.kinds.map((kind) => {
      const throwing = <Code extends object>(code: Code): Code => {
        const checked = Object.entries(code).map(([name, run]) => [
          name,
          (FAULTY as readonly string[]).includes(name) ? this.#checked(kind.kind, name as Faulty, run) : run,
        ]);
        return Object.fromEntries(checked) as Code;
      };
      return { ...throwing(kind), life: throwing(kind.life) };
    }),
  });

  #checked(kind: string, code: Faulty, run: (...given: unknown[]) => unknown): (...given: unknown[]) => unknown {
    return (...given) => {
      if (this.#lasting.size === 0) return run(...given);
      const name = given.map(nameIn).find((known) => known !== undefined);
      const untilMs = this.#lasting.get(`${code} ${kind} ${name}`) ?? 0;
      if (this.#time.elapsed() < untilMs) throw new TypeError(`${code} of ${kind} ${name} fails`);
      return run(...given);
    };
  }
}

/** `<namespace>/<name>` of the object that code is given, or of that whose chart it is given. */
function nameIn(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const { metadata } = given as Partial<KubeObject>;
  if (metadata !== undefined) return `${metadata.namespace}/${metadata.name}`;
  const { context } = given as { readonly context?: { readonly key?: unknown } };
  if (typeof context?.key !== 'string') return undefined;
  const [, , namespace, name] = context.key.split('.');
  return `${namespace}/${name}`;
}
