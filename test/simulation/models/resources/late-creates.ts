// Creates that the cloud does when their senders have long given up, and what befalls those who wait for them: a process
// ends, or the mail is lost, and whoever comes next has to know of them (P13). Drawn apart from the rest of the plan.
import { mulberry32 } from '../../../../actors/base/clock.ts';
import { drawFrom } from '../../draw.ts';
import type { Step } from './plan.ts';

/** A cloud does nothing later than this after the deadline, in milliseconds (`LATE_MS` of the adapter). */
const LATEST_MS = 29_900;

/** A third of the histories in which anything goes wrong has some. */
export function lateCreates(seed: number, { steps, pods }: { steps: readonly Step[]; pods: number }): readonly Step[] {
  const draw = drawFrom(mulberry32(seed ^ 0x1a7e00));
  if (draw.chance(0.67)) return [];
  const begun = steps.filter(({ what }) => what === 'create').map(({ atMs }) => atMs);
  if (begun.length === 0) return [];
  const atMs = Math.max(0, draw.pick(begun) - draw.below(1_000));
  const late: Step[] = [
    { atMs, what: 'lateCreates', forMs: 2_000 + draw.below(10_000), byMs: 500 + draw.below(LATEST_MS - 500) },
  ];
  const soon = (): number => atMs + 300 + draw.below(12_000);
  const pod = draw.below(pods);
  const end = draw.pick(['crash', 'crash', 'stop', 'wipe'] as const);
  if (end === 'wipe') return [...late, { atMs: soon(), what: draw.pick(['wipeMail', 'wipeAll'] as const) }];
  const endsAt = soon();
  if (draw.chance(0.5)) {
    const renamed = draw.pick(
      steps.flatMap((step) => (step.what === 'create' && step.atMs >= atMs ? [step.object] : [])),
    );
    late.push({ atMs: endsAt + draw.below(10_000), what: 'rename', object: renamed, text: 'meanwhile' });
  }
  late.push({ atMs: endsAt, what: end, pod, forMs: 200 + draw.below(10_000) });
  // Its successor goes, too.
  if (draw.chance(0.3))
    late.push({ atMs: endsAt + 12_000 + draw.below(8_000), what: 'crash', pod: draw.below(pods), forMs: 1_000 });
  return late;
}
