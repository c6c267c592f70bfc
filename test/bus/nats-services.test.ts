// What becomes of a service when the connection breaks while it is offered.
import { ConnectionError } from '@nats-io/transport-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import type { Connection } from '../../bus/connection.ts';
import { TransientError } from '../../bus/errors.ts';
import { natsServices } from '../../bus/nats-services.ts';

const test = suite('nats services');

test('a connection that breaks while a service is offered is a transient error, and leaves nothing behind', async () => {
  const subscribed = new Set<string>();
  const nats = {
    subscribe(subject: string) {
      subscribed.add(subject);
      return { closed: Promise.withResolvers().promise, drain: async () => void subscribed.delete(subject) };
    },
    async flush() {
      assert.is(subscribed.size, 10);
      throw new ConnectionError('disconnected');
    },
  };
  const connection = { up: true, nats, clock: systemClock() } as unknown as Connection;
  const services = natsServices(connection, { root: 'troupe', user: { name: 'openstack' }, leaseMs: 15_000 });
  try {
    const handle = async () => ({});
    await services.serve('openstack', '1.0.0', 'operations', [{ subject: 'openstack.subnets.create', handle }]);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TransientError);
  }
  assert.equal(subscribed, new Set());
});

test.run();
