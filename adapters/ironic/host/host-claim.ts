// HostClaim: which host a claim gets, what is written on both, and its conditions. Pure.
//
// Invariants:
//   IRONIC-HOST-HOST-CLAIM-1. A claim holds the hosts that carry its reference, whatever became of policies, labels and states since.
//   IRONIC-HOST-HOST-CLAIM-2. A host that carries a reference is never assigned to another claim.

import { isPaused } from '../../../machines/bare-metal-host/host.ts';
import { byBytes } from '../json-values.ts';
import { type Condition, conditionOf, type Verdict, withConditions } from './condition.ts';
import { type ClaimNamespace, claimableNamespaces, type HostDeployPolicy } from './host-deploy-policy.ts';
import type { Maybe } from './host-json.ts';
import { type HostSelector, isSelected } from './label-selector.ts';

export const HOST_CLAIM_FINALIZER = 'metal3.io/hostclaim';

const FAILURE_DOMAIN_LABEL = 'infrastructure.cluster.x-k8s.io/failure-domain';
const GROUP = 'metal3.io';
const KIND = 'HostClaim';

/** Pause until a claim without a host is checked again, in milliseconds. */
export const HOST_CLAIM_RETRY_MS = 30_000;

export interface HostClaim {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: Maybe<string>;
    readonly generation?: Maybe<number>;
    readonly deletionTimestamp?: Maybe<string>;
    readonly finalizers?: Maybe<readonly string[]>;
  };
  readonly spec?: Maybe<{
    readonly hostSelector?: Maybe<HostSelector>;
    readonly failureDomain?: Maybe<string>;
  }>;
  readonly status?: Maybe<{ readonly conditions?: Maybe<readonly Condition[]> }>;
}

export interface ObjectReference {
  readonly apiVersion?: Maybe<string>;
  readonly kind?: Maybe<string>;
  readonly name?: Maybe<string>;
  readonly namespace?: Maybe<string>;
}

export interface ClaimableHost {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: Maybe<string>;
    readonly labels?: Maybe<Readonly<Record<string, string>>>;
    readonly annotations?: Maybe<Readonly<Record<string, string>>>;
    readonly deletionTimestamp?: Maybe<string>;
  };
  readonly spec?: Maybe<{ readonly consumerRef?: Maybe<ObjectReference> }>;
  readonly status?: Maybe<{
    readonly operationalStatus?: Maybe<string>;
    readonly provisioning?: Maybe<{ readonly state?: Maybe<string> }>;
    readonly errorMessage?: Maybe<string>;
    readonly conditions?: Maybe<readonly Condition[]>;
  }>;
}

/** Reference on a host that assigns it to this claim: `spec.consumerRef`. */
export function consumerRefOf({ metadata: { name, namespace } }: HostClaim): ObjectReference {
  return { apiVersion: `${GROUP}/v1alpha1`, kind: KIND, name, namespace: namespace ?? '' };
}

/** Whether the host carries the reference of this claim; the version of the API in it does not matter. */
export function isHeldBy({ spec }: ClaimableHost, { metadata: { name, namespace } }: HostClaim): boolean {
  const { apiVersion, ...reference } = spec?.consumerRef ?? {};
  const [group] = (apiVersion ?? '').split('/');
  return (
    group === GROUP &&
    reference.kind === KIND &&
    reference.name === name &&
    (reference.namespace ?? '') === (namespace ?? '')
  );
}

/** Whether anybody may claim it as it stands. */
export function isClaimable(host: ClaimableHost): boolean {
  const { metadata, spec, status } = host;
  const state = status?.provisioning?.state;
  return (
    spec?.consumerRef == null &&
    metadata.deletionTimestamp == null &&
    !isPaused(host) &&
    (state === 'available' || state === 'ready') &&
    !status?.errorMessage
  );
}

