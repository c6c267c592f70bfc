// Ids from wherever they come, and the paths that are made of them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LATE_MS } from '../../../../adapters/openstack/client/call-errors.ts';
import { checkedOperations } from '../../../../adapters/openstack/client/checked-operations.ts';
import { isId, isPlainPath } from '../../../../adapters/openstack/client/ids.ts';
import { TerminalError, toErrorData, UnknownOutcomeError } from '../../../../bus/errors.ts';
import type { Observation, WatchRequest, WatchUpdate } from '../../../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../../../machines/kind.ts';

const test = suite('ids');

const BAD = [
  '..',
  '.',
  '',
  '../networks/x',
  'a/b',
  'a\\b',
  '%2e%2e',
  'a?b',
  'a#b',
  ' a',
  'a\nb',
  'x'.repeat(256),
  'ä',
  7,
  null,
];

function operationsWith(answerId: string): {
  readonly operations: ReturnType<typeof checkedOperations>;
  readonly called: string[];
} {
  const called: string[] = [];
  const observation = { id: answerId, attributes: {}, resource: {}, available: true };
  const call =
    <Result>(name: string, result: Result): (() => Promise<Result>) =>
    async () => {
      called.push(name);
      return result;
    };
  const operations = checkedOperations({
    find: call('find', { matches: [observation], exact: true }),
    identify: call('identify', 'cloud'),
    import: call<Observation | undefined>('import', observation),
    create: call('create', observation),
    observe: call<Observation | undefined>('observe', observation),
    update: call('update', { changed: false }),
    remove: call('remove', undefined),
    async watch({ progress }) {
      called.push('watch');
      progress({ observation });
      progress({ gone: true });
    },
  });
  return { operations, called };
}

const request = (spec: Record<string, string | Record<string, unknown>> = {}): OperationRequest =>
  ({ object: { spec, metadata: {} }, dependencies: {}, deadlineAt: 0, traceparent: '' }) as unknown as OperationRequest;
const observed = (id: unknown) => ({ id, attributes: {}, resource: {}, available: true }) as Observation;

const watching = (id: string, progress: WatchRequest['progress'] = () => undefined): WatchRequest =>
  ({ ...request(), id, progress }) as unknown as WatchRequest;

const depending = (id: string): OperationRequest =>
  ({ ...request(), dependencies: { 'Network/a': { id } } }) as unknown as OperationRequest;

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.unreachable('nothing was thrown'),
    (error: unknown) => error,
  );
}

test('ids of OpenStack are ids', () => {
  for (const id of [
    '0af76519-16cd-43dd-8448-eb211c80319c',
    'default',
    '3b7f1f1e9a5d4f6f8a1c5b6f7a8d9e0f',
    'm1.tiny',
    'my key',
    '_a..b',
  ])
    assert.ok(isId(id));
  for (const id of BAD) assert.not(isId(id), String(id));
});

test('a call goes where its path says and nowhere else (OS-IDS-1)', () => {
  for (const path of ['/networks', '/networks/0af7', '/routers/a/add_router_interface', '/networks/a%20b'])
    assert.ok(isPlainPath(path));
  for (const path of [
    '/networks/..',
    '/networks/%2e%2E',
    '/networks//a',
    '/networks/',
    '/a%2Fb',
    '/a%5cb',
    '/%',
    'x',
    '/a?b',
    '/a#b',
  ]) {
    assert.not(isPlainPath(path), path);
  }
});

test('nothing is asked with an id that is none: of a status, a spec, a dependency, a request on the bus', async () => {
  const { operations, called } = operationsWith('good');
  for (const bad of BAD as string[]) {
    const requests = [
      operations.observe({ ...request(), id: bad }),
      operations.remove({ ...request(), id: bad }),
      operations.update({ ...request(), observation: observed(bad) }),
      operations.import(request({ import: { id: bad } })),
      operations.create(depending(bad)),
      operations.find(depending(bad)),
      operations.watch(watching(bad)),
    ];
    for (const error of await Promise.all(requests.map(failure))) {
      assert.instance(error, TerminalError);
      assert.match((error as Error).message, /is not an id of OpenStack$/);
    }
  }
  assert.equal(called, []);
});

test('a cloud that names something by no id has not answered', async () => {
  const { operations } = operationsWith('..');
  for (const answer of [
    operations.find(request()),
    operations.import(request()),
    operations.observe({ ...request(), id: 'good' }),
  ]) {
    assert.instance(await failure(answer), UnknownOutcomeError);
  }
  const made = await failure(operations.create(request()));
  assert.is(toErrorData(made).inDoubtUntil, LATE_MS, 'what it made may be there');
  const reported: WatchUpdate[] = [];
  await operations.watch(watching('good', (news) => reported.push(news)));
  assert.equal(reported, [{ gone: true }], 'nor is it news');
});

test.run();
