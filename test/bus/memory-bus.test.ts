// The contract on the bus in memory: where a message takes no time, and where each takes its own.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Bus } from '../../bus/bus.ts';
import { type MemoryBus, memoryBroker } from '../../bus/memory-bus.ts';
import type { ActorSubject } from '../../bus/subjects.ts';
import { simulatedClock } from '../world/clock.ts';
import { busSuite } from './bus.suite.ts';
import { type Deployment, type Harness, seed } from './harness.ts';
import { holdsSuite } from './long-calls.suite.ts';
import { mailboxSuite } from './mailbox.suite.ts';
import { servicesSuite } from './services.suite.ts';

const test = suite('memory bus');
const LEASE_MS = 1_000;

function harness(name: string, mostMs: number): Harness {
  return {
    name,
    canInterrupt: true,
    async open(): Promise<Deployment> {
      const clock = simulatedClock({ seed });
      const latencyMs = (): number => mostMs * clock.random();
      const broker = memoryBroker({ clock, leaseMs: LEASE_MS, ...(mostMs > 0 && { latencyMs }) });
      const buses = new Map<Bus, MemoryBus>();
      const all = (): MemoryBus[] => [...buses.values()];
      const interrupt = async (): Promise<() => Promise<void>> => {
        for (const bus of all()) bus.cut();
        return async () => {
          for (const bus of all()) bus.heal();
        };
      };
      return {
        clock,
        leaseMs: LEASE_MS,
        lateEffectMs: 0,
        tooLong: 200_000,
        async connect() {
          const bus = broker.connect();
          buses.set(bus, bus);
          return bus;
        },
        async crash(bus) {
          buses.get(bus)?.crash();
        },
        async cut(bus) {
          buses.get(bus)?.cut();
          return async () => buses.get(bus)?.heal();
        },
        wipeMail: async () => broker.wipeMail(),
        wipeLeases: async () => broker.wipeLeases(),
        interrupt,
        async snapshot() {
          const taken = broker.snapshot();
          return async () => {
            const resume = await interrupt();
            broker.rollBack(taken);
            await resume();
          };
        },
        async close() {
          for (const bus of all()) await bus.close();
          clock.stop();
        },
      };
    },
  };
}

mailboxSuite(test, harness('at once', 0));
servicesSuite(test, harness('at once', 0));
holdsSuite(test, harness('at once', 0));
busSuite(test, harness('with latency', 3));

test('what a process has sent arrives, though it has ended meanwhile', async () => {
  const clock = simulatedClock();
  const broker = memoryBroker({ clock, latencyMs: () => 20 });
  const [sender, reader] = [broker.connect(), broker.connect()];
  const place = { realm: 'openstack', plural: 'networks', namespace: 'a', name: 'net' };
  const subject: ActorSubject = { to: place, topic: 'object' };
  void sender.mailbox.publish(subject, { said: 'last' }, undefined).catch(() => undefined);
  sender.crash();
  await clock.sleep(40);
  assert.equal((await reader.mailbox.last(subject))?.payload, { said: 'last' });
  await reader.close();
});

test.run();
