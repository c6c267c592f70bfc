// How objects look at a glance, in words. The values are those of the server's `Tone`.
import type { Tone as WireTone } from '../wire.ts';

export const Tone = {
  Unseen: 'unseen',
  Waiting: 'waiting',
  Busy: 'busy',
  Available: 'available',
  Unavailable: 'unavailable',
  Failing: 'failing',
  Failed: 'failed',
  Deleting: 'deleting',
  Held: 'held',
  Quarantined: 'quarantined',
} as const satisfies Readonly<Record<string, WireTone>>;
export type Tone = WireTone;

/** In the order in which people look for them. */
export const TONES: readonly { readonly tone: Tone; readonly label: string; readonly meaning: string }[] = [
  { tone: Tone.Quarantined, label: 'Quarantined', meaning: 'the code that serves it failed' },
  { tone: Tone.Failed, label: 'Failed', meaning: 'refused until somebody changes something' },
  { tone: Tone.Failing, label: 'Failing', meaning: 'the last step failed, and is tried again' },
  { tone: Tone.Unavailable, label: 'Unavailable', meaning: 'as specified, and not usable as it is' },
  { tone: Tone.Held, label: 'Held', meaning: 'deleted, and others still use it' },
  { tone: Tone.Deleting, label: 'Deleting', meaning: 'it is being deleted' },
  { tone: Tone.Waiting, label: 'Waiting', meaning: 'something else has to happen first' },
  { tone: Tone.Busy, label: 'Busy', meaning: 'something is being done for it' },
  { tone: Tone.Unseen, label: 'Unseen', meaning: 'nobody has looked at it yet' },
  { tone: Tone.Available, label: 'Available', meaning: 'as specified, and ready to be used' },
];

/** Something is wrong, and a person may have to see to it. */
export const BAD: ReadonlySet<Tone> = new Set([Tone.Quarantined, Tone.Failed, Tone.Failing, Tone.Unavailable]);

export function labelOf(tone: Tone | 'absent'): string {
  return tone === 'absent' ? 'Absent' : (TONES.find((each) => each.tone === tone)?.label ?? tone);
}
