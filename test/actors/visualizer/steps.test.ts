// Steps of the page from events of the trace: attempts, when the next one is due, and fields that are anything.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stepOf, toldBy } from '../../../actors/visualizer/steps.ts';
import type { JsonObject, ReceivedEvent } from '../../../bus/mod.ts';
import { Tag } from '../../../machines/lifecycle.ts';

const test = suite('steps of the page');

function event(data: JsonObject, type = 'transition'): ReceivedEvent {
  const actor = { realm: 'openstack', plural: 'networks', namespace: 'shop', name: 'front' };
  return { actor, type, data, at: 1_000 } as unknown as ReceivedEvent;
}

const FAILED = { from: 'reconciling', to: 'backingOff', cause: 'xstate.error.actor.update', tags: [Tag.Failing] };

test('35.A2: a failed attempt tells how many failed, since when, and when the next one is due', () => {
  const told = toldBy(event({ ...FAILED, failure: 'quota', attempts: 3, failingSince: 400, retryAt: 9_000 }));
  assert.is(told?.attempts, 3);
  assert.is(told?.failingSince, 400);
  assert.is(told?.retryAt, 9_000);
  assert.is(told?.tone, 'failing');
  assert.is(told?.failure, 'quota');
});

test('35.A: while it is tried again it still fails: what it does meanwhile is no progress', () => {
  const trying = { from: 'backingOff', to: 'reconciling.updating', cause: 'xstate.after.backoff', tags: [] };
  assert.is(toldBy(event({ ...trying, attempts: 3, failingSince: 400 }))?.tone, 'failing');
  assert.is(toldBy(event(trying))?.tone, 'busy');
});

test('an event without these fields, or with anything in them, counts no attempts', () => {
  for (const odd of [{}, { attempts: 'many', failingSince: null, retryAt: {} }, { attempts: Number.NaN }]) {
    const told = toldBy(event({ ...FAILED, ...odd } as JsonObject));
    assert.equal([told?.attempts, told?.failingSince, told?.retryAt], [0, 0, 0]);
  }
  const odd = toldBy(event({ from: 1, to: {}, cause: [], tags: 'x', links: 7, failure: 3, uid: 9 } as JsonObject));
  assert.equal([odd?.from, odd?.to, odd?.cause, odd?.uid, odd?.bySpan], ['', '', '', '', '']);
  assert.not.ok(odd !== undefined && 'failure' in odd);
});

test('a deletion and a quarantine are steps, any other event is none', () => {
  assert.is(toldBy(event({ from: 'deleting' }, 'deleted'))?.to, '');
  const quarantined = toldBy(event({ from: 'idle', error: 'it broke' }, 'quarantined'));
  assert.equal([quarantined?.tone, quarantined?.failure], ['quarantined', 'it broke']);
  assert.is(toldBy(event({}, 'call')), undefined);
});

test('what a step tells the page has neither attempts nor identities', () => {
  const told = toldBy(event({ ...FAILED, failure: 'quota', attempts: 3, uid: 'u' }));
  if (told === undefined) throw new Error('it tells nothing');
  assert.equal(stepOf(told, 'a.b.c.d'), {
    key: told.key,
    at: 1_000,
    from: 'reconciling',
    to: 'backingOff',
    cause: 'xstate.error.actor.update',
    tone: 'failing',
    by: 'a.b.c.d',
    failure: 'quota',
  });
  assert.not.ok('by' in stepOf(told, undefined));
});

test.run();
