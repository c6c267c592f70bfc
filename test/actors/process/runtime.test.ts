import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Role } from '../../../actors/base/config.ts';
import { openLog } from '../../../actors/base/log.ts';
import { type RuntimeDeps, startRuntime } from '../../../actors/process/runtime.ts';
import type { ConfiguredAdapter, DeclaredKind, Operations } from '../../../adapters/api/adapter.ts';
import { openstackWith, REALM } from '../../../adapters/openstack/mod.ts';
import { type JsonObject, type LeaseRecord, memoryBroker, TerminalError, TransientError } from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('runtime');

test('roles that could not begin, as the bus was away, begin later', async () => {
  const clock = simulatedClock();
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
    namespaces: ['a'],
  });
  const deadline = new AbortController();
  const late = clock.sleep(5_000, deadline.signal).then(() => 'late');
  assert.is(await Promise.race([begun.promise, late]), undefined);
  deadline.abort();
  assert.is(lines.filter(({ msg }) => msg === 'role failed to start; will retry').length, 2, 'once for each role');
  assert.equal(
    lines.filter(({ level }) => level >= 50),
    [],
    'nobody is called for what passes',
  );
  await runtime.close();
  await bus.close();
});

/** What a process with these roles offers on the bus, which is away at first. */
async function offered(roles: readonly string[], adapters: readonly ConfiguredAdapter[]): Promise<readonly string[]> {
  const clock = simulatedClock();
  const bus = memoryBroker({ clock }).connect();
  const names: string[] = [];
  const answered = Promise.withResolvers<void>();
  let isAsked = false;
  const { serve } = bus.services;
  bus.services.serve = async (...service) => {
    isAsked = true;
    bus.services.serve = async (...again) => {
      const service = await serve.call(bus.services, ...again);
      names.push(...again[3].map(({ subject }) => subject));
      answered.resolve();
      return service;
    };
    throw new TransientError(`'${service[0]}' could not be offered`);
  };
  const away = async (): Promise<never> => {
    throw new TransientError('the API server is away');
  };
  const runtime = await startRuntime({
    bus,
    client: { server: '', call: away, watch: away } as never,
    clock,
    log: openLog({ level: 'silent', readable: false }),
    adapters,
    roles: new Set(roles),
    callMs: 1_000,
    events: false,
    kinds: [],
    nodeName: 'one',
  });
  // All roles begin with the process.
  if (isAsked) await answered.promise;
  await runtime.close();
  await bus.close();
  return names;
}

test('operations are offered where roles are split, and where one of several nodes must run them', async () => {
  const own = { ...disks({ disks: { create: async () => undefined } }), followed: [] };
  const routed = { ...own, route: () => 'one' };
  const all = [...Object.values(Role), own.role];
  assert.equal(await offered(all, [own]), []);
  assert.equal(await offered([Role.Watch, own.role], [own]), ['disks.disks.create']);
  assert.equal(await offered(all, [routed]), ['disks.disks.create', 'disks.one.disks.create']);
});

/** Starts a process that serves these adapters alone. @returns why it did not start */
async function refusal(adapters: readonly ConfiguredAdapter[], more: Partial<RuntimeDeps> = {}): Promise<string> {
  const clock = simulatedClock();
  const bus = memoryBroker({ clock }).connect();
  try {
    const runtime = await startRuntime({
      bus,
      client: {} as never,
      clock,
      log: openLog({ level: 'silent', readable: false }),
      adapters,
      roles: new Set(adapters.map(({ role }) => role)),
      callMs: 1_000,
      events: false,
      ...more,
    });
    await runtime.close();
    return 'it started';
  } catch (error) {
    assert.instance(error, TerminalError);
    return (error as TerminalError).message;
  } finally {
    await bus.close();
  }
}

/** An adapter of one kind that serves what it is given. */
function disks(operations: Operations, onClose: () => void = () => undefined): ConfiguredAdapter {
  return {
    realm: 'disks',
    role: 'disks',
    contracts: [],
    kinds: [{ kind: 'Disk', plural: 'disks', guards: [], operations: ['create'] } as unknown as DeclaredKind],
    serve: async () => ({ operations, close: async () => onClose() }),
  };
}

test('an adapter that does not serve what its kinds declare is refused, and everything that was begun ends', async () => {
  let closed = 0;
  const close = (): number => closed++;
  const sound = { ...disks({ disks: { create: async () => undefined } }, close), realm: 'sound', role: 'sound' };
  const message = await refusal([sound, disks({ disks: {} }, close)]);
  assert.equal([message, closed], ["adapter 'disks' serves no 'create' of 'disks'", 2]);
});

test('an adapter that is served for a node needs to know which', async () => {
  const routed = { ...disks({ disks: { create: async () => undefined } }), route: () => 'one' };
  assert.match(await refusal([routed]), "the role 'disks' is played for a node: name it with NODE_NAME");
  assert.is(await refusal([routed], { nodeName: 'one' }), 'it started');
  assert.is(await refusal([routed], { roles: new Set() }), 'it started');
});

test('a kind that no adapter has is not cared for', async () => {
  assert.is(
    await refusal([disks({})], { kinds: ['disk', 'Tape'] }),
    "there is no kind 'Tape' to manage; there are Disk",
  );
});

