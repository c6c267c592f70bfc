// Provisioning (13.5), by the state of the node.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { type ProvisioningInput, provision } from '../../../../adapters/ironic/steps/provisioning.ts';
import { ProvisionState } from '../../../../adapters/ironic/steps/states.ts';
import { asks, FOREIGN, hostIn, LEAVES_MAINTENANCE, nodeIn, notesOf, OWN, reported, UUID } from './builders.ts';

const test = suite('provisioning of a node');

const image = { url: 'http://image', checksum: 'abc' };
const host = hostIn('provisioning', { spec: { image } });
const forced = hostIn('provisioning', { spec: { image }, annotations: { 'reboot.metal3.io': '{"force": true}' } });

function stepOf(node: IronicNode | null, more: Partial<ProvisioningInput> = {}) {
  return provision({ host, node, facts: {}, imageProblems: [], isSameImage: true, ...more });
}

const patch = [{ op: 'add', path: '/instance_info/image_source', value: 'http://image' }] as const;
const VALIDATES = 'GET N/validate; then onward';
const good = { boot: { result: true }, deploy: { result: true }, power: { result: false, reason: 'nobody minds' } };
const broken = { maintenance: true, fault: 'clean failure', last_error: 'the disk is broken' };

const foreign = (instance: string | null): string => {
  const whose = instance === null ? '' : ` (instance "${instance}")`;
  return `stuck: node "${UUID}" has a deployment that this host did not make${whose}: it is kept; undeploy it in Ironic if this host is to have the machine`;
};

const RESERVED = `stuck: node "${UUID}" is reserved for instance "${FOREIGN}", not for this host: undeploy it in Ironic, or remove its instance_uuid, if this host is to have the machine`;

const ROWS: readonly (readonly [string, IronicNode | null, Partial<ProvisioningInput>, string])[] = [
  ['manageable', nodeIn('manageable'), {}, asks('provide')],
  ['clean failed', nodeIn('clean failed'), {}, asks('manage')],
  ['clean failed in maintenance', nodeIn('clean failed', broken), {}, LEAVES_MAINTENANCE],
  ['available', nodeIn('available'), {}, 'ask instanceData'],
  [
    'available, what it is to be told is known',
    nodeIn('available'),
    { instanceData: { patch } },
    `PATCH N ${JSON.stringify(patch)}; ${VALIDATES}`,
  ],
  ['available, told already', nodeIn('available'), { instanceData: { patch: [] } }, VALIDATES],
  [
    'available, the registry knows nobody',
    nodeIn('available'),
    { instanceData: { problem: 'no credentials for the registry' } },
    'provisioning error: no credentials for the registry',
  ],
  ['available, valid', nodeIn('available'), { facts: { validation: good } }, 'ask configDrive'],
  [
    'available, not said to be invalid',
    nodeIn('available'),
    { facts: { validation: { boot: { result: null }, deploy: {} } } },
    'ask configDrive',
  ],
  [
    'available, valid, with a config drive',
    nodeIn('available'),
    { facts: { validation: good }, configDrive: { kind: 'made', configDrive: { meta_data: {}, user_data: 'x' } } },
    'PUT N/states/provision {"target":"active","configdrive":{"meta_data":{},"user_data":"x"}}; then short',
  ],
  [
    'available, valid, without a config drive, by a custom deployment',
    nodeIn('available'),
    {
      facts: { validation: good },
      configDrive: { kind: 'made', configDrive: undefined },
      deploySteps: [{ interface: 'deploy', step: 'install', args: {}, priority: 80 }],
    },
    'PUT N/states/provision {"target":"active","deploy_steps":[{"interface":"deploy","step":"install","args":{},"priority":80}]}; then short',
  ],
  [
    'available, valid, its config drive could not be made',
    nodeIn('available'),
    {
      facts: { validation: good },
      configDrive: { kind: 'error', hostDataType: 'userData', message: 'Secret "user-data" does not exist' },
    },
    'stuck: Secret "user-data" does not exist',
  ],
  [
    'available, not valid',
    nodeIn('available'),
    { facts: { validation: { boot: { result: false, reason: 'a' }, deploy: { result: false, reason: 'b' } } } },
    'provisioning error: host validation error: a; b',
  ],
  [
    'deploy failed with the same image',
    nodeIn('deploy failed', { last_error: 'wrong checksum' }),
    {},
    'provisioning error: Image provisioning failed (url: http://image, checksum: abc): wrong checksum',
  ],
  ['deploy failed with another image', nodeIn('deploy failed'), { isSameImage: false }, 'ask instanceData'],
  ['active', nodeIn('active'), {}, 'done'],
  [
    'error: what was not wanted any more could not be taken away (IRONIC-PROVISIONING-2)',
    nodeIn('error', { last_error: 'the BMC is away' }),
    {},
    'provisioning error: Deprovisioning failed: the BMC is away',
  ],
  [
    'active with an image that is not wanted any more',
    nodeIn('active', { instance_uuid: OWN }),
    { isOtherImage: true },
    asks('deleted'),
  ],
  [
    'wait call-back with a forced reboot',
    nodeIn('wait call-back', { instance_uuid: OWN }),
    { host: forced },
    asks('deleted'),
  ],
  ...[null, FOREIGN].flatMap((instance): [string, IronicNode, Partial<ProvisioningInput>, string][] => [
    [
      `active with another image of the instance ${instance} (IRONIC-PROVISIONING-4)`,
      nodeIn('active', { instance_uuid: instance }),
      { isOtherImage: true },
      foreign(instance),
    ],
    [
      `wait call-back with a forced reboot of the instance ${instance} (IRONIC-PROVISIONING-4)`,
      nodeIn('wait call-back', { instance_uuid: instance }),
      { host: forced },
      foreign(instance),
    ],
  ]),
  [
    'available, reserved for another instance (IRONIC-PROVISIONING-4)',
    nodeIn('available', { instance_uuid: FOREIGN }),
    {},
    RESERVED,
  ],
  [
    'deploy failed with an image of another instance (IRONIC-PROVISIONING-4)',
    nodeIn('deploy failed', { instance_uuid: FOREIGN }),
    { isSameImage: false },
    RESERVED,
  ],
  ['wait call-back', nodeIn('wait call-back'), {}, 'wait long'],
  ['there is no node', null, {}, 'register'],
  [
    'the image is not valid',
    nodeIn('manageable'),
    { imageProblems: ['checksum is required', 'unknown checksumType'] },
    'provisioning error: Validation failed: checksum is required; unknown checksumType',
  ],
];
for (const [title, node, more, expected] of ROWS) {
  test(title, () => assert.is(reported(stepOf(node, more)), expected));
}

