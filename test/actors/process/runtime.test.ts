import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/clock.ts';
import { Role } from '../../../actors/process/config.ts';
import { startRuntime } from '../../../actors/process/runtime.ts';
import { openLog } from '../../../actors/telling/log.ts';
import { openstackWith, REALM } from '../../../adapters/openstack/mod.ts';
import { memoryBroker, TransientError } from '../../../bus/mod.ts';

const test = suite('runtime');

test('roles that could not begin, as the bus was away, begin later', async () => {
  const clock = systemClock();
  const bus = memoryBroker({ clock }).connect();
  const begun = Promise.withResolvers<void>();
  let attempts = 0;
  const { watch } = bus.leases;
  bus.leases.watch = async (onChange) => {
    attempts += 1;
    if (attempts <= 2) throw new TransientError('the bus is away');
    if (attempts === 4) begun.resolve();
    return watch.call(bus.leases, onChange);
  };
  const { serve } = bus.services;
  const served = Promise.withResolvers<void>();
  bus.services.serve = async (...service) => {
    bus.services.serve = async (...again) => {
      const offered = await serve.call(bus.services, ...again);
      served.resolve();
      return offered;
    };
    throw new TransientError(`'${service[0]}' could not be offered`);
  };
  const away = async (): Promise<never> => {
    throw new TransientError('the API server is away');
  };
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  const runtime = await startRuntime({
    bus,
    client: { call: away, watch: away } as never,
    clock,
    log: openLog({ level: 'info', readable: false, destination }),
    adapters: [openstackWith({})],
    roles: new Set([...Object.values(Role), REALM]),
    callMs: 1_000,
    events: true,
    // No API server is there to tell whether anybody else leads.
    kinds: ['Network'],
  });
  const deadline = new AbortController();
  const late = clock.sleep(5_000, deadline.signal).then(() => 'late');
  assert.is(await Promise.race([Promise.all([begun.promise, served.promise]).then(() => undefined), late]), undefined);
  deadline.abort();
  assert.is(lines.filter(({ msg }) => msg === 'a role cannot go on yet').length, 3, 'once for each role');
  assert.equal(
    lines.filter(({ level }) => level >= 50),
    [],
    'nobody is called for what passes',
  );
  await runtime.close();
  await bus.close();
});

test.run();
