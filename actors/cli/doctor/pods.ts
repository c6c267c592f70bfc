// Whether the pods serve the same: a shard has objects of all kinds, so what one of them lacks another one stands still for.
import type { LeaseRecord } from '../../../bus/mod.ts';
import { beyond, offersIn, servingOf, watchedIn } from '../../sharding/served-kinds.ts';
import { Area, type Check, well, wrong } from './checks.ts';

/** Number of names that are printed of those that share a problem. */
const NAMED = 3;
const ALIKE = 'deploy one configuration: the same --adapters, --kinds and --namespace for all pods';

/** @param records  all leases of the deployment */
export function examinePods(records: readonly LeaseRecord[]): readonly Check[] {
  const offers = offersIn(records);
  if (offers.size === 0) return [];
  const { able, unserved, lacking } = servingOf(offers);
  const checks: Check[] = [...lacking].map(([pod, kinds]) => {
    const outcome = able.has(pod) ? 'what it hosts of these stands' : 'it gets no objects';
    return wrong(Area.Pods, `pod ${pod}`, `does not serve ${named(kinds)}, which others do: ${outcome}`, ALIKE);
  });
  if (unserved.length > 0)
    checks.push(wrong(Area.Pods, 'kinds', `${named(unserved)}: no pod that hosts objects serves them`, ALIKE));
  for (const [pod, offer] of offers) {
    if (offer !== undefined) continue;
    const what = 'does not say what it serves: it is of an earlier version';
    checks.push(wrong(Area.Pods, `pod ${pod}`, what, 'see that the roll-out of this version comes to its end'));
  }
  const watched = watchedIn(records);
  const unwatched =
    watched === undefined
      ? []
      : beyond(
          watched.offer,
          [...offers.values()].filter((each) => each !== undefined),
        );
  if (watched !== undefined && unwatched.length > 0) {
    const what = `watches the API server for all pods, and not ${named(unwatched)}, which others serve`;
    checks.push(wrong(Area.Pods, `process ${watched.holder}`, what, ALIKE));
  }
  if (checks.length > 0) return checks;
  return [well(Area.Pods, 'pods', offers.size === 1 ? 'one hosts objects' : `all ${offers.size} serve the same`)];
}

function named(kinds: readonly string[]): string {
  const more = kinds.length > NAMED ? ` and ${kinds.length - NAMED} more` : '';
  return `${kinds.slice(0, NAMED).join(', ')}${more}`;
}
