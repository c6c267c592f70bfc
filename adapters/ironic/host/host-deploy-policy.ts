// HostDeployPolicy: from which namespaces the hosts of its own namespace may be claimed. Pure.
//
// Invariants:
//   IRONIC-HOST-DEPLOY-POLICY-1. A policy without rules accepts no claim; all of its rules must hold.
//   IRONIC-HOST-DEPLOY-POLICY-2. An invalid pattern accepts no claim.
//   IRONIC-HOST-DEPLOY-POLICY-3. A pattern without an anchor of its own is the whole name: `prod` does not accept `not-prod`. One with an anchor (`^`,
//       `$`) says itself where it stands, and is searched for: `^prod` accepts `prod-1`.
//   IRONIC-HOST-DEPLOY-POLICY-4. The language is RE2's, which takes time in proportion to the text: no pattern of a user holds the process up.

import { RE2JS, RE2JSException } from 're2js';
import type { Maybe } from './host-json.ts';

export interface HostDeployPolicy {
  readonly metadata: { readonly namespace?: Maybe<string> };
  readonly spec?: Maybe<{
    readonly hostClaimNamespaces?: Maybe<{
      readonly names?: Maybe<readonly string[]>;
      readonly nameMatches?: Maybe<string>;
      readonly hasLabels?: Maybe<readonly { readonly name: string; readonly value?: Maybe<string> }[]>;
    }>;
  }>;
}

/** The namespace of a claim. */
export interface ClaimNamespace {
  readonly name: string;
  readonly labels?: Maybe<Readonly<Record<string, string>>>;
}

/** Longer patterns are not read: names of namespaces have 63 characters at most. */
const LONGEST_PATTERN = 1024;

export function isNamespaceAccepted({ spec }: HostDeployPolicy, { name, labels }: ClaimNamespace): boolean {
  const { names, nameMatches, hasLabels } = spec?.hostClaimNamespaces ?? {};
  const isNamed = names != null && names.length > 0;
  const isLabelled = hasLabels != null && hasLabels.length > 0;
  if (!isNamed && !nameMatches && !isLabelled) return false;
  if (isNamed && !names.includes(name)) return false;
  if (nameMatches && !isNameMatched(nameMatches, name)) return false;
  return !isLabelled || hasLabels.every((label) => isLabelHeld(label, labels));
}

/** The namespaces whose hosts may be claimed from this one: one policy there that accepts it is enough. */
export function claimableNamespaces(policies: readonly HostDeployPolicy[], from: ClaimNamespace): ReadonlySet<string> {
  const accepting = policies.filter((policy) => isNamespaceAccepted(policy, from));
  return new Set(accepting.map(({ metadata }) => metadata.namespace ?? ''));
}

/** Whether a name is what a pattern of RE2 means by it (IRONIC-HOST-DEPLOY-POLICY-3). A pattern that cannot be read means nothing. */
export function isNameMatched(pattern: string, name: string): boolean {
  if (pattern.length > LONGEST_PATTERN) return false;
  try {
    const compiled = RE2JS.compile(pattern);
    return isAnchored(pattern) ? compiled.matcher(name).find() : compiled.matches(name);
  } catch (error) {
    if (error instanceof RE2JSException) return false;
    throw error;
  }
}

/** Whether there is an anchor in it, and not just its character, escaped or in a class. */
function isAnchored(pattern: string): boolean {
  const bare = pattern.replace(/\\[^Az]|\[\^?\]?(?:\\.|[^\]\\])*\]/gs, '');
  return /[\^$]|\\[Az]/.test(bare);
}

/** An empty value: present with any. */
function isLabelHeld(
  { name, value }: { readonly name: string; readonly value?: Maybe<string> },
  labels: Maybe<Readonly<Record<string, string>>>,
): boolean {
  if (labels == null || !Object.hasOwn(labels, name)) return false;
  return !value || labels[name] === value;
}
