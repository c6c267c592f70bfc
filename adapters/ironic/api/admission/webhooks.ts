// How the API server is told to ask: the ValidatingWebhookConfiguration.
import type { JsonObject } from '../../../../bus/json.ts';

const GROUP = 'metal3.io';

/** The kinds that have rules. Others are not asked about. */
export const ADMITTED: readonly {
  readonly kind: string;
  readonly plural: string;
  readonly operations: readonly string[];
}[] = [
  { kind: 'BareMetalHost', plural: 'baremetalhosts', operations: ['CREATE', 'UPDATE'] },
  { kind: 'BMCEventSubscription', plural: 'bmceventsubscriptions', operations: ['CREATE', 'UPDATE'] },
  { kind: 'DataImage', plural: 'dataimages', operations: ['CREATE', 'UPDATE'] },
  { kind: 'HostClaim', plural: 'hostclaims', operations: ['CREATE', 'UPDATE'] },
  { kind: 'HostFirmwareComponents', plural: 'hostfirmwarecomponents', operations: ['CREATE', 'UPDATE'] },
  { kind: 'HostNetworkAttachment', plural: 'hostnetworkattachments', operations: ['CREATE', 'UPDATE', 'DELETE'] },
];

/** Where the API server asks: a Service, or a URL to which the paths are added. */
export type WebhookServer =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  | { readonly url: string };

export interface WebhookOptions {
  /** Of the configuration object. */
  readonly name: string;
  readonly server: WebhookServer;
  /** Base64 of PEM; undefined: the API server trusts who it trusts anyway, or somebody else fills it in. */
  readonly caBundle?: string;
  /** That are served. Objects of each come as they are: one request is asked about once. */
  readonly versions: readonly string[];
}

/**
 * What the API server need not ask about: an update that leaves spec and annotations as they are, of which nothing is ruled. So
 * finalizers, owners and labels are written whether anybody answers or not.
 */
const MATCH_CONDITIONS = [
  {
    name: 'more-than-finalizers',
    expression:
      "request.operation != 'UPDATE' || object.?spec.orValue({}) != oldObject.?spec.orValue({}) || " +
      'object.metadata.?annotations.orValue({}) != oldObject.metadata.?annotations.orValue({})',
  },
] as const;

export function admissionPath(kind: string): string {
  return `/validate-metal3-io-v1alpha1-${kind.toLowerCase()}`;
}

/** The configuration, ready to be applied. */
export function webhookConfiguration({ name, server, caBundle, versions }: WebhookOptions): JsonObject {
  const ca = caBundle === undefined ? {} : { caBundle };
  const clientConfig = (path: string): JsonObject =>
    'url' in server
      ? { url: `${server.url.replace(/\/$/, '')}${path}`, ...ca }
      : { service: { ...server.service, path }, ...ca };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: ADMITTED.map(({ kind, plural, operations }) => ({
      name: `${kind.toLowerCase()}.${GROUP}`,
      admissionReviewVersions: ['v1'],
      clientConfig: clientConfig(admissionPath(kind)),
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      matchConditions: MATCH_CONDITIONS,
      sideEffects: 'None',
      // Without `/status`: who may write a status knows what it writes.
      rules: [{ apiGroups: [GROUP], apiVersions: versions, operations, resources: [plural], scope: 'Namespaced' }],
    })),
  };
}
