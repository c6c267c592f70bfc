// BMCEventSubscription: the receiver of a BMC's events.
import type { SecretReference } from './shapes.ts';

export interface BMCEventSubscriptionSpec {
  readonly context?: string;
  readonly destination?: string;
  readonly hostName?: string;
  readonly httpHeadersRef?: SecretReference;
}

export interface BMCEventSubscriptionStatus {
  readonly error?: string;
  readonly subscriptionID?: string;
}
