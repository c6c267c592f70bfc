// A history that breaks something, made smaller while it breaks the same: what is left is what matters.
import { play, type Violation } from './history.ts';
import type { Plan } from './model.ts';

/** Most histories that are played on the way. */
const ATTEMPTS = 400;

/** @param violation  what `plan` breaks */
export async function shrunk(plan: Plan, violation: Violation): Promise<Plan> {
  let attempts = 0;
  let best = plan;
  const breaks = async (candidate: Plan): Promise<boolean> => {
    if (++attempts > ATTEMPTS) return false;
    const { violation: other } = await play(candidate);
    return other !== undefined && sort(other) === sort(violation);
  };
  const attempt = async (candidate: Plan): Promise<boolean> => {
    if (!(await breaks(candidate))) return false;
    best = candidate;
    return true;
  };
  // What came after it cannot matter, unless it is about the end.
  await attempt({ ...best, steps: best.steps.filter(({ atMs }) => atMs <= violation.atMs) });
  const without = (from: number, length: number): Plan['steps'] => best.steps.toSpliced(from, length);
  for (let length = Math.ceil(best.steps.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let from = 0; from < best.steps.length; ) {
      const isLess = await attempt({ ...best, steps: without(from, length) });
      if (!isLess) from += length;
    }
  }
  for (const moment of best.moments)
    await attempt({ ...best, moments: best.moments.filter((other) => other !== moment) });
  while (best.pods > 1 && (await attempt({ ...best, pods: best.pods - 1 })));
  for (const namespace of best.namespaces)
    if (best.namespaces.length > 1 && best.model.needs?.(best, namespace) !== true)
      await attempt({ ...best, namespaces: best.namespaces.filter((other) => other !== namespace) });
  return best;
}

/** Something else that is wrong in another phase of the end is another story. */
function sort({ invariant, text }: Violation): string {
  return invariant === 'end' ? `${invariant} ${text.split(':')[0]}` : invariant;
}
