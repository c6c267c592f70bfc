// BMCEventSubscription: a Redfish event subscription made through Ironic. How one is known again, and what Ironic is asked for.
// Pure.
//
// Invariants:
//   IRONIC-EVENT-SUBSCRIPTION-1. An id counts on one BMC only: elsewhere the same one names another subscription.
//   IRONIC-EVENT-SUBSCRIPTION-2. No message repeats a header: its Secret may hold tokens.

import type { KubeObject } from '../../../machines/object.ts';
import { byBytes, mapOf, textOf } from '../json-values.ts';
import type { Maybe, SecretReference } from './host-json.ts';
import { type SecretData, secretText } from './secret-text.ts';
import { hostProblem, splitUrl } from './url-parts.ts';

export const EVENT_SUBSCRIPTION_FINALIZER = 'bmceventsubscription.metal3.io';

export interface EventSubscription {
  readonly metadata: { readonly namespace?: Maybe<string> };
  readonly spec?: Maybe<{
    readonly hostName?: Maybe<string>;
    readonly destination?: Maybe<string>;
    readonly context?: Maybe<string>;
    readonly httpHeadersRef?: Maybe<SecretReference>;
  }>;
}

/** The subscription that an object has recorded, named so that no other BMC has one of that name (IRONIC-EVENT-SUBSCRIPTION-1). */
export function recordedSubscription(object: Pick<KubeObject, 'metadata' | 'spec' | 'status'>): string | undefined {
  const id = textOf(object.status?.['subscriptionID']);
  return id === '' ? undefined : subscriptionName(object, id);
}

/** @param id  as the BMC says it */
export function subscriptionName({ metadata, spec }: Pick<KubeObject, 'metadata' | 'spec'>, id: string): string {
  return `${metadata.namespace ?? ''}/${textOf(spec?.['hostName'])}/${id}`;
}

/** The inverse of `subscriptionName`. Neither a namespace nor a host has a slash in its name; an id may. */
export function subscriptionId(name: string): string {
  return name.split('/').slice(2).join('/');
}

/**
 * Intent of a requested subscription: it identifies the result, since the spec is immutable. No BMC returns headers.
 */
export function subscriptionIntent({ spec }: Pick<KubeObject, 'spec'>): {
  readonly destination: string;
  readonly context: string;
} {
  const { destination, context } = mapOf(spec);
  return { destination: textOf(destination), context: textOf(context) };
}

/**
 * Whether a subscription that the BMC reports is the intended one. A BMC may spell the destination in its own way, and not report a
 * context.
 */
export function isIntended(
  { destination, context }: ReturnType<typeof subscriptionIntent>,
  seen: ReturnType<typeof subscriptionIntent>,
): boolean {
  return addressOf(seen.destination) === addressOf(destination) && (seen.context === context || seen.context === '');
}

function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

/** The body of `POST /v1/nodes/{id}/vendor_passthru?method=create_subscription`; a type, as an interface would be no JSON. */
export type CreateSubscription = {
  readonly Destination: string;
  readonly Context?: string;
  /** Each with one member. */
  readonly HttpHeaders?: readonly Readonly<Record<string, string>>[];
};

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
  const problem = destinationProblem(textOf(destination));
  if (problem !== undefined) return { problem };
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

/** Problem of an event destination: checked when an object is admitted, and again before it is sent to a BMC. */
export function destinationProblem(destination: string): string | undefined {
  if (destination === '') return 'destination cannot be empty';
  const split = splitUrl(destination);
  if ('problem' in split) return `destination is invalid: ${split.problem}`;
  const { scheme, path } = split.parts;
  const problem = scheme === '' ? 'it is not an absolute URL' : hostProblem(split.parts);
  if (problem !== undefined) return `destination is invalid: ${problem}`;
  return path === '' ? 'destination needs a path: a host alone must have a trailing slash' : undefined;
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
