import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { internAddress, internList, internText, internTexts, internUid, type Json } from '../../bus/mod.ts';

const test = suite('shared');

/** A text that is no constant of this file: equal ones are two in memory. */
const fresh = (text: string): string => [...text].join('');

test('what is shared is equal to what it was', () => {
  const value = (): Json => ({
    apiVersion: fresh('openstack.k-orc.cloud/v1alpha1'),
    metadata: { name: fresh('a'), finalizers: [fresh('one'), fresh('two')], generation: 1 },
    status: { conditions: [{ type: fresh('Available'), since: null }], none: [], mixed: ['text', 1, { deep: ['x'] }] },
  });
  const [one, other] = [value(), value()] as Record<string, Record<string, Json>>[];
  internTexts(one as Json);
  internTexts(other as Json);
  assert.equal(one, value());
  assert.equal(other, value());
  assert.is(one?.['metadata']?.['finalizers'], other?.['metadata']?.['finalizers'], 'the same list');
});

test('lists are told apart by their parts, and nobody can change one for all', () => {
  assert.is(internList(['a', 'b']), internList([fresh('a'), fresh('b')]));
  assert.equal(internList(['a\nb']), ['a\nb']);
  assert.equal(internList(['a', 'b']), ['a', 'b']);
  assert.equal(internList([]), []);
  assert.throws(() => (internList(['a', 'b']) as string[]).push('c'));
});

test('what is mentioned no more is let go of, what is mentioned again and again stays right', () => {
  for (let n = 0; n < 20_000; n++) {
    assert.is(internText(`text ${n}`), `text ${n}`);
    assert.is(internText(fresh('again')), 'again');
  }
});

test('the uid of an address is the last that was mentioned', () => {
  const address = internAddress({ realm: 'core', plural: 'secrets', namespace: 'ns', name: 'clouds' });
  assert.is(internUid(address, 'first'), 'first');
  assert.is(internUid(address, 'second'), 'second');
  assert.is(internUid(address, fresh('second')), 'second');
});

test.run();
