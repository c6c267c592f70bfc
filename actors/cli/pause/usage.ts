// Usage of `troupe pause` and `troupe resume`.
import { asQuestion, type CommandUsage } from '../command.ts';
import { COMMON, PLACE } from '../options.ts';

export const pause = {
  name: 'pause',
  forms: ['<kind>/<name>'],
  about:
    "has nothing done for a BareMetalHost until 'resume', by its annotation 'baremetalhost.metal3.io/paused'; takes the right to patch it; exit status: 0 paused, 2 error",
  options: { ...PLACE, ...COMMON },
  examples: ['pause baremetalhost/node-1 -n metal'],
  adapterFlags: ['process'],
  load: asQuestion(async () => (await import('./pause.ts')).pause),
} as const satisfies CommandUsage;

export const resume = {
  name: 'resume',
  forms: ['<kind>/<name>'],
  about: "ends what 'pause' began; what others paused is theirs to resume; exit status: 0 not paused, 2 error",
  options: { ...PLACE, ...COMMON },
  examples: ['resume baremetalhost/node-1 -n metal'],
  adapterFlags: ['process'],
  load: asQuestion(async () => (await import('./pause.ts')).resume),
} as const satisfies CommandUsage;
