// Which transitions are news. What the statechart really goes through is in the suite of events.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  doneGenerationOf,
  type SnapshotView,
  UserEventDetector,
} from '../../../machines/external-resource/user-events.ts';
import type { Hint } from '../../../machines/lifecycle.ts';
import type { ErrorData, JsonObject, KubeObject } from '../../../machines/object.ts';
import { view } from './fixtures.ts';
import { tagsAt } from './states.ts';

const test = suite('news of external resources');

function objectWith(...conditions: readonly JsonObject[]): KubeObject {
  const metadata = { name: 'a', namespace: 'ns', uid: 'uid', resourceVersion: '1' };
  return { apiVersion: 'example.org/v1', kind: 'Thing', metadata, status: { conditions } };
}

const COMPLETE = { type: 'Progressing', status: 'False', reason: 'Success', message: '', observedGeneration: 1 };

/** Plays transitions: an effect that was done or another cause, its output, from where to where. */
function play(
  object: KubeObject,
  steps: readonly (readonly [cause: string, output: unknown, from: string, to: string])[],
  context: Partial<SnapshotView['context']> = {},
): readonly (string | undefined)[] {
  const life = new UserEventDetector(doneGenerationOf(object));
  return steps.map(([cause, output, from, to]) => {
    const type = cause.includes('.') || cause === 'observed' ? cause : `xstate.done.actor.${cause}`;
    const known = {
      externalId: 'id',
      object: view({ generation: 1 }),
      error: undefined,
      attempts: 0,
      conflictingOwner: undefined,
      ...context,
    };
    const seen = (state: string): SnapshotView => ({ context: known, hasTag: (tag) => tagsAt(state).has(tag) });
    return life.hear({ cause: { type, output }, from: from === '' ? undefined : seen(from), to: seen(to) })?.message;
  });
}

test('what lost a race is nobody’s news; what is found afterwards is (USER-EVENTS-1)', () => {
  const said = play(objectWith(), [
    ['create', {}, 'building.creating', 'building.recording'],
    ['record', { kind: 'lost', externalId: 'other' }, 'building.recording', 'building.discarding'],
    ['discard', undefined, 'building.discarding', 'claiming.awaitingDependencies'],
    ['adopt', {}, 'building.adopting', 'building.recording'],
    ['record', { kind: 'stored' }, 'building.recording', 'reconciling.updating'],
  ]);
  assert.equal(said, [undefined, undefined, undefined, undefined, 'Adopted id, which was there already']);
});

test('what is found is told of when its id is stored, also where the own finalizer is stored first (USER-EVENTS-1)', () => {
  const said = play(objectWith(), [
    ['import', {}, 'building.importing', 'building.addingFinalizer'],
    ['addOwnFinalizer', undefined, 'building.addingFinalizer', 'building.recording'],
    ['record', { kind: 'stored' }, 'building.recording', 'reconciling.updating'],
  ]);
  assert.equal(said, [undefined, undefined, 'Imported id']);
});

test('33.A1: what a deletion finds and does not remove is told of, once (EXTERNAL-RESOURCE-9)', () => {
  const unlike = ['id-1: spec.resource.description is another'];
  const said = play(
    objectWith(),
    [
      ['search', { matches: [], exact: true, unlike }, 'deleting.searching', 'deleting.backingOff'],
      ['search', { matches: [], exact: true, unlike }, 'deleting.searching', 'deleting.endingClaims'],
      ['endClaims', undefined, 'deleting.endingClaims', 'deleting.removingFinalizer'],
    ],
    { externalId: undefined },
  );
  const message = 'Left in place, as not made for this object: id-1: spec.resource.description is another';
  assert.equal(said, [message, undefined, undefined]);
});

test('an id is told of when storing it succeeds at the second try (USER-EVENTS-1)', () => {
  const said = play(objectWith(), [
    ['create', {}, 'building.creating', 'building.recording'],
    ['xstate.error.actor.record', undefined, 'building.recording', 'building.retryingRecord'],
    [
      'xstate.after.backoff.managed.lifecycle.recordingAgain',
      undefined,
      'building.retryingRecord',
      'building.recording',
    ],
    ['record', { kind: 'stored' }, 'building.recording', 'reconciling.updating'],
  ]);
  assert.equal(said.at(-1), 'Created id');
});

test('an update is drift only for a generation that was complete before (USER-EVENTS-3)', () => {
  const update = [
    'update',
    { changed: true, fields: ['tags'] },
    'reconciling.updating',
    'reconciling.observing',
  ] as const;
  const back = 'Changed back tags of id: not as specified, though the spec had not changed';
  const complete = objectWith(COMPLETE);
  assert.equal(play(complete, [update]), [back]);
  assert.equal(play(complete, [update], { object: view({ generation: 2 }) }), ['Updated tags of id']);
  assert.equal(play(objectWith({ ...COMPLETE, status: 'True' }), [update]), ['Updated tags of id']);
  const judged = ['update', { changed: false }, 'reconciling.updating', 'idle.available'] as const;
  assert.equal(play(objectWith(), [judged, update]), [undefined, back]);
  assert.equal(play(objectWith(), [['update', { changed: true }, 'reconciling.updating', 'reconciling.observing']]), [
    'Updated id',
  ]);
});

