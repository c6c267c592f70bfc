// The life of what shows something of a node: when it asks for that, and when it leaves the node alone.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnyMachineSnapshot } from 'xstate';
import { Readiness, Tag } from '../../../machines/lifecycle.ts';
import { failurePauseMs } from '../../../machines/observed-node/context.ts';
import { observedNodeMachine } from '../../../machines/observed-node/machine.ts';
import { leaves, possible, reached } from '../paths.ts';
import {
  AT,
  absent,
  conflict,
  FAILURE_MS,
  fail,
  host,
  LACKING,
  live,
  made,
  REREAD_MS,
  settled,
  transient,
  UNHEARD,
  VIEW,
  WELL,
} from './lives.ts';

const test = suite('observed node');

const BROUGHT_UP = ['claim', 'read', 'furnish', 'store', 'claim', 'watch'];

test('a node is read, what goes with it made, the status stored, and the node looked on', async () => {
  const life = await live();
  assert.equal(life.effects, BROUGHT_UP);
  assert.is(life.phase(), 'upToDate.watching');
  assert.equal([...life.tags()].sort(), [Tag.Available, Tag.Settled].sort());
  assert.equal(life.inputs['store'], [{ key: 'key', reading: { is: 'read' } }]);
  assert.equal(life.inputs['watch'], [{ key: 'key', seen: undefined, readAt: AT, pollAfterMs: 300_000 }]);
  assert.is(life.context().reading, undefined, 'what was said is not kept');
  await life.pass(REREAD_MS - 1);
  assert.equal(life.effects, BROUGHT_UP, 'no timer asks for anything (OBSERVED-NODE-3)');
  await life.pass(1);
  assert.equal(life.effects.slice(BROUGHT_UP.length), ['-watch', 'read', 'furnish', 'store', 'claim', 'watch']);
});

test('a host that is not to be touched is waited for, whatever else is heard (OBSERVED-NODE-1)', async () => {
  const unknown = { ...host(), answer: { readiness: Readiness.Ready, uid: 'host-1' } };
  for (const away of [host(Readiness.Pending), host(Readiness.Absent), host(Readiness.Deleting), unknown]) {
    const life = await live(WELL, { dependencies: [away] });
    assert.is(life.phase(), 'nodeMissing', JSON.stringify(away.answer));
    assert.equal(life.tags(), [Tag.Settled]);
    await life.change({ generation: 2 });
    await life.pass(86_400_000);
    assert.equal(life.effects, ['claim']);
    await life.depend(host());
    assert.is(life.phase(), 'upToDate.watching');
  }
});

test('that nothing was heard of the host yet is no rest (OBSERVED-NODE-1)', async () => {
  const life = await live(WELL, { dependencies: [UNHEARD] });
  assert.is(life.phase(), 'awaiting');
  assert.equal(life.tags(), [Tag.Waiting]);
  await life.depend(host(Readiness.Pending));
  assert.is(life.phase(), 'nodeMissing');
});

test('a host that is taken from it ends the watch, and what is asked for (OBSERVED-NODE-1)', async () => {
  const resting = await live();
  await resting.depend(host(Readiness.Pending));
  assert.is(resting.phase(), 'nodeMissing');
  assert.equal(resting.effects.slice(BROUGHT_UP.length).sort(), ['-watch', 'claim']);
  const reading = await live({});
  await reading.depend(host(Readiness.Pending));
  assert.equal([...reading.effects].sort(), ['-read', 'claim', 'claim', 'read']);
  assert.is(reading.phase(), 'nodeMissing');
});

test('it is read again when the spec was edited, when the host has another node, and when somebody wrote the status', async () => {
  const life = await live();
  const again = async (act: () => Promise<void>, title: string): Promise<void> => {
    const before = life.effects.length;
    await act();
    assert.equal(life.effects.slice(before), ['-watch', 'read', 'furnish', 'store', 'claim', 'watch'], title);
  };
  await again(() => life.change({ generation: 2 }), 'an edit');
  await again(() => life.depend(host('ready', undefined, 'node-2')), 'a node');
  await again(() => life.change({ says: 'something else' }), 'somebody wrote the status');
});

