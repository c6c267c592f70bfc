// What marks a BareMetalHost that the kinds beside it have to leave alone. Pure.
import type { Maybe } from './host.ts';

export const PAUSED_ANNOTATION = 'baremetalhost.metal3.io/paused';

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
export function isPaused({ metadata: { annotations } }: MarkedHost): boolean {
  return annotations != null && Object.hasOwn(annotations, PAUSED_ANNOTATION);
}
