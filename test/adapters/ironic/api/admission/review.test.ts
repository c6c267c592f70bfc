// Questions of the API server, and the answers that it takes.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerAdmissionReview, reviewAsksForOthers } from '../../../../../adapters/ironic/api/admission/review.ts';
import { ADMITTED, admissionPath } from '../../../../../adapters/ironic/api/admission/webhooks.ts';
import { mapOf } from '../../../../../adapters/ironic/json-values.ts';
import { type Fields, host, object } from './samples.ts';

const test = suite('AdmissionReview');

const PATH = '/validate-metal3-io-v1alpha1-baremetalhost';

function review(request: Fields = {}, rest: Fields = {}): Fields {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: { group: 'metal3.io', version: 'v1alpha1', kind: 'BareMetalHost' },
      resource: { group: 'metal3.io', version: 'v1alpha1', resource: 'baremetalhosts' },
      operation: 'CREATE',
      userInfo: { username: 'admin' },
      object: host(),
      oldObject: null,
      ...request,
    },
    ...rest,
  };
}

function responseTo(asked: unknown, path = PATH): Fields {
  const { status, body } = answerAdmissionReview(asked, path);
  assert.is(status, 200);
  assert.is(body['apiVersion'], 'admission.k8s.io/v1');
  assert.is(body['kind'], 'AdmissionReview');
  assert.equal(Object.keys(body).sort(), ['apiVersion', 'kind', 'response']);
  const response = mapOf(body['response']);
  assert.is(response['uid'], '705ab4f5-6393-11e8-b7cc-42010a800002');
  return response;
}

test('what is in order is allowed', () => {
  assert.equal(responseTo(review()), { uid: '705ab4f5-6393-11e8-b7cc-42010a800002', allowed: true });
});

test('what is not is refused as invalid, with all that is wrong', () => {
  const one = responseTo(review({ object: host({ firmware: {} }) }));
  assert.is(one['allowed'], false);
  const { message, ...status } = mapOf(one['status']);
  assert.equal(status, { status: 'Failure', code: 422, reason: 'Invalid' });
  assert.is(message, 'the Firmware field is no longer supported, use HostFirmwareSettings');
  const two = responseTo(review({ object: host({ firmware: {}, online: false, disablePowerOff: true }) }));
  assert.match(String(mapOf(two['status'])['message']), /^\[the Firmware field .*, node can't .*\]$/);
  assert.is('warnings' in two, false);
});

test('an update is judged beside what is stored', () => {
  const [oldObject, changed] = [host({ bootMACAddress: '52:54:00:00:00:02' }), host()];
  assert.is(responseTo(review({ operation: 'UPDATE', object: changed, oldObject }))['allowed'], false);
  assert.is(responseTo(review({ operation: 'UPDATE', object: changed, oldObject: changed }))['allowed'], true);
});

test('a refused deletion carries a warning', () => {
  const path = admissionPath('HostNetworkAttachment');
  const kind = { group: 'metal3.io', version: 'v1alpha1', kind: 'HostNetworkAttachment' };
  const asked = review({ kind, operation: 'DELETE', object: null, oldObject: object({ nativeVLAN: 1 }) });
  assert.is(reviewAsksForOthers(asked, path), true);
  const response = responseTo(asked, path);
  assert.is(response['allowed'], false);
  assert.is((response['warnings'] as readonly unknown[]).length, 1);
  const { body } = answerAdmissionReview(asked, path, []);
  assert.is(mapOf(body['response'])['allowed'], true);
});

test('each kind has its path, in either version, with and without a query', () => {
  assert.equal(
    ADMITTED.map(({ kind }) => admissionPath(kind)),
    [
      'baremetalhost',
      'bmceventsubscription',
      'dataimage',
      'hostclaim',
      'hostfirmwarecomponents',
      'hostnetworkattachment',
    ].map((name) => `/validate-metal3-io-v1alpha1-${name}`),
  );
  for (const { kind } of ADMITTED) {
    for (const version of ['v1alpha1', 'v1beta1']) {
      const asked = review({ kind: { group: 'metal3.io', version, kind }, operation: 'CONNECT' });
      for (const query of ['', '?timeout=10s']) {
        const path = admissionPath(kind);
        assert.is(responseTo(asked, `${path}${query}`)['allowed'], true);
        assert.is(responseTo(asked, `${path.replace('v1alpha1', 'v1beta1')}${query}`)['allowed'], true);
      }
    }
  }
});

test('an object is judged in the version that it comes in', () => {
  const kind = { group: 'metal3.io', version: 'v1beta1', kind: 'BareMetalHost' };
  const beta = host({ online: undefined, poweredOn: true, disablePowerOff: true });
  assert.is(responseTo(review({ kind, object: beta }))['allowed'], true);
  assert.is(responseTo(review({ object: beta }))['allowed'], false);
});

test('who writes a status is not asked about the spec', () => {
  const response = responseTo(review({ operation: 'UPDATE', subResource: 'status', object: host({ firmware: {} }) }));
  assert.is(response['allowed'], true);
});

test('a question that does not fit its path, or is about nothing, is refused', () => {
  const odd: readonly Fields[] = [
    { kind: { group: 'metal3.io', version: 'v1alpha1', kind: 'DataImage' } },
    { kind: { group: 'apps', version: 'v1', kind: 'BareMetalHost' } },
    { kind: null },
    { object: null },
    { operation: 'DELETE', oldObject: null },
    { operation: 'UPDATE', object: 'x' },
  ];
  for (const request of odd) {
    const response = responseTo(review(request));
    assert.is(response['allowed'], false, JSON.stringify(request));
    assert.is(mapOf(response['status'])['code'], 400);
  }
});

test('what is no review is a bad request', () => {
  const bodies: readonly unknown[] = [
    undefined,
    null,
    'x',
    [],
    {},
    review({}, { kind: 'ConversionReview' }),
    review({}, { apiVersion: 'admission.k8s.io/v1beta1' }),
    review({}, { request: null }),
    review({ uid: '' }),
    review({ uid: 7 }),
  ];
  for (const body of bodies) {
    const answer = answerAdmissionReview(body, PATH);
    assert.is(answer.status, 400, JSON.stringify(body));
    assert.is(answer.body['kind'], 'Status');
    assert.is(answer.body['code'], 400);
    assert.is(reviewAsksForOthers(body, PATH), false);
  }
});

test('elsewhere nothing is reviewed', () => {
  const paths = [
    '',
    '/',
    '/validate-metal3-io-v1alpha1-hardwaredata',
    `${PATH}/`,
    `x${PATH}`,
    '/validate-metal3-io-v1-dataimage',
  ];
  for (const path of paths) assert.is(answerAdmissionReview(review(), path).status, 404, path);
});

test.run();