test('what makes no difference to the node is no reason to read it: of what the host comes to its transitions tell', async () => {
  const life = await live();
  const available = { state: 'available', operationalStatus: 'OK', poweredOn: true, online: false };
  await life.depend(host('ready', available), made(Readiness.Ready));
  await life.depend(host('ready', { ...available, operationalStatus: 'error' }), made(Readiness.Ready));
  await life.depend(host('ready', { ...available, operationalStatus: 'servicing' }), made(Readiness.Ready));
  await life.depend(host('ready', { ...available, state: 'provisioning' }), made(Readiness.Ready));
  await life.change({});
  assert.equal(life.effects, BROUGHT_UP);
});

test('its own write is no reason to read again', async () => {
  const stored = Promise.withResolvers<unknown>();
  const life = await live({ ...WELL, store: () => stored.promise });
  await life.change({ says: 'what was read' });
  stored.resolve({ pollAfterMs: 60_000, rereadAfterMs: REREAD_MS });
  await settled();
  assert.equal(life.effects, BROUGHT_UP);
  assert.is(life.context().pollAfterMs, 60_000);
});

test('nobody relies on it while it is read again (OBSERVED-NODE-2)', async () => {
  const life = await live({
    ...WELL,
    read: (call) => (call === 1 ? WELL['read']?.(1, {}) : new Promise(() => 0)),
    watch: () => ({ seen: 'today' }),
  });
  assert.is(life.phase(), 'reading');
  assert.equal(life.tags(), [Tag.Busy]);
});

test('after a transition of the node it is read again, and the next one waited for', async () => {
  const watch = (call: number): unknown => (call === 1 ? { seen: 'today' } : new Promise(() => 0));
  const life = await live({ ...WELL, watch });
  assert.equal(life.effects, [...BROUGHT_UP, 'read', 'furnish', 'store', 'claim', 'watch']);
  assert.is(life.inputs['watch']?.[1]?.['seen'], 'today');
  await life.change({ generation: 2 });
  assert.is(life.inputs['watch']?.[2]?.['seen'], 'today');
  await life.depend(host('ready', { state: 'available' }, 'node-2'));
  assert.is(life.inputs['watch']?.[3]?.['seen'], undefined, 'of another node nothing was seen');
});

test('what it made and somebody took away is made again; what has not answered yet is not', async () => {
  const life = await live(WELL, { dependencies: [host(), made()] });
  await life.depend(host(), made(Readiness.Absent));
  assert.equal(life.effects, BROUGHT_UP);
  await life.depend(host(), made(Readiness.Ready));
  assert.equal(life.effects, BROUGHT_UP);
  await life.depend(host(), made(Readiness.Absent));
  assert.equal(life.effects.slice(BROUGHT_UP.length), ['-watch', 'read', 'furnish', 'store', 'claim', 'watch']);
});

test('what was made and is not there yet is looked for again, and the node is not read for that', async () => {
  const life = await live({ ...WELL, furnish: (call) => (call === 1 ? LACKING : { waiting: [] }) });
  assert.is(life.phase(), 'lacking');
  await life.pass(500);
  assert.equal(life.effects, ['claim', 'read', 'furnish', 'furnish', 'store', 'claim', 'watch']);
});

test('what stays otherwise than it was made is read anew: who shares it may know more', async () => {
  const life = await live({ ...WELL, furnish: (call) => (call < 3 ? LACKING : { waiting: [] }) });
  await life.pass(500);
  assert.equal([life.phase(), life.effects.filter((name) => name === 'read').length], ['lacking', 1]);
  await life.pass(500);
  assert.equal(life.effects, ['claim', 'read', 'furnish', 'furnish', 'read', 'furnish', 'store', 'claim', 'watch']);
});

test('a write that lost a race is made again, without another look; not for ever', async () => {
  const once = await live({ ...WELL, store: (call) => (call === 1 ? fail(conflict)() : WELL['store']?.(call, {})) });
  assert.equal(once.effects, ['claim', 'read', 'furnish', 'store', 'store', 'claim', 'watch']);
  const always = await live({ ...WELL, store: fail(conflict) });
  assert.is(always.phase(), 'failing');
  assert.is(always.inputs['store']?.length, 6);
  const children = await live({ ...WELL, furnish: fail(conflict) });
  assert.is(children.inputs['furnish']?.length, 6);
});

