// What adapters may answer, and what is said of anything else.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultIn, faultInView } from '../../../machines/external-resource/answers.ts';
import type { ResourceOperations } from '../../../machines/external-resource/operations.ts';

const test = suite('answers of adapters');

const SEEN = { id: '1', attributes: {}, resource: {}, available: true };
const VIEW = {
  uid: 'u',
  generation: 1,
  deleting: false,
  finalizers: [],
  finalizer: 'example.org/book',
  owned: true,
  externalId: undefined,
  managed: true,
  detached: false,
  settled: 'no',
  available: false,
  resyncInMs: undefined,
  resyncEveryMs: undefined,
};

const ANSWERS: readonly (readonly [keyof ResourceOperations, unknown, string | undefined])[] = [
  ['create', SEEN, undefined],
  ['create', { ...SEEN, pollAfterMs: 100, applied: {} }, undefined],
  ['create', undefined, 'it is missing, and no object'],
  ['create', [SEEN], 'it is a list, and no object'],
  ['create', { ...SEEN, id: 7 }, "'id' is a number, and must be a text"],
  ['create', { ...SEEN, id: '' }, "'id' is a string, and must be a text"],
  ['create', { ...SEEN, attributes: null }, "'attributes' is null, and must be an object"],
  ['create', { ...SEEN, resource: [] }, "'resource' is a list, and must be an object"],
  ['create', { ...SEEN, available: 'yes' }, "'available' is a string, and must be true or false"],
  ['create', { ...SEEN, pollAfterMs: 0 }, "'pollAfterMs' is a number, and must be a number above 0"],
  ['observe', undefined, undefined],
  ['observe', null, 'it is null, and no object'],
  ['import', undefined, undefined],
  ['import', 'book', 'it is a string, and no object'],
  ['find', { matches: [SEEN], exact: true, completedLookup: 'b' }, undefined],
  ['find', [], 'it is a list, and no object'],
  ['find', { exact: true }, "'matches' is missing, and must be a list"],
  ['find', { matches: [] }, "'exact' is missing, and must be true or false"],
  ['find', { matches: [{ ...SEEN, id: undefined }], exact: true }, "of a match, 'id' is missing, and must be a text"],
  ['find', { matches: [], exact: true, completedLookup: {} }, "'completedLookup' is an object, and must be a text"],
  ['update', { changed: false, waiting: ['for paper'] }, undefined],
  ['update', {}, "'changed' is missing, and must be true or false"],
  ['update', { changed: true, waiting: 'for paper' }, "'waiting' is a string, and must be a list of texts"],
  ['update', { changed: true, fields: [1] }, "'fields' is a list, and must be a list of texts"],
  ['delegate', undefined, undefined],
  ['delegate', 1, 'it is a number, and no object'],
  ['identify', 'press', undefined],
  ['identify', {}, 'it is an object, and no text'],
  ['remove', 'whatever', undefined],
];

test('33.E6: garbage from an operation is said', () => {
  for (const [operation, answer, fault] of ANSWERS) {
    assert.is(faultIn(operation, answer), fault, `${operation}: ${JSON.stringify(answer)}`);
  }
});

test('33.E6: garbage from a view is said', () => {
  assert.is(faultInView(VIEW), undefined);
  assert.is(faultInView(42), 'it is a number, and no object');
  for (const name of Object.keys(VIEW)) {
    const isOptional = VIEW[name as keyof typeof VIEW] === undefined;
    const fault = faultInView({ ...VIEW, [name]: isOptional ? {} : undefined });
    assert.match(fault ?? '', `'${name}' is ${isOptional ? 'an object' : 'missing'}, and must be `);
  }
  assert.match(faultInView({ ...VIEW, settled: 'maybe' }) ?? '', 'one of no, available, unavailable, failed');
});

test.run();
