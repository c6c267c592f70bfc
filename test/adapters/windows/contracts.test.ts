import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configure } from '../../../actors/process/adapters.ts';
import { checkContracts, contractProblemText } from '../../../adapters/api/contract/check/check.ts';
import { windows } from '../../../adapters/windows/adapter.ts';
import { windowsContracts } from '../../../adapters/windows/contracts/mod.ts';

const test = suite('contracts of Windows storage');

test('the contracts keep the rules of contracts', async () => {
  const complaints = await checkContracts(
    windowsContracts.map((contract) => ({ contract })),
    [],
  );
  assert.equal(complaints.map(contractProblemText), []);
});

test('every kind has a life, and no kind has one without a contract', () => {
  const { kinds } = configure(windows, {});
  assert.equal(kinds.map(({ plural }) => plural).sort(), windowsContracts.map(({ plural }) => plural).sort());
});

test('an operation is routed to the node that the object, or what it refers to, is on', () => {
  const { route } = configure(windows, {});
  const metadata = { name: 'data', uid: 'u', resourceVersion: '1' };
  const object = { apiVersion: 'windows.troupe.dev/v1alpha1', kind: 'WindowsDisk', metadata, spec: {} };
  const request = { object, deadlineAt: 0, traceparent: '' };
  const known = {
    'Secret/chap': { id: 's', ready: true },
    'WindowsStorageNode/a': { id: 'a', ready: true, attributes: { nodeName: 'one' } },
  };
  assert.is(route?.({ ...request, dependencies: known }), 'one');
  assert.is(route?.({ ...request, object: { ...object, spec: { nodeName: 'own' } }, dependencies: {} }), 'own');
  assert.is(route?.({ ...request, dependencies: {} }), undefined);
});

test('an option that makes no sense is refused by its name', () => {
  for (const [variable, value] of [
    ['WINDOWS_MACHINE', 'linux'],
    ['WINDOWS_LOOK_EVERY_MS', 'soon'],
    ['WINDOWS_DIRECTORIES', 'var\\lib'],
    ['WINDOWS_SMB_ENCRYPTION', 'maybe'],
  ] as const) {
    assert.throws(() => configure(windows, { [variable]: value }), new RegExp(variable));
  }
});

test.run();
