import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { compareVersions, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { openstackContracts } from '../../../adapters/openstack/mod.ts';
import { TerminalError, TransientError } from '../../../bus/mod.ts';
import { type ApiServer, openApiServer } from '../../world/api-server.ts';
import { simulatedClock } from '../../world/clock.ts';
import { rejection } from '../../world/rejection.ts';
import { Wire } from '../../world/wire.ts';
import { eventsSuite } from './events.suite.ts';
import { type Opened, objectsSuite } from './objects.suite.ts';

const test = suite('objects of the embedded API server');

async function embedded(): Promise<Opened & ApiServer> {
  const clock = simulatedClock();
  const server = await openApiServer({ clock, wire: new Wire(), contracts: openstackContracts });
  return { ...server, clock, close: () => server.close().finally(() => clock.stop()) };
}

objectsSuite(test, embedded);
eventsSuite(test, embedded);

test('a server that does not answer is a transient failure that names it', async () => {
  const clock = systemClock();
  const server = await openApiServer({ clock });
  const client = server.client();
  await server.close();
  const error = await rejection(client.call({ method: 'GET', path: '/version' }));
  assert.instance(error, TransientError);
  assert.match(error.message, client.server);
  await client.close();
});

test('a kubeconfig that is not there is said by name', () => {
  try {
    kubeClient({ clock: systemClock(), kubeconfig: '/nowhere/kubeconfig' });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TerminalError);
    assert.match((error as Error).message, '/nowhere/kubeconfig');
  }
});

test('versions are ordered as numbers', () => {
  assert.ok(compareVersions('9', '10') < 0);
  assert.ok(compareVersions('10', '9') > 0);
  assert.is(compareVersions('10', '10'), 0);
});

test.run();
