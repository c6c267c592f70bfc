// Hosts in states that few hosts are ever in: deleted, paused, edited or refused there.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IMAGE, type Parts } from './hosts.ts';
import {
  type Answers,
  fail,
  type Lifecycle,
  live,
  ON_FIRST,
  RUNNING,
  secret,
  terminal,
  transient,
  view,
  WELL,
  waiting,
} from './lives.ts';

const test = suite('hosts everywhere');
const PAUSED = { annotations: { 'baremetalhost.metal3.io/paused': '' } } as const;

const EXHAUSTED = { provisioningFailCount: 5, lastAttemptedImage: IMAGE };

interface Place {
  readonly at: string;
  readonly begin: () => Promise<Lifecycle>;
  /** Parts of the host that an edit leaves as they are. */
  readonly parts: Parts;
}

/** Without a BMC. */
const NONE = { spec: { bmc: { address: '', credentialsName: '' } } };
const FULL: Answers = { ...WELL, capacity: () => ({ isFree: false, at: 0 }) };
const LOST: Answers = { ...WELL, capacity: fail(transient) };
const places: readonly Place[] = [
  { at: 'unmanaged', begin: () => live(WELL, view({ state: 'unmanaged', ...NONE })), parts: NONE },
  { at: 'unknown', begin: () => live(WELL, view({ state: 'of the future' })), parts: {} },
  {
    at: 'available.exhausted',
    begin: () => live(WELL, view({ state: 'available', spec: { image: IMAGE }, status: EXHAUSTED })),
    parts: { spec: { image: IMAGE } },
  },
  {
    at: 'admitting.retrying',
    begin: () => live({ ...WELL, addOwnFinalizer: fail(transient) }, view({}, { owned: false })),
    parts: {},
  },
  { at: 'inspecting.delayed', begin: () => live(FULL, view({ state: 'registering' })), parts: {} },
  { at: 'inspecting.queueingAgain', begin: () => live(LOST, view({ state: 'registering' })), parts: {} },
  {
    at: 'preparing.refused',
    begin: () => live({ ...WELL, prepare: fail(terminal) }, view({ state: 'preparing' })),
    parts: {},
  },
  {
    at: 'preparing.retrying',
    begin: () => live({ ...WELL, prepare: () => waiting(), watch: fail(transient) }, view({ state: 'preparing' })),
    parts: {},
  },
];

for (const { at, begin, parts } of places) {
  test(`a host is paused in ${at}, and continues when that is over (BARE-METAL-HOST-1)`, async () => {
    const life = await begin();
    assert.is(life.phase(), at);
    await life.edit({ ...parts, ...PAUSED });
    assert.is(life.phase(), 'paused');
    await life.edit(parts);
    assert.is(life.phase(), at);
  });

  test(`a host whose Secret or labels alone change stays in ${at}, or comes back to it`, async () => {
    const life = await begin();
    await life.edit({ ...parts, annotations: { note: 'x' } });
    await life.depend(secret('ready', '2'));
    assert.is(life.phase(), at);
  });

  test(`a host is deleted from ${at}`, async () => {
    const life = await begin();
    await life.edit({ ...parts, deleted: true });
    await life.pass(600_000);
    assert.ok(['deleted', 'deleting'].includes(life.phase().split('.')[0] ?? ''), life.phase());
  });
}

test('room is asked for again after a pause where the answer failed', async () => {
  const life = await live(LOST, view({ state: 'registering' }));
  await life.pass(60_000);
  assert.equal([life.phase(), life.inputs['capacity']?.length], ['inspecting.queueingAgain', 2]);
});

test('a host that rests and whose node cannot be watched is reconciled again after a pause', async () => {
  let isWatched = false;
  const watch = () => (isWatched ? new Promise(() => undefined) : fail(transient)());
  const life = await live({ ...ON_FIRST, watch }, view(RUNNING));
  assert.is(life.phase(), 'provisioned.retrying');
  isWatched = true;
  await life.pass(60_000);
  assert.is(life.phase(), 'provisioned.idle');
});

test('a host that is deleted before anything is known of it is not registered', async () => {
  const life = await live(WELL, view({ deleted: true }));
  assert.is(life.phase(), 'deleted');
  assert.not.ok(life.calls.includes('register'), String(life.calls));
});

for (const deleted of [false, true]) {
  test(`the state of an operator that matched profiles leads on, deleted: ${deleted}`, async () => {
    const life = await live(WELL, view({ state: 'match profile', deleted }));
    assert.is(life.phase(), deleted ? 'deleted' : 'available.idle');
  });
}

test('a host that was matched to a profile while it ran, and is deleted, is switched off first', async () => {
  const life = await live(WELL, view({ state: 'match profile', status: { poweredOn: true }, deleted: true }));
  assert.ok(life.states.includes('powering off before delete'), String(life.states));
});

test('a detached host that is deleted goes from a state of another operator at once, as it is', async () => {
  const annotations = { 'baremetalhost.metal3.io/detached': '' };
  for (const state of ['match profile', 'of the future']) {
    const life = await live(WELL, view({ state, annotations, deleted: true }));
    assert.equal([life.phase(), life.states.at(-1)], ['deleted', 'deleting'], state);
    assert.not.ok(life.calls.includes('power'));
  }
});

test('a host whose finalizer a person takes off while its node is removed is let go', async () => {
  const life = await live({ ...WELL, remove: () => waiting() }, view({ state: 'deleting', deleted: true }));
  assert.is(life.phase(), 'deleting.awaiting');
  await life.edit({ state: 'deleting', deleted: true }, { owned: false });
  assert.is(life.phase(), 'deleted');
});

test('what is heard once more of a host whose state is unknown is not news', async () => {
  const life = await live(WELL, view({ state: 'of the future' }));
  await life.edit({ state: 'of the future' });
  assert.equal([life.phase(), life.calls], ['unknown', []]);
});

test('a deleted host without a finalizer is skipped at once', async () => {
  const life = await live(WELL, view({ state: 'preparing', deleted: true }, { owned: false }));
  assert.equal([life.phase(), life.calls], ['deleted', []]);
});

test('a finalizer that is not there after it was stored is stored again after a pause', async () => {
  const life = await live({ ...WELL, addOwnFinalizer: () => new Promise(() => undefined) }, view({}, { owned: false }));
  assert.is(life.phase(), 'admitting.guarding');
  life.actor.send({
    type: 'xstate.done.actor.addOwnFinalizer',
    actorId: 'addOwnFinalizer',
    output: undefined,
  } as never);
  assert.equal([life.phase(), life.calls], ['admitting.retrying', ['addOwnFinalizer']]);
  await life.pass(60_000);
  assert.equal([life.phase(), life.calls], ['admitting.guarding', ['addOwnFinalizer', 'addOwnFinalizer']]);
});

test('claims that cannot be ended, and a finalizer that cannot be removed, are tried again', async () => {
  let refusals = 2;
  const refused = (): void => {
    refusals -= 1;
    if (refusals >= 0) fail(transient)();
  };
  for (const effect of ['endClaims', 'removeOwnFinalizer']) {
    refusals = 2;
    const life = await live({ ...WELL, [effect]: refused }, view({ state: 'deleting', deleted: true }));
    assert.is(life.phase(), 'deleting.retryingRelease', effect);
    await life.pass(600_000);
    await life.pass(600_000);
    assert.is(life.phase(), 'deleted', effect);
  }
});

test.run();
