// When an object needs no statechart for the time being: nothing is to be done for it, and only news can change that.
import { type Address, type JsonObject, sharedUid, shareTexts } from '../../bus/mod.ts';
import { type Claims, missingGuards } from '../../machines/guard.ts';
import type { KubeObject, ManagedKind } from '../../machines/kind.ts';
import { type ObjectView, objectView } from '../../machines/life.ts';

/** Phases in which nothing is to be done until something changes; a life may begin in them. */
export const SETTLED: ReadonlySet<string> = new Set(['available', 'unavailable', 'failed']);

export interface Resting {
  readonly phase: string;
  readonly object: KubeObject;
  readonly kind: ManagedKind;
  readonly claims: () => Claims;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** If it has been made already. */
  readonly view?: ObjectView | undefined;
}

/** Whether a statechart that begins on the object as it stands would wait in `phase`, with no timer, for news. */
export function mayRest({ phase, object, kind, claims, now, view = objectView(object, kind, now) }: Resting): boolean {
  return (
    SETTLED.has(phase) &&
    view.settled === phase &&
    !view.deleting &&
    view.resyncInMs === undefined &&
    kind.resyncAfterMs(object, () => 0) === undefined &&
    missingGuards({ object: view, claims: claims() }).length === 0
  );
}

/** Whether a resting object that changed from `before` to `after` has nothing to hear of it, if it may rest still. */
export function isSameAtRest(before: KubeObject, after: KubeObject): boolean {
  return before.metadata.generation === after.metadata.generation && before.status?.['id'] === after.status?.['id'];
}

/** What rests may do so for long, among tens of thousands: what `object` has in common with others is kept once. */
export function shareCommon(address: Address, object: KubeObject): void {
  shareTexts(object as unknown as JsonObject);
  const metadata = object.metadata as { uid: string };
  metadata.uid = sharedUid(address, metadata.uid);
}
