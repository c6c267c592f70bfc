// Tones of objects, in words. The server uses the same names.
/** Tone of an object, by the tags of its state. */
export const StatusColor = {
  /** No process has looked at it as it is now. */
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
export type StatusColor = (typeof StatusColor)[keyof typeof StatusColor];

/** In the order in which people look for them. */
export const TONES: readonly { readonly tone: StatusColor; readonly label: string; readonly meaning: string }[] = [
  { tone: StatusColor.Quarantined, label: 'Quarantined', meaning: 'the code that serves it failed' },
  { tone: StatusColor.Failed, label: 'Failed', meaning: 'rejected until its spec or a dependency changes' },
  { tone: StatusColor.Failing, label: 'Failing', meaning: 'the last step failed, and is tried again' },
  { tone: StatusColor.Unavailable, label: 'Unavailable', meaning: 'as specified, and not usable as it is' },
  { tone: StatusColor.Held, label: 'Held', meaning: 'deleted, and others still use it' },
  { tone: StatusColor.Deleting, label: 'Deleting', meaning: 'it is being deleted' },
  { tone: StatusColor.Waiting, label: 'Waiting', meaning: 'something else has to happen first' },
  { tone: StatusColor.Busy, label: 'Busy', meaning: 'something is being done for it' },
  { tone: StatusColor.Unseen, label: 'Not seen yet', meaning: 'not checked since its last change' },
  { tone: StatusColor.Available, label: 'Available', meaning: 'as specified, and ready to be used' },
];

/** There is a problem, and a person may have to fix it. */
export const BAD: ReadonlySet<StatusColor> = new Set([
  StatusColor.Quarantined,
  StatusColor.Failed,
  StatusColor.Failing,
  StatusColor.Unavailable,
]);

export function labelOf(tone: StatusColor | 'absent'): string {
  return tone === 'absent' ? 'Missing' : (TONES.find((each) => each.tone === tone)?.label ?? tone);
}

const RANKS = new Map(TONES.map(({ tone }, index) => [tone, index]));

/** The worse, the smaller. */
export function rankOf(tone: StatusColor): number {
  return RANKS.get(tone) ?? TONES.length;
}

/** Number of objects with each tone, the worst first. */
export function tallyOf(trees: Iterable<{ readonly tone: StatusColor }>): readonly (readonly [StatusColor, number])[] {
  const counts = new Map<StatusColor, number>();
  for (const { tone } of trees) counts.set(tone, (counts.get(tone) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => rankOf(one) - rankOf(other));
}
