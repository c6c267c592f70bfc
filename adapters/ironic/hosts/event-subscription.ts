// BMCEventSubscription: a Redfish event subscription made through Ironic. What its controller does next, and the bodies of its
// requests. Pure.
//
// Invariants:
//   S1. The subscription is gone from the BMC before its object is, unless nobody is left to ask: the host is gone.
//   S2. No message repeats a header: its Secret may hold tokens.

import { byBytes } from '../json-values.ts';
import type { Maybe, SecretReference } from './host.ts';
import { isDetached, type MarkedHost } from './host-marks.ts';
import { type SecretData, secretText } from './secret-text.ts';

export const EVENT_SUBSCRIPTION_FINALIZER = 'bmceventsubscription.metal3.io';

export interface EventSubscription {
  readonly metadata: {
    readonly namespace?: Maybe<string>;
    readonly deletionTimestamp?: Maybe<string>;
    readonly finalizers?: Maybe<readonly string[]>;
  };
  readonly spec?: Maybe<{
    readonly hostName?: Maybe<string>;
    readonly destination?: Maybe<string>;
    readonly context?: Maybe<string>;
    readonly httpHeadersRef?: Maybe<SecretReference>;
  }>;
  readonly status?: Maybe<{ readonly error?: Maybe<string>; readonly subscriptionID?: Maybe<string> }>;
}

export interface SubscribedHost extends MarkedHost {
  readonly status?: Maybe<
    NonNullable<MarkedHost['status']> & {
      readonly provisioning?: {
        readonly state?: Maybe<string>;
        /** UUID of the node. */
        readonly ID?: Maybe<string>;
      } | null;
    }
  >;
}

/** Until a subscription without a host that can be asked is looked at again, in milliseconds. */
export const SUBSCRIPTION_RETRY_MS = 600_000;

/** The body of `POST /v1/nodes/{id}/vendor_passthru?method=create_subscription`. */
export interface CreateSubscription {
  readonly Destination: string;
  readonly Context?: string;
  /** Each with one member. */
  readonly HttpHeaders?: readonly Readonly<Record<string, string>>[];
}

export type SubscriptionStep =
  | { readonly next: 'rest' }
  /** `error` is for `status.error`. */
  | { readonly next: 'wait'; readonly delayMs: number; readonly error: string }
  | { readonly next: 'addFinalizer' }
  | { readonly next: 'dropFinalizer' }
  /** Makes the subscription on this node; the answer's `Id` becomes `status.subscriptionID`, and `status.error` goes. */
  | { readonly next: 'create'; readonly node: string }
  /** Sends this body with method `delete_subscription`, then drops the finalizer. A node that is gone has none. */
  | { readonly next: 'delete'; readonly node: string; readonly body: { readonly id: string } };

/** @param host  the BareMetalHost that `spec.hostName` names in the same namespace; undefined: there is none */
export function subscriptionStep(
  { metadata, spec, status }: EventSubscription,
  host: Maybe<SubscribedHost>,
): SubscriptionStep {
  const { deletionTimestamp, finalizers } = metadata;
  const isHeld = finalizers?.includes(EVENT_SUBSCRIPTION_FINALIZER) ?? false;
  const id = status?.subscriptionID ?? '';
  const isDeleted = deletionTimestamp != null;
  if (isDeleted && !isHeld) return { next: 'rest' };
  if (isDeleted && (id === '' || host == null)) return { next: 'dropFinalizer' };
  const name = spec?.hostName ?? '';
  if (host == null) return unasked(`host '${name}' does not exist`);
  if (!isDeleted && id !== '' && isHeld) return { next: 'rest' };
  if (!isDeleted && !isHeld) return { next: 'addFinalizer' };
  if (isDetached(host)) return unasked(`host '${name}' is detached`);
  const node = host.status?.provisioning?.ID ?? '';
  if (node === '') return unasked(`host '${name}' is not registered`);
  return isDeleted ? { next: 'delete', node, body: { id } } : { next: 'create', node };
}

function unasked(error: string): SubscriptionStep {
  return { next: 'wait', delayMs: SUBSCRIPTION_RETRY_MS, error };
}

/**
 * What Ironic is asked for.
 *
 * @param headers  `data` of the Secret that `spec.httpHeadersRef` names, in base64; undefined: there is none
 * @returns `problem`: it cannot be asked for, with words for `status.error`
 */
export function createSubscription(
  { metadata, spec }: EventSubscription,
  headers: Maybe<SecretData>,
): { readonly body: CreateSubscription } | { readonly problem: string } {
  const { destination, context, httpHeadersRef: reference } = spec ?? {};
  const read = reference == null ? { headers: [] } : headersIn(reference, metadata.namespace, headers);
  if ('problem' in read) return read;
  return {
    body: {
      Destination: destination ?? '',
      ...(context && { Context: context }),
      ...(read.headers.length > 0 && { HttpHeaders: read.headers }),
    },
  };
}

function headersIn(
  reference: SecretReference,
  ownNamespace: Maybe<string>,
  data: Maybe<SecretData>,
): { readonly headers: readonly Readonly<Record<string, string>>[] } | { readonly problem: string } {
  const { name, namespace } = reference;
  if (namespace && namespace !== ownNamespace) {
    return { problem: `the Secret '${name ?? ''}' with the headers must be in the namespace of the subscription` };
  }
  if (data == null) return { problem: `the Secret '${name ?? ''}' with the headers does not exist` };
  const headers = Object.keys(data)
    .sort(byBytes)
    .map((key) => ({ key, text: secretText(data, key)?.trim() }));
  // It would end its header and begin another one.
  const bad = headers.find(({ text }) => text === undefined || /[\0\r\n]/.test(text));
  if (bad !== undefined) {
    return { problem: `key '${bad.key}' of the Secret '${name ?? ''}' is no value of a header` };
  }
  return { headers: headers.map(({ key, text = '' }) => Object.fromEntries([[key, text]])) };
}
