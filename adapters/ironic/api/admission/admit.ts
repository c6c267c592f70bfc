// Whether the API server may store or delete an object of `metal3.io`.
//
// Invariants:
//   IRONIC-ADMIT-1. An answer always lists all problems at once.
//   IRONIC-ADMIT-2. An update that leaves the spec as it is is rejected only for new problems: a problem that the
//       stored object already had never prevents an edit of its metadata. Any other update is judged whole, as a create
//       is.
//   IRONIC-ADMIT-3. What cannot be found out counts against the request, never for it.
import { isDeepStrictEqual } from 'node:util';
import { imageUrlProblem } from '../../host/image-rules.ts';
import { isMap, type JsonMap, listOf, mapOf, textOf } from '../../json-values.ts';
import { bareMetalHostRules } from './bare-metal-host.ts';
import { eventSubscriptionRules } from './bmc-event-subscription.ts';
import { hostClaimRules } from './host-claim.ts';
import { networkAttachmentRules } from './host-network-attachment.ts';
import { fieldNamesOf, type KindRules, type Others } from './rules.ts';

export interface AdmissionRequest {
  readonly kind: string;
  /** Version of the objects: `v1alpha1` or `v1beta1`. */
  readonly version: string;
  /** `CREATE`, `UPDATE` or `DELETE`; of any other nothing is ruled. */
  readonly operation: string;
  /** As it shall be. None for a deletion. */
  readonly object?: unknown;
  /** As it is stored. None for a creation. */
  readonly oldObject?: unknown;
  /** Read where `asksForOthers` says so. */
  readonly others?: Others;
}

export interface Verdict {
  readonly allowed: boolean;
  /** Why not; empty when it is. */
  readonly problems: readonly string[];
  /** Warnings that the client shows to its user. */
  readonly warnings: readonly string[];
}

const RULES: ReadonlyMap<string, KindRules> = new Map<string, KindRules>([
  ['BareMetalHost', bareMetalHostRules],
  ['BMCEventSubscription', eventSubscriptionRules],
  ['DataImage', { problems: ({ spec }) => urlProblems([spec]) }],
  ['HostClaim', hostClaimRules],
  ['HostFirmwareComponents', { problems: ({ spec }) => urlProblems(listOf(mapOf(spec)['updates'])) }],
  ['HostNetworkAttachment', networkAttachmentRules],
]);

/** Judges one request. Kinds without rules are let through. */
export function admit({ kind, version, operation, object, oldObject, others }: AdmissionRequest): Verdict {
  const { problems: problemsOf = () => [], changes = () => [], deletion = () => [] } = RULES.get(kind) ?? {};
  const names = fieldNamesOf(version);
  const [after, before] = [mapOf(object), mapOf(oldObject)];
  if (operation === 'DELETE') {
    const problems = deletion(before, others);
    return { allowed: problems.length === 0, problems, warnings: problems };
  }
  if (operation !== 'CREATE' && operation !== 'UPDATE') return { allowed: true, problems: [], warnings: [] };
  const found = problemsOf(after, names);
  const problems =
    operation === 'CREATE' || !isMap(oldObject)
      ? found
      : isSameSpec(after, before)
        ? without(found, problemsOf(before, names))
        : [...found, ...changes(after, before, others)];
  return { allowed: problems.length === 0, problems: [...new Set(problems)], warnings: [] };
}

/** Whether a request cannot be judged without the BareMetalHosts of all namespaces. */
export function asksForOthers({ kind, operation, object, oldObject }: AdmissionRequest): boolean {
  if (kind !== 'HostNetworkAttachment') return false;
  return operation === 'DELETE' || (operation === 'UPDATE' && !isSameSpec(mapOf(object), mapOf(oldObject)));
}

function isSameSpec({ spec: one }: JsonMap, { spec: other }: JsonMap): boolean {
  return isDeepStrictEqual(saidIn(one), saidIn(other));
}

/** Some clients send an unset `bmc` with two empty texts: it says the same. */
function saidIn(spec: unknown): JsonMap {
  const { bmc, ...rest } = mapOf(spec);
  const { address, credentialsName } = mapOf(bmc);
  return textOf(address) === '' && textOf(credentialsName) === '' ? rest : { ...rest, bmc };
}

function without(problems: readonly string[], known: readonly string[]): readonly string[] {
  return problems.filter((problem) => !known.includes(problem));
}

function urlProblems(sources: readonly unknown[]): readonly string[] {
  return sources.map((source) => imageUrlProblem(mapOf(source)['url'])).filter((problem) => problem !== undefined);
}
