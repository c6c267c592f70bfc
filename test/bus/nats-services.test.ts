// What becomes of a service when the connection breaks while it is offered.
import { NatsError } from 'nats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import type { Connection } from '../../bus/connection.ts';
import { TransientError } from '../../bus/errors.ts';
import { natsServices } from '../../bus/nats-services.ts';

const test = suite('nats services');

test('a connection that breaks while a service is offered is a transient error, and leaves nothing behind', async () => {
  let stopped = 0;
  const service = { addEndpoint: () => undefined, stop: async () => void stopped++ };
  const nats = {
    services: { add: async () => service },
    flush: async () => {
      throw new NatsError('DISCONNECT', 'DISCONNECT');
    },
  };
  const connection = { up: true, nats, clock: systemClock() } as unknown as Connection;
  const services = natsServices(connection, { root: 'troupe', user: { name: 'openstack' }, leaseMs: 15_000 });
  try {
    await services.serve('openstack', '1.0.0', 'operations', []);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TransientError);
  }
  assert.is(stopped, 1);
});

test.run();