test('two that led before must both be gone, and one that returns ends everything (LEGACY-CONTROLLER-1, LEGACY-CONTROLLER-2)', async () => {
  const clock = simulatedClock();
  const bus = memoryBroker({ clock }).connect();
  const leases = new Map<string, { readonly events: JsonObject[]; wake: () => void }>();
  const leaseOf = (name: string, holder: string): JsonObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'system', uid: name, resourceVersion: String(clock.now()) },
    spec: { holderIdentity: holder, renewTime: new Date(clock.now()).toISOString(), leaseDurationSeconds: 3_600 },
  });
  const nameIn = (path: string): string => /metadata\.name%3D(\w+)/.exec(path)?.[1] ?? '';
  const client = {
    call: async ({ path }: { path: string }) => ({
      body: { metadata: { resourceVersion: '1' }, items: [leaseOf(nameIn(path), 'somebody')] },
      serverTime: clock.now(),
    }),
    async *stream(path: string, _accept: string | undefined, signal: AbortSignal, onOpen?: () => void) {
      const lease = { events: [] as JsonObject[], wake: (): void => undefined };
      leases.set(nameIn(path), lease);
      signal.addEventListener('abort', () => lease.wake());
      onOpen?.();
      while (!signal.aborted) {
        const event = lease.events.shift();
        if (event !== undefined) yield event;
        else {
          await new Promise<void>((resolve) => {
            lease.wake = resolve;
          });
        }
      }
    },
  };
  const holds = (name: string, holder: string): void => {
    const lease = leases.get(name);
    lease?.events.push({ type: 'MODIFIED', object: leaseOf(name, holder) });
    lease?.wake();
  };
  let held: readonly LeaseRecord[] = [];
  const following = await bus.leases.watch((records) => {
    held = records.filter(({ name }) => name.startsWith('shard'));
  });
  const until = async (what: string, isSo: () => boolean): Promise<void> => {
    const lateAt = clock.now() + 10_000;
    while (!isSo()) {
      if (clock.now() > lateAt) throw new Error(`never: ${what}`);
      await clock.sleep(10);
    }
  };
  const one = { ...disks({}), kinds: [], legacyController: { name: 'One', lease: 'one' } };
  const two = {
    ...disks({}),
    kinds: [],
    realm: 'tapes',
    role: 'tapes',
    legacyController: { name: 'Two', lease: 'two' },
  };
  const runtime = await startRuntime({
    bus,
    client: client as never,
    clock,
    log: openLog({ level: 'silent', readable: false }),
    adapters: [one, two],
    roles: new Set([Role.Actors]),
    callMs: 1_000,
    events: false,
  });
  try {
    await until('both leases are followed', () => leases.size === 2);
    holds('one', '');
    await until('the first is heard of', () => leases.get('one')?.events.length === 0);
    // While the second is waited for, the first one returns.
    holds('one', 'somebody');
    await until('its return is heard of', () => leases.get('one')?.events.length === 0);
    holds('two', '');
    await until('the second is heard of', () => leases.get('two')?.events.length === 0);
    await clock.sleep(1_000);
    assert.equal(held, []);
    holds('one', '');
    await until('shards are held', () => held.length > 0);
    holds('two', 'somebody');
    await until('none is held any more', () => held.length === 0);
  } finally {
    await runtime.close();
    await following.close();
    await bus.close();
  }
});

test('33.F3: whose kinds are named is waited for, and not who cares for others; nobody where namespaces are named too', async () => {
  const tape = { kind: 'Tape', plural: 'tapes', guards: [], operations: ['create'] } as unknown as DeclaredKind;
  const one = { ...disks({}), legacyController: { name: 'One', lease: 'one' } };
  const two = {
    ...disks({}),
    kinds: [tape],
    realm: 'tapes',
    role: 'tapes',
    legacyController: { name: 'Two', lease: 'two' },
  };
  for (const [scope, awaited] of [
    [{}, ['one', 'two']],
    [{ kinds: ['disks'] }, ['one']],
    [{ kinds: ['Tape'] }, ['two']],
    [{ kinds: ['disks'], namespaces: ['a'] }, []],
    [{ namespaces: ['a'] }, ['one', 'two']],
  ] as const) {
    const clock = simulatedClock();
    const bus = memoryBroker({ clock }).connect();
    const asked = new Set<string>();
    const away = async ({ path }: { readonly path: string }): Promise<never> => {
      const lease = /metadata\.name%3D(\w+)/.exec(path)?.[1];
      if (lease !== undefined) asked.add(lease);
      throw new TransientError('the API server is away');
    };
    const runtime = await startRuntime({
      bus,
      client: { call: away } as never,
      clock,
      log: openLog({ level: 'silent', readable: false }),
      adapters: [one, two],
      roles: new Set([Role.Actors]),
      callMs: 1_000,
      events: false,
      ...scope,
    });
    try {
      await clock.sleep(5_000);
      assert.equal([...asked].sort(), awaited, JSON.stringify(scope));
    } finally {
      await runtime.close();
      await bus.close();
    }
  }
});

test.run();