test('the end is told once, however often the last steps are tried', () => {
  const gone = ['confirm', undefined, 'deleting.confirming', 'deleting.endingClaims'] as const;
  assert.equal(play(objectWith(COMPLETE), [gone, gone]), ['Deleted id', undefined]);
  const seen = ['observed', undefined, 'deleting.awaitingRemoval', 'deleting.endingClaims'] as const;
  assert.equal(play(objectWith(COMPLETE), [seen, gone]), ['Deleted id', undefined]);
  const detached = { object: view({ detached: true }) };
  const left = ['object.changed', undefined, 'idle.available', 'deleting.endingClaims'] as const;
  assert.equal(play(objectWith(COMPLETE), [left, left], detached), ['Left id in place', undefined]);
});

test('of what was never made there is no end, and a removal that is not awaited is no release', () => {
  const never = { externalId: undefined };
  const endClaims = ['object.changed', undefined, 'claiming.awaitingDependencies', 'deleting.endingClaims'] as const;
  assert.equal(play(objectWith(), [endClaims], never), [undefined]);
  const impatient = ['object.changed', undefined, 'deleting.awaitingRemoval', 'deleting.endingClaims'] as const;
  assert.equal(play(objectWith(), [impatient], { object: view({ detached: true }) }), [undefined]);
});

test('33.A8: a failure that is looked at again and found so again is no news (USER-EVENTS-2)', () => {
  const error = { code: 'terminal', message: 'broken', reason: 'UnrecoverableError', passing: true } as const;
  const said = { type: 'Progressing', status: 'False', reason: 'UnrecoverableError', observedGeneration: 1 };
  const again = ['xstate.error.actor.update', undefined, 'reconciling.updating', 'failed'] as const;
  const heard = (object: KubeObject): readonly (string | undefined)[] => {
    const life = new UserEventDetector(doneGenerationOf(object));
    return [again].map(([type, output, from, to]) => {
      const context = {
        externalId: 'id',
        object: view({ generation: 1 }),
        error,
        attempts: 1,
        conflictingOwner: undefined,
      };
      const seen = (state: string): SnapshotView => ({ context, hasTag: (tag) => tagsAt(state).has(tag) });
      return life.hear({ cause: { type, output }, from: seen(from), to: seen(to), object })?.message;
    });
  };
  const object = (...conditions: readonly JsonObject[]): KubeObject => {
    const { metadata, ...rest } = objectWith(...conditions);
    return { ...rest, metadata: { ...metadata, generation: 1 } };
  };
  assert.equal(heard(object({ ...said, message: 'broken' })), [undefined]);
  for (const other of [{ message: 'other' }, { message: 'broken', observedGeneration: 0 }])
    assert.equal(heard(object({ ...said, ...other })), ['UnrecoverableError: broken']);
});

test('a life that begins with a failure has told it before (USER-EVENTS-2)', () => {
  const error = { code: 'terminal', message: 'no', reason: 'UnrecoverableError' } as const;
  const said = play(
    objectWith(),
    [
      ['lifecycle.started', undefined, '', 'failed'],
      ['xstate.error.actor.create', undefined, 'building.creating', 'failed'],
      ['search', undefined, 'deleting.searching', 'deleting.refused'],
    ],
    { error },
  );
  assert.equal(said, [undefined, 'UnrecoverableError: no', 'UnrecoverableError: no']);
});

test('a failure that may pass is news from the second in a row on, with what to do about it (USER-EVENTS-2)', () => {
  const known = { code: 'transient', message: 'the door is shut', fault: 'unreachable' } as const;
  const hintFor = (): Hint => ({ what: 'nobody is in', todo: 'knock at Thing/a' });
  const life = new UserEventDetector(undefined, hintFor);
  const fail = (attempts: number, type = 'xstate.error.actor.create', error: ErrorData = known): string | undefined => {
    const context = { externalId: undefined, object: view(), error, attempts, conflictingOwner: undefined };
    const seen = (state: string): SnapshotView => ({ context, hasTag: (tag) => tagsAt(state).has(tag) });
    return life.hear({ cause: { type }, from: seen('building.creating'), to: seen('backingOff'), object: objectWith() })
      ?.message;
  };
  const reported = 'TransientError: nobody is in: the door is shut; knock at Thing/a';
  assert.equal([fail(1), fail(2), fail(3)], [undefined, reported, reported]);
  // Nobody has to do anything about it, unless it lasts.
  const passing: ErrorData = { code: 'transient', message: 'the door is shut' };
  assert.equal([fail(4, undefined, passing), fail(5, undefined, passing)], [undefined, reported]);
  // A look that found nothing yet is no failure, whatever failed before.
  assert.is(fail(4, 'xstate.done.actor.adopt'), undefined);
});

test('fields without effect are told of once a generation', () => {
  const life = new UserEventDetector(undefined);
  const pass = (generation: number, unappliedFields?: readonly string[]): string | undefined => {
    const context = {
      externalId: 'id',
      object: view({ generation }),
      error: undefined,
      attempts: 0,
      conflictingOwner: undefined,
    };
    const seen = (state: string): SnapshotView => ({ context, hasTag: (tag) => tagsAt(state).has(tag) });
    const output = { changed: false, ...(unappliedFields && { unappliedFields }) };
    const cause = { type: 'xstate.done.actor.update', output };
    return life.hear({ cause, from: seen('reconciling.updating'), to: seen('idle.available'), object: objectWith() })
      ?.message;
  };
  const text =
    'spec.size cannot be set once the resource is made, and has no effect; delete Thing/a and create it again';
  assert.equal(
    [pass(1), pass(2, ['spec.size']), pass(2, ['spec.size']), pass(3, ['spec.size'])],
    [undefined, text, undefined, text],
  );
});

test.run();
