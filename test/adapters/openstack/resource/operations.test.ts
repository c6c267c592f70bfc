// What operations make of a cloud's answers, with a session that answers as the test says.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { list, string } from '../../../../adapters/api/contract/contract.ts';
import { representable } from '../../../../adapters/openstack/base/observed-values.ts';
import { lookUps } from '../../../../adapters/openstack/client/lookups.ts';
import { poller } from '../../../../adapters/openstack/client/poller.ts';
import { type Answer, type Call, HttpError, type Session } from '../../../../adapters/openstack/client/session.ts';
import { network } from '../../../../adapters/openstack/kinds/network.ts';
import { port } from '../../../../adapters/openstack/kinds/port.ts';
import { routerInterface } from '../../../../adapters/openstack/kinds/router-interface.ts';
import type { OpenStackKind } from '../../../../adapters/openstack/resource/table.ts';
import { rulesStep } from '../../../../adapters/openstack/steps/security-group-rules.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import {
  ConflictError,
  TerminalError,
  TransientError,
  UnknownOutcomeError,
  WaitingError,
} from '../../../../bus/errors.ts';
import type { ResourceOperations, WatchUpdate } from '../../../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../../../machines/kind.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { ManualClock, outcome } from '../../../bus/manual-clock.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { NO_DOWNLOADS } from '../no-downloads.ts';

const test = suite('operations');

const clock = simulatedClock({ seed: 1 });

const REF = { cloudCredentialsRef: { secretName: 's', cloudName: 'c' } };

function cloud(
  reply: (call: Call) => Answer | Error,
  listed: readonly JsonObject[] = [],
  kind: OpenStackKind = network,
) {
  const calls: string[] = [];
  const session: Session = {
    async call(call) {
      calls.push(`${call.method} ${call.path}`);
      const answer = reply(call);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    list: async () => listed,
    userId: async () => 'me',
  };
  const looks = lookUps({ clock });
  const operations: ResourceOperations = kind.operations({
    sessions: { open: async () => session, identify: async () => ({ cloud: 'cloud', scope: 'scope', user: 'user' }) },
    lookUps: looks,
    poller: poller({ clock, lookUps: looks }),
    clock,
    downloads: NO_DOWNLOADS,
    readSecret: async () => undefined,
  });
  return { session, calls, operations };
}

function requestFor(spec: JsonObject): OperationRequest {
  const object: KubeObject = {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Network',
    metadata: { name: 'n', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 1 },
    spec: { ...REF, ...spec },
  };
  return { object, dependencies: {}, deadlineAt: clock.now() + 10_000, traceparent: 't' } as OperationRequest;
}

const MANAGED = requestFor({ managementPolicy: 'managed', resource: {} });

async function failure(promise: Promise<unknown>): Promise<TransientError> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, TransientError);
    return error as TransientError;
  }
  return assert.unreachable('it did not fail') as never;
}

test('what is read of another is waited for when that is ready and does not tell it yet', async () => {
  const { calls, operations } = cloud(() => new Error('nothing may be asked'), [], port);
  const resource = { networkRef: 'net', hostID: { serverRef: 'vm' } };
  const asked = requestFor({ managementPolicy: 'managed', resource });
  const net = { id: 'id-net', ready: true };
  const early = { ...asked, dependencies: { 'Network/net': net, 'Server/vm': { id: 'id-vm', ready: true } } };
  const error = await failure(operations.create(early));
  assert.instance(error, WaitingError);
  assert.is(error.message, 'Waiting for Server/vm to be ready');
  const unknown = await failure(operations.create({ ...asked, dependencies: { 'Network/net': net } }));
  assert.not.instance(unknown, WaitingError);
  assert.equal(calls, []);
});

test('a create that is not found was not done; one whose answer makes no sense may have been (OS-OPERATIONS-1)', async () => {
  const absent = await failure(cloud(() => ({ status: 404, body: {} })).operations.create(MANAGED));
  assert.is(absent.inDoubtUntil, undefined);
  for (const body of [{}, { network: {} }, { network: { id: '' } }, { network: { id: 7 } }, { network: null }]) {
    const senseless = await failure(cloud(() => ({ status: 201, body })).operations.create(MANAGED));
    assert.is(senseless.inDoubtUntil, MANAGED.deadlineAt + 30_000, JSON.stringify(body));
  }
});

test('an import takes what meets the filter, however loosely the service compares', async () => {
  const { operations } = cloud(
    () => ({ status: 200, body: {} }),
    [
      { id: '1', name: 'Mine' },
      { id: '2', name: 'mine' },
    ],
  );
  const imported = await operations.import(
    requestFor({ managementPolicy: 'unmanaged', import: { filter: { name: 'mine' } } }),
  );
  assert.is(imported?.id, '2');
});

