// ValidatingWebhookConfiguration: which requests the API server sends to the webhooks.
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

/** Target of the API server's requests: a Service, or a URL to which the paths are added. */
export type WebhookServer =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  | { readonly url: string };

export interface WebhookOptions {
  /** Name of the configuration object. */
  readonly name: string;
  readonly server: WebhookServer;
  /** PEM in base64. Undefined: the API server uses its own trust store, or another controller injects the bundle. */
  readonly caBundle?: string;
  /** That are served. Objects of each come as they are: one request is asked about once. */
  readonly versions: readonly string[];
}

/**
 * Requests that the API server does not send: updates that change neither spec nor annotations, for which there are no
 * rules. Finalizers, owners and labels can be written even if no webhook server runs.
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
      // Without `/status`: writers of a status are trusted.
      rules: [{ apiGroups: [GROUP], apiVersions: versions, operations, resources: [plural], scope: 'Namespaced' }],
    })),
  };
}
