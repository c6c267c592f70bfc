// Served kinds of the pods, from the notes on their leases, and the pods that may get shards. A shard has objects of
// all kinds, so it is assigned only to a pod that knows all kinds served anywhere; without such a pod, to those that
// know most.
//
// Invariants:
//   SERVED-KINDS-1. All pods that see the same leases choose the same pods, whatever they serve themselves.
//   SERVED-KINDS-2. A pod without a note, as of an earlier version, always counts among those that may have shards: it
//       decides by names alone, and would keep shards assigned to others.
//   SERVED-KINDS-3. A pod that was replaced by one that serves more never gets its shards back while the other one is live.

import { type JsonObject, type LeaseRecord, WATCH_LEASE } from '../../bus/mod.ts';
import type { ReferencedKind } from '../../machines/kind.ts';
import { POD_LEASE } from './replica-count.ts';

export interface Offer {
  /** As their definitions are called: `subnets.openstack.k-orc.cloud`. */
  readonly kinds: readonly string[];
  /** Undefined: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Whether it leads the watch when it may. */
  readonly watches?: boolean | undefined;
  /** Number of shards of the deployment. */
  readonly shards?: number | undefined;
}

/** Offers by pod; undefined: the pod has no note. */
export type Offers = ReadonlyMap<string, Offer | undefined>;

/** Served and missing kinds of the pods. */
export interface Standing {
  /** To whom shards go. */
  readonly able: ReadonlySet<string>;
  /** Kinds that some pod serves but those with shards do not: their objects are not managed. */
  readonly unserved: readonly string[];
  /** Kinds that another pod serves and this one does not, by pod. */
  readonly lacking: ReadonlyMap<string, readonly string[]>;
}

/** More than any deployment has; what says more says nothing. */
const LIMIT = 10_000;
/** Longest name of a definition, or of a namespace, that the API server takes. */
const NAME_LIMIT = 317;
const ALL_NAMESPACES = '*';

export function offerFor(
  kinds: readonly Pick<ReferencedKind, 'plural' | 'group'>[],
  rest: Omit<Offer, 'kinds'>,
): Offer {
  return { kinds: kinds.map(({ plural, group }) => (group === '' ? plural : `${plural}.${group}`)).sort(), ...rest };
}

/** As it is noted on a lease. */
export function noteOf({ kinds, namespaces, watches, shards }: Offer): JsonObject {
  return {
    kinds,
    ...(namespaces !== undefined && { namespaces }),
    ...(watches === true && { watches }),
    ...(shards !== undefined && { shards }),
  };
}

/** Offer in a lease's note; undefined: there is none, or it is invalid. */
export function offerOn({ note }: LeaseRecord): Offer | undefined {
  if (note === undefined) return undefined;
  const { kinds, namespaces, watches, shards } = note;
  if (!isNames(kinds) || !(namespaces === undefined || isNames(namespaces))) return undefined;
  const isCount = typeof shards === 'number' && Number.isInteger(shards) && shards > 0;
  return { kinds, namespaces, watches: watches === true, ...(isCount && { shards }) };
}

/** Number of shards of the deployment, as one of its pods says; undefined: none says. */
export function shardsIn(records: readonly LeaseRecord[]): number | undefined {
  return [...offersIn(records).values()].find((offer) => offer?.shards !== undefined)?.shards;
}

/** Offers of all processes that host actors. */
export function offersIn(records: readonly LeaseRecord[]): Offers {
  return new Map(
    records.flatMap((record) => (record.name.startsWith(POD_LEASE) ? [[record.holder, offerOn(record)] as const] : [])),
  );
}

/** Offer of the watch leader; undefined: there is none, or it has no note. */
export function watchedIn(
  records: readonly LeaseRecord[],
): { readonly holder: string; readonly offer: Offer } | undefined {
  const record = records.find(({ name }) => name === WATCH_LEASE);
  const offer = record && offerOn(record);
  return record && offer && { holder: record.holder, offer };
}

export function servingOf(offers: Offers): Standing {
  const said = [...offers].flatMap(([pod, offer]) => (offer === undefined ? [] : [[pod, offer] as const]));
  const all = universe(said.map(([, offer]) => offer));
  const served = said.map(([pod, offer]) => ({ pod, own: all.filter((part) => covers(offer, part)).map(nameOf) }));
  const text = (own: readonly string[]): string => own.join(' ');
  const best = served.toSorted(
    (one, other) => other.own.length - one.own.length || (text(one.own) < text(other.own) ? -1 : 1),
  )[0];
  const most = new Set(best?.own);
  const silent = [...offers].flatMap(([pod, offer]) => (offer === undefined ? [pod] : []));
  const able = served.flatMap(({ pod, own }) => (text(own) === text(best?.own ?? []) ? [pod] : []));
  const without = (own: ReadonlySet<string>): readonly string[] => all.map(nameOf).filter((name) => !own.has(name));
  return {
    able: new Set([...able, ...silent]),
    unserved: without(most),
    lacking: new Map(
      served.map(({ pod, own }) => [pod, without(new Set(own))] as const).filter(([, of]) => of.length > 0),
    ),
  };
}

/** Parts of the offers that another one does not cover. */
export function beyond(offer: Offer, others: readonly Offer[]): readonly string[] {
  return universe(others).flatMap((part) => (covers(offer, part) ? [] : [nameOf(part)]));
}

/** Whether another process that can lead the watch knows more of what is served than this one. */
export function isOutdone(own: Offer, offers: Offers): boolean {
  const others = [...offers.values()].filter((offer) => offer !== undefined);
  const lacking = beyond(own, others).length;
  return others.some((other) => other.watches === true && beyond(other, [own, ...others]).length < lacking);
}

interface Part {
  readonly kind: string;
  readonly namespace: string;
}

/** Each served part, once, in the same order in every process. */
function universe(offers: readonly Offer[]): readonly Part[] {
  const parts = new Map<string, Part>();
  for (const { kinds, namespaces = [ALL_NAMESPACES] } of offers)
    for (const kind of kinds)
      for (const namespace of namespaces) parts.set(`${kind} ${namespace}`, { kind, namespace });
  return [...parts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, part]) => part);
}

function covers({ kinds, namespaces }: Offer, { kind, namespace }: Part): boolean {
  return kinds.includes(kind) && (namespaces === undefined || namespaces.includes(namespace));
}

function nameOf({ kind, namespace }: Part): string {
  return namespace === ALL_NAMESPACES ? kind : `${kind} in ${namespace}`;
}

function isNames(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > LIMIT) return false;
  return value.every((name) => typeof name === 'string' && name.length <= NAME_LIMIT && /^[a-z0-9.-]+$/.test(name));
}