test('of several that meet a filter none is taken', async () => {
  const { operations } = cloud(
    () => ({ status: 200, body: {} }),
    [
      { id: '1', name: 'mine' },
      { id: '2', name: 'mine' },
    ],
  );
  const request = requestFor({ managementPolicy: 'unmanaged', import: { filter: { name: 'mine' } } });
  const error = await operations.import(request).catch((reason: unknown) => reason);
  assert.instance(error, TerminalError);
  assert.match((error as Error).message, 'more than one');
});

test('what was only imported is not removed', async () => {
  const { operations } = cloud(() => {
    throw new Error('it is asked for');
  }, []);
  const request = { ...requestFor({ managementPolicy: 'unmanaged', import: { id: 'i' } }), id: 'i' };
  const error = await operations.remove(request).catch((reason: unknown) => reason);
  assert.instance(error, TerminalError);
});

test('what is in the way of a create is looked for again if it is the only one of its kind (EXTERNAL-RESOURCE-8)', async () => {
  for (const [ids, isThere] of [
    [['1'], true],
    [['1', '2'], false],
    [[], false],
  ] as const) {
    const { operations } = cloud(
      () => new HttpError('in the way', { status: 409, body: {} }),
      ids.map((id) => ({ id, name: 'n' })),
    );
    const outcome = await operations.create(MANAGED).catch((reason: unknown) => reason);
    assert.instance(outcome, isThere ? ConflictError : TerminalError, `${ids.length}`);
  }
});

test('a deletion that a gateway answered may have been done, and any other refusal may pass', async () => {
  const removing = (status: number): Promise<TransientError> =>
    failure(
      cloud(() => new HttpError('no', { status, body: {} })).operations.remove({
        ...MANAGED,
        id: 'i',
      } as never),
    );
  assert.instance(await removing(504), UnknownOutcomeError);
  assert.not.instance(await removing(409), UnknownOutcomeError);
});

test('an update of what is gone is a failure that may pass: the next look finds it gone', async () => {
  const observation = { id: 'i', attributes: { id: 'i', name: 'other' }, resource: {}, available: true };
  const { operations, calls } = cloud(() => ({ status: 404, body: {} }));
  const error = await failure(operations.update({ ...MANAGED, observation } as never));
  assert.match(error.message, 'PUT /networks/i: not found');
  assert.is(calls[0], 'PUT /networks/i');
});

/** Watches an object of a kind in a cloud that answers as told; how it ended, and what it told. */
async function watching(kind: OpenStackKind, request: OperationRequest, found: () => JsonObject | undefined) {
  const clock = new ManualClock();
  const session: Session = {
    call: async () => {
      const resource = found();
      return resource === undefined ? { status: 404, body: {} } : { status: 200, body: { network: resource } };
    },
    list: async () => [found() ?? []].flat(),
    userId: async () => 'me',
  };
  const opened: (string | undefined)[] = [];
  const looks = lookUps({ clock });
  const { watch } = kind.operations({
    sessions: {
      identify: async () => ({ cloud: 'cloud', scope: 'scope', user: 'user' }),
      open: async (_namespace, _ref, version) => {
        opened.push(version);
        return session;
      },
    },
    lookUps: looks,
    poller: poller({ clock, lookUps: looks }),
    clock,
    downloads: NO_DOWNLOADS,
    readSecret: async () => undefined,
  });
  const reported: WatchUpdate[] = [];
  const { signal } = new AbortController();
  const end = outcome(
    watch({
      ...request,
      id: 'i',
      signal,
      validUntil: () => Number.POSITIVE_INFINITY,
      progress: (news) => void reported.push(news),
      pollAfterMs: 1_000,
    }),
  );
  return { clock, reported, end, opened };
}

test('a watch tells what the kind makes of the resource, and with which credentials it was asked for', async () => {
  let status = 'BUILD';
  const request = { ...MANAGED, credentialsVersion: '7' };
  const { clock, reported, end, opened } = await watching(network, request, () => ({ id: 'i', status }));
  await clock.advance(3_000);
  const seen = (): readonly unknown[] =>
    reported.map((news) => 'observation' in news && [news.observation.id, news.observation.available]);
  assert.equal(seen(), [['i', false]]);
  status = 'ACTIVE';
  await clock.advance(1_000);
  assert.equal(seen().slice(1), [['i', true]]);
  assert.equal([opened, end.settled], [['7'], false]);
});