test('what fails is tried again after a pause, from the start, or when there is a reason', async () => {
  const life = await live({ ...WELL, read: (call) => (call < 3 ? fail(transient)() : WELL['read']?.(call, {})) });
  assert.is(life.phase(), 'failing');
  assert.equal(life.context().error, transient);
  await life.pass(FAILURE_MS - 1);
  assert.is(life.inputs['read']?.length, 1);
  await life.pass(1);
  assert.is(life.inputs['read']?.length, 2);
  await life.change({ generation: 2 });
  assert.is(life.phase(), 'upToDate.watching');
  assert.equal([life.context().error, life.context().failures], [undefined, 0]);
});

test('a watch that ends by itself is begun again without a look; a node that is gone is looked for', async () => {
  const watch = (call: number): unknown => (call === 1 ? fail(transient)() : new Promise(() => 0));
  const passing = await live({ ...WELL, watch });
  assert.is(passing.phase(), 'upToDate.resuming');
  await passing.pass(30_000);
  assert.equal(passing.effects, [...BROUGHT_UP, 'watch']);
  const gone = await live({ ...WELL, watch: fail(absent) });
  assert.is(gone.phase(), 'failing');
  await gone.pass(FAILURE_MS);
  assert.is(gone.inputs['read']?.length, 2);
});

test('an object that goes is left alone, whatever it was at (OBSERVED-NODE-5)', async () => {
  const life = await live();
  await life.change({ deleting: true });
  assert.is(life.phase(), 'deleted');
  assert.equal(life.effects.slice(BROUGHT_UP.length), ['-watch']);
  const found = await live(WELL, { object: { ...VIEW, deleting: true } });
  assert.equal([found.phase(), found.effects], ['deleted', ['claim']]);
});

test('pauses: doubled to a limit, as long as was asked for, longest for what cannot be done', () => {
  const pauses = { firstMs: 30_000, limitMs: 300_000 };
  const of = (failures: number, more = {}): number =>
    failurePauseMs({ failures, error: { ...transient, ...more } }, pauses);
  assert.equal(
    [1, 2, 3, 4, 5, 60].map((failures) => of(failures)),
    [30e3, 60e3, 120e3, 240e3, 300e3, 300e3],
  );
  assert.is(of(1, { retryAfterMs: 45_000 }), 45_000);
  assert.is(of(1, { code: 'terminal' }), 300_000);
});

test('every state is reached, and described', () => {
  const done = (id: string, output: unknown) => ({ type: `xstate.done.actor.${id}`, output }) as const;
  const error = (id: string, what: unknown) => ({ type: `xstate.error.actor.${id}`, error: what }) as const;
  const heard = (...dependencies: unknown[]) => ({ type: 'dependencies.changed', dependencies, at: AT }) as const;
  const events = [
    { type: 'lifecycle.started' },
    heard(host()),
    heard(host(Readiness.Pending)),
    { type: 'object.changed', object: { ...VIEW, deleting: true }, dependencies: [host()], at: AT },
    done('read', { reading: {}, at: AT }),
    error('read', transient),
    done('furnish', { waiting: [] }),
    done('furnish', LACKING),
    done('store', { pollAfterMs: 1, rereadAfterMs: 1 }),
    error('watch', transient),
  ];
  const input = {
    key: 'key',
    object: VIEW,
    dependencies: [UNHEARD],
    at: AT,
    inDoubtUntil: 0,
    isOwnershipDisputed: false,
  };
  const found = reached(
    observedNodeMachine,
    input,
    (snapshot: AnyMachineSnapshot) => possible(snapshot as never, events) as never,
  );
  // It is left in the step in which it is entered.
  const stays = leaves(observedNodeMachine).filter((leaf) => leaf !== 'deciding');
  assert.equal([...found].sort(), [...stays].sort());
  const undescribed = Object.values(observedNodeMachine.states).filter(
    ({ config }) => config.description === undefined,
  );
  assert.equal(undescribed, []);
});

test.run();