const HANDLED: readonly string[] = [
  'manageable',
  'clean failed',
  'available',
  'deploy failed',
  'active',
  'error',
  'wait call-back',
];
for (const state of [...Object.values(ProvisionState), ''].filter((state) => !HANDLED.includes(state))) {
  test(`any other state is waited for: ${state}`, () => assert.is(reported(stepOf(nodeIn(state))), 'wait long'));
}

test('the start and the end are told of', () => {
  const more = { facts: { validation: good }, configDrive: { kind: 'made', configDrive: undefined } } as const;
  assert.equal(notesOf(stepOf(nodeIn('available'), more)), {
    events: ['ProvisioningStarted'],
    remember: { node: UUID, cleaningRetries: 0, silentFailures: 0 },
  });
  assert.equal(notesOf(stepOf(nodeIn('active'))), { events: ['ProvisioningComplete'] });
});

test('a reboot that is forced takes its annotation along, or it would begin anew for ever', () => {
  assert.equal(notesOf(stepOf(nodeIn('wait call-back', { instance_uuid: OWN }), { host: forced })), {
    unannotate: ['reboot.metal3.io'],
  });
});

// The text of a failure

const FAILURES = [
  [{ url: 'http://image' }, 'Image provisioning failed (url: http://image): no'],
  [undefined, 'Image provisioning failed: no'],
  [
    { url: 'http://image', checksum: 'http://user:hidden@host/sum' },
    'Image provisioning failed (url: http://image, checksum: http://user:******@host/sum): no',
  ],
  [{ url: 'http://user:hidden@host/a@b' }, 'Image provisioning failed (url: http://user:******@host/a@b): no'],
] as const;
for (const [spec, message] of FAILURES) {
  test(`a failure reads: ${message}`, () => {
    const of = hostIn('provisioning', { spec: { image: spec } });
    assert.is(
      reported(stepOf(nodeIn('deploy failed', { last_error: 'no' }), { host: of })),
      `provisioning error: ${message}`,
    );
  });
}

// IRONIC-PROVISIONING-2: every failure reaches the host

test('cleaning that fails on the way to a deployment is the host’s failure after some tries (IRONIC-PROVISIONING-2)', () => {
  const retry = (cleaningRetries: number) =>
    stepOf(nodeIn('clean failed', { last_error: 'the disk is broken' }), { memory: { node: UUID, cleaningRetries } });
  for (const tries of [0, 1, 2]) {
    assert.is(reported(retry(tries)), asks('manage'));
    assert.equal(notesOf(retry(tries))['remember'], { node: UUID, cleaningRetries: tries + 1 });
  }
  assert.is(
    reported(retry(3)),
    'provisioning error: Cleaning before the deployment failed 4 times: the disk is broken',
  );
  assert.equal(notesOf(retry(3))['remember'], { node: UUID, cleaningRetries: 0 });
});

test('a failure that says nothing is looked at some times, and then in the history (IRONIC-PROVISIONING-2)', () => {
  const look = (silentFailures: number, more: Partial<ProvisioningInput> = {}) =>
    stepOf(nodeIn('deploy failed'), { memory: { node: UUID, silentFailures }, ...more });
  for (const looks of [0, 1, 2]) {
    assert.is(reported(look(looks)), 'wait long');
    assert.equal(notesOf(look(looks)), { remember: { node: UUID, silentFailures: looks + 1 } });
  }
  assert.is(reported(look(3)), 'GET N/history?detail=true&sort_dir=desc&limit=20; then onward');
  const failure = 'provisioning error: Image provisioning failed (url: http://image, checksum: abc): ';
  const history = [
    { severity: 'INFO', event: 'it was cleaned' },
    { severity: 'ERROR', event: 'the image is damaged' },
    { severity: 'ERROR', event: 'an older one' },
  ];
  assert.is(reported(look(3, { facts: { history } })), `${failure}the image is damaged`);
  assert.is(reported(look(3, { facts: { history: [] } })), `${failure}Ironic does not say why`);
});

test.run();