test('of what was only imported the loss is refused, not told; of anything else it is told', async () => {
  const unmanaged = requestFor({ managementPolicy: 'unmanaged', import: { id: 'i' } });
  const imported = await watching(network, unmanaged, () => undefined);
  await imported.clock.advance(2_000);
  assert.instance(imported.end.error, TerminalError);
  assert.equal(imported.reported, []);
  const managed = await watching(network, MANAGED, () => undefined);
  await managed.clock.advance(2_000);
  assert.equal([managed.reported, managed.end.settled], [[{ gone: true }], false]);
});

test('an interface is watched as the port of its router on its subnet', async () => {
  const attributes = { cloudCredentialsRef: REF.cloudCredentialsRef };
  const request = {
    ...requestFor({ routerRef: 'r', subnetRef: 's' }),
    dependencies: { 'Router/r': { id: 'router', ready: true, attributes }, 'Subnet/s': { id: 'subnet', ready: true } },
  };
  const port = (subnet: string): JsonObject => ({
    id: `on-${subnet}`,
    status: 'ACTIVE',
    device_id: 'router',
    device_owner: 'network:router_interface',
    fixed_ips: [{ subnet_id: subnet }],
  });
  const { clock, reported } = await watching(routerInterface, request, () => port('other'));
  await clock.advance(1_500);
  assert.equal(reported, [{ gone: true }]);
  const own = await watching(routerInterface, request, () => port('subnet'));
  await own.clock.advance(1_500);
  const [news] = own.reported;
  assert.ok(news !== undefined && 'observation' in news && news.observation.id === 'on-subnet');
});

/** What a pass over the rules of a group sends, in order. */
async function rulesPass(rules: readonly JsonObject[], observed: readonly JsonObject[]): Promise<readonly string[]> {
  const { session, calls } = cloud(() => ({ status: 200, body: {} }));
  const observation = { id: 'g', attributes: { security_group_rules: observed }, resource: {}, available: true };
  const request = { ...requestFor({ managementPolicy: 'managed', resource: { rules } }), observation };
  await rulesStep({ session, request, readSecret: async () => undefined });
  return calls;
}

const WEB = { direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp', portRange: { min: 443, max: 443 } };
const observedRule = (id: string, port: number, description = ''): JsonObject => ({
  id,
  description,
  direction: 'ingress',
  ethertype: 'IPv4',
  protocol: 'tcp',
  port_range_min: port,
  port_range_max: port,
});

test('new rules come before old ones go (OS-SECURITY-GROUP-RULES-2)', async () => {
  assert.equal(await rulesPass([WEB], [observedRule('old', 80)]), [
    'POST /security-group-rules',
    'DELETE /security-group-rules/old',
  ]);
});

test('only a rule that is in the way of a new one goes first (OS-SECURITY-GROUP-RULES-2)', async () => {
  const sent = await rulesPass(
    [{ ...WEB, description: 'new words' }],
    [observedRule('same', 443, 'old words'), observedRule('old', 80)],
  );
  assert.equal(sent, [
    'DELETE /security-group-rules/same',
    'POST /security-group-rules',
    'DELETE /security-group-rules/old',
  ]);
});

test('rules that are as specified are left alone (OS-SECURITY-GROUP-RULES-1)', async () => {
  assert.equal(await rulesPass([WEB], [observedRule('same', 443, 'words of another')]), []);
});

test('port 0 is refused before anything is sent, ICMP type and code 0 are not (OS-SECURITY-GROUP-RULES-3)', async () => {
  const zero = { ...WEB, portRange: { min: 0, max: 0 } };
  const anyPort = { ...observedRule('open', 0), port_range_min: null, port_range_max: null };
  for (const observed of [[], [anyPort], [observedRule('old', 80)]]) {
    let calls: readonly string[] | undefined;
    const error = await rulesPass([zero], observed).then(
      (sent) => {
        calls = sent;
      },
      (reason: unknown) => reason,
    );
    assert.is(calls, undefined, 'requests were sent');
    assert.instance(error, TerminalError);
  }
  const ping = { ...zero, protocol: 'icmp' };
  const observed = { ...observedRule('ping', 0), protocol: 'icmp' };
  assert.equal(await rulesPass([ping], [observed]), []);
  assert.equal(await rulesPass([ping], [{ ...observed, port_range_min: null, port_range_max: null }]), [
    'POST /security-group-rules',
    'DELETE /security-group-rules/ping',
  ]);
});

test('a list is kept as far as its schema holds it (I10)', () => {
  const schema = list('names of it.', string('One of them.', { maxLength: 3 }), { type: 'set', maxItems: 2 });
  assert.equal(representable(schema, ['a', 'toolong', 'b', 'c']), ['a', 'b']);
});

test.run();
