// How names become addresses.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { registry } from '../../../actors/object/registry.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('registry');

const book = simpleKind({ realm: 'library', kind: 'Book', plural: 'books' });
const shelf = { ...simpleKind({ realm: 'library', kind: 'Shelf', plural: 'shelfs' }), scope: 'Cluster' as const };
const loan = { ...simpleKind({ realm: 'library', kind: 'Loan', plural: 'loans' }), allowsCrossNamespace: true };
const from = { realm: 'library', plural: 'loans', namespace: 'readers', name: 'l' };

test('a reference leads to the namespace that it names, its own unless it does, or none', () => {
  const known = registry([book, shelf, loan], []);
  assert.equal(known.target(from, { kind: 'Book', name: 'b' }), { ...from, plural: 'books', name: 'b' });
  const elsewhere = known.target(from, { kind: 'Book', name: 'b', namespace: 'stacks' });
  assert.equal(elsewhere, { realm: 'library', plural: 'books', namespace: 'stacks', name: 'b' });
  assert.is(known.target(from, { kind: 'Shelf', name: 's' }).namespace, '');
  assert.is(known.target(from, { kind: 'Shelf', name: 's', namespace: 'stacks' }).namespace, '');
});

test('a kind that does not say that it crosses namespaces may not: nobody would look for its claims elsewhere (P7)', () => {
  const known = registry([book, shelf, { ...loan, allowsCrossNamespace: false }], []);
  try {
    known.target(from, { kind: 'Book', name: 'b', namespace: 'stacks' });
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), /refers to namespace 'stacks'/);
  }
});

test('every finalizer that a kind puts on others is theirs to lose, and its own kind is asked who holds it', () => {
  const trunk = { ...loan, guards: ['own/loan', 'own/reservation'] };
  const known = registry([book, trunk], []);
  assert.equal(known.guards({ realm: 'library', plural: 'books' }), ['own/loan', 'own/reservation']);
  assert.equal(
    known.claimants('own/reservation').map(({ kind }) => kind),
    ['Loan'],
  );
});

test('one of its own kind may hold an object, though not by the finalizer that the object has for itself', () => {
  const chained = { ...book, finalizer: 'own/book', guards: ['own/book', 'own/sequel'] };
  const known = registry([chained, loan], []);
  assert.equal(known.guards({ realm: 'library', plural: 'books' }), ['own/sequel', ...loan.guards]);
});

test.run();