/** The hosts that a claim may get, by namespace and name. */
export function candidateHosts({ claim, namespace, hosts, policies }: Choice): readonly ClaimableHost[] {
  const { hostSelector } = claim.spec ?? {};
  const claimable = claimableNamespaces(policies, namespace);
  return hosts
    .filter((host) => {
      const { labels, namespace: place } = host.metadata;
      const isPlaced = !hostSelector?.inNamespace || hostSelector.inNamespace === place;
      return isPlaced && claimable.has(place ?? '') && isSelected(labels, hostSelector) && isClaimable(host);
    })
    .sort(byPlace);
}

export interface Choice {
  readonly claim: HostClaim;
  /** The namespace of the claim. */
  readonly namespace: ClaimNamespace;
  readonly hosts: readonly ClaimableHost[];
  /** Policies of all namespaces. */
  readonly policies: readonly HostDeployPolicy[];
}

/**
 * The host that a claim gets: one that it holds already, else a candidate in its failure domain, else any candidate.
 *
 * @param options.random  uniform in [0, 1)
 * @returns undefined: there is none
 */
export function chooseHost({ random, ...choice }: Choice & { readonly random: number }): ClaimableHost | undefined {
  const { claim } = choice;
  const held = heldHosts(claim, choice.hosts);
  if (held[0] !== undefined) return held[0];
  const candidates = candidateHosts(choice);
  const domain = claim.spec?.failureDomain;
  const near = domain ? candidates.filter((host) => labelOf(host, FAILURE_DOMAIN_LABEL) === domain) : [];
  const preferred = near.length > 0 ? near : candidates;
  return preferred[Math.floor(random * preferred.length)];
}

/** The hosts that carry the reference of a claim, by namespace and name. There should be one. */
export function heldHosts(claim: HostClaim, hosts: readonly ClaimableHost[]): readonly ClaimableHost[] {
  return hosts.filter((host) => isHeldBy(host, claim)).sort(byPlace);
}

export type HostClaimStep =
  | { readonly next: 'rest' }
  /** There is no host for it. */
  | { readonly next: 'wait'; readonly delayMs: number }
  | { readonly next: 'addFinalizer' }
  | { readonly next: 'dropFinalizer' }
  /** Takes the reference off these hosts. */
  | { readonly next: 'release'; readonly hosts: readonly HostReference[] }
  /** Writes the reference on the host, if it carries none by then. */
  | { readonly next: 'bind'; readonly host: HostReference; readonly consumerRef: ObjectReference }
  /** It holds this host, which belongs into `status.bareMetalHost`. */
  | { readonly next: 'keep'; readonly host: HostReference };

export interface HostReference {
  readonly name: string;
  readonly namespace: string;
}

/** Next step for a claim. @param options.random uniform in [0, 1) */
export function hostClaimStep(options: Choice & { readonly random: number }): HostClaimStep {
  const { claim, hosts } = options;
  const { deletionTimestamp, finalizers } = claim.metadata;
  const isFinalized = finalizers?.includes(HOST_CLAIM_FINALIZER) ?? false;
  if (deletionTimestamp != null) {
    if (!isFinalized) return { next: 'rest' };
    const held = heldHosts(claim, hosts);
    return held.length > 0 ? { next: 'release', hosts: held.map(referenceTo) } : { next: 'dropFinalizer' };
  }
  if (!isFinalized) return { next: 'addFinalizer' };
  const host = chooseHost(options);
  if (host === undefined) return { next: 'wait', delayMs: HOST_CLAIM_RETRY_MS };
  return isHeldBy(host, claim)
    ? { next: 'keep', host: referenceTo(host) }
    : { next: 'bind', host: referenceTo(host), consumerRef: consumerRefOf(claim) };
}

function referenceTo({ metadata: { name, namespace } }: ClaimableHost): HostReference {
  return { name, namespace: namespace ?? '' };
}

export const ClaimCondition = {
  Associated: 'Associated',
  Synchronized: 'Synchronized',
  Provisioned: 'Provisioned',
  AvailableForProvisioning: 'AvailableForProvisioning',
  Ready: 'Ready',
} as const;

