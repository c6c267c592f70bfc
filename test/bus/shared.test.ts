import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Json, sharedAddress, sharedList, sharedText, sharedUid, shareTexts } from '../../bus/mod.ts';

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
  shareTexts(one as Json);
  shareTexts(other as Json);
  assert.equal(one, value());
  assert.equal(other, value());
  assert.is(one?.['metadata']?.['finalizers'], other?.['metadata']?.['finalizers'], 'the same list');
});

test('lists are told apart by their parts, and nobody can change one for all', () => {
  assert.is(sharedList(['a', 'b']), sharedList([fresh('a'), fresh('b')]));
  assert.equal(sharedList(['a\nb']), ['a\nb']);
  assert.equal(sharedList(['a', 'b']), ['a', 'b']);
  assert.equal(sharedList([]), []);
  assert.throws(() => (sharedList(['a', 'b']) as string[]).push('c'));
});

test('what is mentioned no more is let go of, what is mentioned again and again stays right', () => {
  for (let n = 0; n < 20_000; n++) {
    assert.is(sharedText(`text ${n}`), `text ${n}`);
    assert.is(sharedText(fresh('again')), 'again');
  }
});

test('the uid of an address is the last that was mentioned', () => {
  const address = sharedAddress({ realm: 'core', plural: 'secrets', namespace: 'ns', name: 'clouds' });
  assert.is(sharedUid(address, 'first'), 'first');
  assert.is(sharedUid(address, 'second'), 'second');
  assert.is(sharedUid(address, fresh('second')), 'second');
});

test.run();
