// What the API server is told of the webhooks.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { webhookConfiguration } from '../../../../../adapters/ironic/api/admission/webhooks.ts';

const test = suite('admission webhooks');

const OPTIONS = {
  name: 'ironic',
  server: { service: { namespace: 'troupe-system', name: 'troupe', port: 9443 } },
  caBundle: 'Q0E=',
  versions: ['v1alpha1', 'v1beta1'],
};

interface Webhook {
  readonly name: string;
  readonly clientConfig: unknown;
  readonly rules: readonly { readonly resources: readonly string[]; readonly operations: readonly string[] }[];
}

function webhooks(options: Parameters<typeof webhookConfiguration>[0]): readonly Webhook[] {
  return webhookConfiguration(options)['webhooks'] as unknown as readonly Webhook[];
}

test('a kind has a webhook', () => {
  const { webhooks: all, ...rest } = webhookConfiguration(OPTIONS);
  assert.equal(rest, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'ironic' },
  });
  assert.equal((all as readonly unknown[])[0], {
    name: 'baremetalhost.metal3.io',
    admissionReviewVersions: ['v1'],
    clientConfig: {
      service: {
        namespace: 'troupe-system',
        name: 'troupe',
        port: 9443,
        path: '/validate-metal3-io-v1alpha1-baremetalhost',
      },
      caBundle: 'Q0E=',
    },
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    matchConditions: [
      {
        name: 'more-than-finalizers',
        expression:
          "request.operation != 'UPDATE' || object.?spec.orValue({}) != oldObject.?spec.orValue({}) || " +
          'object.metadata.?annotations.orValue({}) != oldObject.metadata.?annotations.orValue({})',
      },
    ],
    sideEffects: 'None',
    rules: [
      {
        apiGroups: ['metal3.io'],
        apiVersions: ['v1alpha1', 'v1beta1'],
        operations: ['CREATE', 'UPDATE'],
        resources: ['baremetalhosts'],
        scope: 'Namespaced',
      },
    ],
  });
});

test('each has its name, and only one asks about deletions', () => {
  assert.equal(
    webhooks(OPTIONS).map(({ name, rules }) => [name, ...(rules[0]?.resources ?? []), rules[0]?.operations.length]),
    [
      ['baremetalhost.metal3.io', 'baremetalhosts', 2],
      ['bmceventsubscription.metal3.io', 'bmceventsubscriptions', 2],
      ['dataimage.metal3.io', 'dataimages', 2],
      ['hostclaim.metal3.io', 'hostclaims', 2],
      ['hostfirmwarecomponents.metal3.io', 'hostfirmwarecomponents', 2],
      ['hostnetworkattachment.metal3.io', 'hostnetworkattachments', 3],
    ],
  );
});

test('a URL takes the paths', () => {
  const { caBundle: _, ...options } = OPTIONS;
  for (const url of ['https://127.0.0.1:9443', 'https://127.0.0.1:9443/']) {
    assert.equal(webhooks({ ...options, server: { url } })[2]?.clientConfig, {
      url: 'https://127.0.0.1:9443/validate-metal3-io-v1alpha1-dataimage',
    });
  }
});

test.run();
