// Turns: of all who look for the same one at a time makes it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ReservationRequest,
  ReservationSweeper,
  Reservations,
  reservationName,
} from '../../../actors/effects/reservations.ts';
import { registry } from '../../../actors/object/registry.ts';
import { ConflictError, type Mailbox, memoryBroker } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { ManualClock } from '../../bus/manual-clock.ts';
import { simulatedClock } from '../../world/clock.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('turns');

const kind = simpleKind({ realm: 'example', kind: 'Thing', plural: 'things' });
const THING = {
  ...kind,
  life: { ...kind.life, recorded: ({ status }: KubeObject) => status?.['id'] as string | undefined },
};
const NAME = reservationName(THING, 'same');

function scene() {
  const clock = new ManualClock();
  const mailbox: Mailbox = memoryBroker({ clock: simulatedClock() }).connect().mailbox;
  const stored = new Map<string, KubeObject>();
  const turns = new Reservations({
    mailbox,
    clock,
    registry: registry([THING], []),
    objects: { get: async (_, namespace, name) => stored.get(`${namespace}/${name}`) },
  });
  const object = (name: string, id?: string): KubeObject => ({
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '1' },
    ...(id !== undefined && { status: { id } }),
  });
  for (const name of ['a', 'b']) stored.set(`ns/${name}`, object(name));
  const request = (name: string, changes: Partial<ReservationRequest> = {}): ReservationRequest => ({
    holder: `example.things.ns.${name}`,
    uid: `uid-${name}`,
    until: clock.now() + 40_000,
    lookedAt: clock.now(),
    mayWrite: () => true,
    ...changes,
  });
  const isRefused = (name: string, changes?: Partial<ReservationRequest>): Promise<boolean> =>
    turns.take(NAME, request(name, changes)).then(
      () => false,
      (error: unknown) => {
        assert.instance(error, ConflictError);
        return true;
      },
    );
  return { clock, mailbox, turns, stored, object, request, isRefused };
}

test('the first has it, and has it again; nobody else before it is over (RESERVATIONS-2)', async () => {
  const { turns, request, isRefused, clock } = scene();
  await turns.take(NAME, request('a'));
  assert.ok(await isRefused('b'));
  await turns.take(NAME, request('a'));
  await clock.advance(43_000);
  assert.not.ok(await isRefused('b'));
});

test('who comes after somebody else has looked since that one was done (RESERVATIONS-3)', async () => {
  const { turns, request, isRefused, clock, stored, object } = scene();
  await turns.take(NAME, request('a'));
  const before = clock.now();
  await clock.advance(1_000);
  stored.set('ns/a', object('a', 'made'));
  assert.ok(await isRefused('b', { lookedAt: before }));
  await clock.advance(1_000);
  assert.not.ok(await isRefused('b'));
});

test('what is gone, or another by now, holds no turn (RESERVATIONS-2)', async () => {
  for (const left of [undefined, 'uid-a2']) {
    const { turns, request, isRefused, clock, stored, object } = scene();
    await turns.take(NAME, request('a'));
    if (left === undefined) stored.delete('ns/a');
    else stored.set('ns/a', { ...object('a'), metadata: { ...object('a').metadata, uid: left } });
    await clock.advance(1);
    await isRefused('b', { lookedAt: 0 });
    await clock.advance(1);
    assert.not.ok(await isRefused('b'), `${left}`);
  }
});

test('what came to nothing is given back, and without a lease nothing is written (RESERVATIONS-1, RESERVATIONS-4)', async () => {
  const { turns, request, isRefused } = scene();
  assert.ok(await isRefused('a', { mayWrite: () => false }));
  await turns.release(await turns.take(NAME, request('a')));
  assert.not.ok(await isRefused('b'));
});

test('whoever follows a turn in which something may have been made has looked since it ended (RESERVATIONS-3)', async () => {
  const { turns, request, isRefused, clock } = scene();
  const before = clock.now();
  const sequence = await turns.take(NAME, request('a'));
  await clock.advance(1_000);
  await turns.end(NAME, sequence, request('a', { mayWrite: () => false }));
  await clock.advance(5_000);
  assert.ok(await isRefused('b'), 'without a lease nothing is written');
  await turns.end(NAME, sequence, request('a'));
  assert.ok(await isRefused('b'));
  await clock.advance(3_000);
  assert.ok(await isRefused('b', { lookedAt: before }));
  assert.not.ok(await isRefused('b'));
});

test('whoever hosts its shard takes a turn away when its time has passed (RESERVATIONS-4)', async () => {
  const { turns, request, clock, mailbox } = scene();
  const sweep = new ReservationSweeper({ mailbox, clock });
  const sequence = await turns.take(NAME, request('a'));
  const subject = { topic: 'reservation', name: NAME } as const;
  const mail = await mailbox.last(subject);
  sweep.heard(subject, mail?.payload ?? {}, sequence);
  await clock.advance(41_000);
  await clock.settle();
  assert.is.not(await mailbox.last(subject), undefined);
  await clock.advance(11_000);
  await clock.settle();
  assert.is(await mailbox.last(subject), undefined);
  assert.is(sweep.size, 0);
  sweep.close();
});

test.run();
