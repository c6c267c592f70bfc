// Somebody makes, outside of Kubernetes, a network of the name that an object wants, also one as it asks for: before it is applied, or meanwhile; in half of the histories
// another hand writes an id into that object's status just when it records what it has found. Drawn apart from the rest of the plan.
import { mulberry32 } from '../../../../actors/base/clock.ts';
import { drawFrom } from '../../draw.ts';
import type { Moment } from '../../moments.ts';
import type { Step } from './plan.ts';

/** One history of six in which anything goes wrong has some. */
export function foreignersOf(
  seed: number,
  { steps }: { readonly steps: readonly Step[] },
): { readonly steps: readonly Step[]; readonly moments: readonly Moment[] } {
  const draw = drawFrom(mulberry32(seed ^ 0xf04e16));
  const looks = drawFrom(mulberry32(seed ^ 0x1a11ce));
  if (!draw.chance(1 / 6)) return { steps: [], moments: [] };
  const wanted = steps.flatMap((step) =>
    step.what === 'create' && step.object.kind === 'Network' && step.object.filter === undefined ? [step] : [],
  );
  if (wanted.length === 0) return { steps: [], moments: [] };
  const foreign = Array.from({ length: 1 + draw.below(2) }, (): Step => {
    const { atMs, object } = draw.pick(wanted);
    return {
      atMs: Math.max(0, atMs + draw.pick([-500, 0, 20, 60, 200]) + draw.below(100)),
      what: 'foreign',
      object,
      isAlike: looks.chance(0.4),
    };
  });
  const usurped: Moment = {
    phase: draw.pick(['building.resolvingOwnership', 'building.recording']),
    nth: 1 + draw.below(3),
    afterMs: 0,
    deeds: ['usurp'],
    forMs: 1_000,
    problem: 'failing',
  };
  return { steps: foreign, moments: draw.chance(0.5) ? [usurped] : [] };
}