export const ClaimReason = {
  BareMetalHostAssociated: 'BareMetalHostAssociated',
  NoBareMetalHost: 'NoBareMetalHost',
  BareMetalHostNotSynchronized: 'BareMetalHostNotSynchronized',
  HostClaimDeleting: 'HostClaimDeleting',
  HostClaimDeletionFailed: 'HostClaimDeletionFailed',
  ConfigurationSynced: 'ConfigurationSynced',
  UserDataSecretSyncFailure: 'UserDataSecretSyncFailure',
  MetaDataSecretSyncFailure: 'MetaDataSecretSyncFailure',
  NetworkDataSecretSyncFailure: 'NetworkDataSecretSyncFailure',
  MissingBareMetalHost: 'MissingBareMetalHost',
  BadBareMetalHostStatus: 'BadBareMetalHostStatus',
  HostClaimAnnotationNotSet: 'HostClaimAnnotationNotSet',
  PauseAnnotationSetFailed: 'PauseAnnotationSetFailed',
  PauseAnnotationRemoveFailed: 'PauseAnnotationRemoveFailed',
  HostPaused: 'HostPaused',
} as const;
export type ClaimReason = (typeof ClaimReason)[keyof typeof ClaimReason];

export interface ClaimVerdict {
  readonly status: Condition['status'];
  readonly reason: ClaimReason;
  readonly message?: string;
}

/**
 * The conditions of a claim.
 *
 * @param options.association  `Associated`
 * @param options.host  the host that it holds; its own conditions say how far it is
 * @param options.synchronization whether the claim's settings are applied to the host; undefined if that was not tried
 * @param options.now  milliseconds since the epoch
 */
export function hostClaimConditions(
  claim: HostClaim,
  {
    association,
    host,
    synchronization,
    now,
  }: {
    readonly association: ClaimVerdict;
    readonly host?: ClaimableHost | undefined;
    readonly synchronization?: ClaimVerdict | undefined;
    readonly now: number;
  },
): readonly Condition[] {
  const missing: ClaimVerdict = { status: 'False', reason: ClaimReason.MissingBareMetalHost };
  const unsynchronized: ClaimVerdict = { status: 'False', reason: ClaimReason.BareMetalHostNotSynchronized };
  const associated = { type: ClaimCondition.Associated, ...association };
  const synchronized = {
    type: ClaimCondition.Synchronized,
    ...(host === undefined ? missing : (synchronization ?? unsynchronized)),
  };
  const provisioned = hostVerdict(ClaimCondition.Provisioned, host);
  return withConditions(
    [
      associated,
      synchronized,
      provisioned,
      hostVerdict(ClaimCondition.AvailableForProvisioning, host),
      summaryOf([associated, synchronized, provisioned]),
    ],
    { stored: claim.status?.conditions, generation: claim.metadata.generation ?? undefined, now },
  );
}

/** The condition of the same type that the host has. */
function hostVerdict(type: string, host: ClaimableHost | undefined): Verdict {
  if (host === undefined) return { type, status: 'False', reason: ClaimReason.MissingBareMetalHost };
  const known = conditionOf(host.status?.conditions, type);
  if (known === undefined) return { type, status: 'Unknown', reason: ClaimReason.BadBareMetalHostStatus };
  return { type, status: known.status, reason: known.reason, message: known.message };
}

/** True when all are; else the first that is false, or not known, and why. */
function summaryOf(verdicts: readonly Verdict[]): Verdict {
  const worst = verdicts.find(({ status }) => status === 'False') ?? verdicts.find(({ status }) => status !== 'True');
  if (worst === undefined) return { type: ClaimCondition.Ready, status: 'True', reason: ClaimCondition.Ready };
  return { ...worst, type: ClaimCondition.Ready };
}

function labelOf({ metadata: { labels } }: ClaimableHost, name: string): string | undefined {
  return labels != null && Object.hasOwn(labels, name) ? labels[name] : undefined;
}

function byPlace({ metadata: left }: ClaimableHost, { metadata: right }: ClaimableHost): number {
  return byBytes(left.namespace ?? '', right.namespace ?? '') || byBytes(left.name, right.name);
}
