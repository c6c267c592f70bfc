// How objects look at a glance, in words. The server says it by the same names.
/** How an object looks at a glance, by the tags of its state. */
export const Tone = {
  /** Nobody has looked at it as it is now. */
  Unseen: 'unseen',
  Waiting: 'waiting',
  Busy: 'busy',
  Available: 'available',
  /** As specified, and not usable as it is. */
  Unavailable: 'unavailable',
  /** The last step failed, and is tried again. */
  Failing: 'failing',
  /** Refused until a person does something. */
  Failed: 'failed',
  Deleting: 'deleting',
  /** Deleted, and others hold it. */
  Held: 'held',
  /** The code that serves it failed. */
  Quarantined: 'quarantined',
} as const;
export type Tone = (typeof Tone)[keyof typeof Tone];

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
