// What marks a BareMetalHost that the kinds beside it have to leave alone. Pure.
import type { Maybe } from './host.ts';

export const PAUSED_ANNOTATION = 'baremetalhost.metal3.io/paused';
export const DETACHED_ANNOTATION = 'baremetalhost.metal3.io/detached';

/** A BareMetalHost, as far as the kinds beside it read it. */
export interface MarkedHost {
  readonly metadata: {
    readonly annotations?: Maybe<Readonly<Record<string, string>>>;
  };
  readonly status?: Maybe<{
    readonly operationalStatus?: Maybe<string>;
    readonly provisioning?: Maybe<{ readonly state?: Maybe<string> }>;
  }>;
}

/** Nothing at all is done for it; the annotation counts with any value, also an empty one. */
export function isPaused(host: MarkedHost): boolean {
  return isAnnotated(host, PAUSED_ANNOTATION);
}

/** It left Ironic, or is to leave it. */
export function isDetached(host: MarkedHost): boolean {
  return isAnnotated(host, DETACHED_ANNOTATION) || host.status?.operationalStatus === 'detached';
}

/** No BMC is known to it, or it was not looked at yet. */
export function isUnmanaged({ status }: MarkedHost): boolean {
  const state = status?.provisioning?.state ?? '';
  return state === '' || state === 'unmanaged';
}

function isAnnotated({ metadata: { annotations } }: MarkedHost, annotation: string): boolean {
  return annotations != null && Object.hasOwn(annotations, annotation);
}
