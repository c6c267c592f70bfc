// Objects that describe the same network with the same credentials: one of them makes it, and the others say so. Drawn apart
// from the rest of the plan.
import { mulberry32 } from '../../../../actors/base/clock.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { drawFrom } from '../../draw.ts';
import type { Planned } from './manifests.ts';
import type { Step } from './plan.ts';

const SHARED_NAME = 'namesake';

/** Whether the resource of the object is called like that of another. */
export function isNamesake({ spec }: KubeObject): boolean {
  return (spec?.['resource'] as { readonly name?: string } | undefined)?.name === SHARED_NAME;
}

/** A third of the histories has some. */
export function namesakes(
  seed: number,
  { namespaces, activeMs }: { readonly namespaces: readonly string[]; readonly activeMs: number },
): readonly Step[] {
  const draw = drawFrom(mulberry32(seed ^ 0x7e15));
  if (draw.chance(0.67)) return [];
  const steps: Step[] = [];
  const bornAt = draw.below(30_000);
  const isAtOnce = draw.chance(0.6);
  for (let index = 0; index < 2 + draw.below(2); index++) {
    const namespace = namespaces[index % namespaces.length] as string;
    const object: Planned = {
      kind: 'Network',
      namespace,
      name: `namesake${index}-${namespace}`,
      resource: { name: SHARED_NAME, description: 'the same for all' },
      ...(draw.chance(0.2) && { onDelete: 'detach' }),
    };
    const atMs = bornAt + (isAtOnce ? draw.below(50) : draw.below(20_000));
    steps.push({ atMs, what: 'create', object });
    if (draw.chance(0.6)) steps.push({ atMs: atMs + draw.below(activeMs - 50_000), what: 'delete', object });
  }
  return steps;
}
