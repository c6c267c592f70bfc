// Which quota is used up, in the words of each service. How the services themselves answer where the simulators keep quotas is in
// `quota-answers.ts`.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refused, transient } from '../../../../adapters/openstack/client/call-errors.ts';
import { faultOf } from '../../../../adapters/openstack/client/faults.ts';
import { HttpError } from '../../../../adapters/openstack/client/session.ts';
import { server } from '../../../../adapters/openstack/kinds/server.ts';
import { adviceOn } from '../../../../adapters/openstack/resource/hints.ts';
import { type TerminalError, TransientError } from '../../../../bus/errors.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';

const test = suite('quotas');

const USED_UP = ' is used up, retrying at most every 10 minutes';

/** The refusal as a session throws it. */
function refusal(status: number, name: string, message: string, more: JsonObject = {}): HttpError {
  return new HttpError(`POST /things of service 'some' answered ${status}: ${message}`, {
    status,
    body: { [name]: { message, code: status, ...more } },
  });
}

const CASES: readonly (readonly [what: string, error: HttpError, quota: string])[] = [
  [
    'Neutron',
    refusal(409, 'NeutronError', "Quota exceeded for resources: ['port'].", { type: 'OverQuota' }),
    "quota 'port'",
  ],
  [
    'Neutron, of several',
    refusal(409, 'NeutronError', "Quota exceeded for resources: ['port', 'floatingip'].", { type: 'OverQuota' }),
    "quota 'port', 'floatingip'",
  ],
  ['Neutron without a name', refusal(409, 'NeutronError', 'no more', { type: 'OverQuota' }), 'a quota'],
  [
    'Nova, of instances',
    refusal(403, 'forbidden', 'Quota exceeded for instances: Requested 1, but already used 10 of 10 instances'),
    "quota 'instances'",
  ],
  [
    'Nova, of several',
    refusal(403, 'forbidden', 'Quota exceeded for cores, ram: Requested 8, 16384, but already used 16, 0 of 20, 51200'),
    "quota 'cores', 'ram'",
  ],
  ['Nova, of groups', refusal(403, 'forbidden', 'Quota exceeded, too many server groups.'), "quota 'server groups'"],
  ['Nova, of key pairs', refusal(403, 'forbidden', 'Maximum number of key pairs exceeded'), "quota 'key pairs'"],
  [
    'Nova under unified limits',
    refusal(
      403,
      'forbidden',
      'Project p is over a limit for [Resource servers is over limit of 1 due to current usage 1 and delta 1, Resource class:VCPU is over limit of 4 due to current usage 4 and delta 2]',
    ),
    "quota 'servers', 'class:VCPU'",
  ],
  [
    'Cinder, by number',
    refusal(
      413,
      'overLimit',
      "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'.",
    ),
    "quota 'volumes'",
  ],
  [
    'Cinder, by size',
    refusal(
      413,
      'overLimit',
      'VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. Requested 10G, quota is 5G and 3G has been consumed.',
    ),
    "quota 'gigabytes'",
  ],
  ['Cinder without a name', refusal(413, 'overLimit', 'This request was rate-limited.'), 'a quota'],
  [
    'Manila',
    refusal(413, 'overLimit', 'ShareNetworksLimitExceeded: Maximum number of share-networks allowed (10) exceeded.'),
    "quota 'share-networks'",
  ],
  [
    'Glance',
    refusal(413, 'error', 'Denying attempt to upload image because it exceeds the quota: The size of the data 10'),
    "quota 'image storage'",
  ],
  [
    'Keystone',
    refusal(
      403,
      'error',
      'Unable to create additional application credentials, maximum of 10 already exceeded for user.',
    ),
    "quota 'application credentials'",
  ],
];

for (const [what, error, quota] of CASES) {
  test(`${what}: it is named, passes, and says that it does`, () => {
    for (const known of [transient(error), refused(error, 'creating resource')]) {
      assert.instance(known, TransientError);
      const { message, fault } = known as TransientError;
      assert.is(message, `${error.message}; ${quota}${USED_UP}`);
      assert.is(fault, 'quota');
      // A condition holds no more than the message.
      assert.is(faultOf(message), 'quota');
      assert.is(faultOf(`creating security group rules: ${message}`), 'quota');
    }
  });
}

test('a refusal of another sort is about no quota', () => {
  for (const error of [
    refusal(403, 'forbidden', "Policy doesn't allow os_compute_api:servers:create to be performed."),
    refusal(400, 'badRequest', 'Quota exceeded for instances: Requested 1, but already used 10 of 10 instances'),
    refusal(413, 'error', 'too large'),
  ])
    assert.is((transient(error) as TransientError).fault, undefined, error.message);
  const conflict = refused(
    refusal(409, 'NeutronError', 'Maximum number of lies exceeded', { type: 'InUse' }),
    'making',
  );
  assert.is((conflict as TerminalError).code, 'terminal');
  // Whatever a cloud says of others is its own words.
  assert.is(faultOf(`said somebody; quota 'x'${USED_UP}`), undefined);
});

test('what to do about it is one thing for all whom it keeps waiting', () => {
  const object: KubeObject = {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Server',
    metadata: { name: 'web', namespace: 'ns', uid: 'uid', resourceVersion: '1' },
    spec: { cloudCredentialsRef: { secretName: 'clouds', cloudName: 'main' }, resource: {} },
  };
  const [, , , [, instances]] = CASES as readonly [unknown, unknown, unknown, (typeof CASES)[number]];
  assert.equal(adviceOn(server, object, (transient(instances) as TransientError).message), {
    at: "quota 'instances' of the project of cloud 'main' of Secret/clouds",
    todo: "raise quota 'instances', or delete what uses it up",
  });
});

test.run();
