// The builders of contracts: the schema each makes, and the type it stands for.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  boolean,
  type Infer,
  immutable,
  integer,
  list,
  map,
  object,
  ref,
  required,
  string,
} from '../../../adapters/kubernetes/contract.ts';

const test = suite('contract');

/** Compiles only when the types are one another's. */
function same<A, B>(_equal: [A] extends [B] ? ([B] extends [A] ? true : never) : never): void {
  assert.ok(_equal);
}

test('strings keep their keywords', () => {
  assert.equal(string('name of it.', { minLength: 1, maxLength: 3, pattern: '^a' }).keywords, {
    minLength: 1,
    maxLength: 3,
    pattern: '^a',
  });
  assert.equal(string('at what time.', { format: 'date-time' }).keywords, { format: 'date-time' });
  assert.equal(string('free text.').keywords, {});
});

test('an enum is the union of its values', () => {
  const size = string('size of it.', { enum: ['small', 'large'] });
  same<Infer<typeof size>, 'small' | 'large'>(true);
  const version = integer('version of it.', { enum: [4, 6] });
  same<Infer<typeof version>, 4 | 6>(true);
  assert.equal(version.keywords, { format: 'int32', enum: [4, 6] });
});

test('integers and booleans keep their keywords', () => {
  assert.equal(integer('count of it.', { format: 'int64', minimum: 0, maximum: 9 }).keywords, {
    format: 'int64',
    minimum: 0,
    maximum: 9,
  });
  const lit = boolean('lit or not.', { default: true });
  same<Infer<typeof lit>, boolean>(true);
  assert.equal(lit.keywords, { default: true });
});

test('a list says how it merges and how long it gets', () => {
  const tags = list('tags of it.', string('A tag.', { maxLength: 9 }), { type: 'set', maxItems: 2 });
  same<Infer<typeof tags>, readonly string[]>(true);
  assert.equal(tags.keywords, { maxItems: 2, 'x-kubernetes-list-type': 'set' });
  assert.is(tags.items?.description, 'A tag.');
});

test('an object has required and optional fields, in its type too', () => {
  const box = object(
    'box of things.',
    { size: required(integer('size of it.')), label: string('label on it.', { maxLength: 9 }) },
    { minProperties: 1 },
  );
  same<Infer<typeof box>, { readonly size: number } & { readonly label?: string }>(true);
  assert.equal(box.keywords, { minProperties: 1 });
  assert.is(box.properties?.['size']?.required, true);
  assert.is(box.properties?.['label']?.required, false);
});

test('a map has values of one schema', () => {
  const hints = map('hints for it.', string('A hint.', { maxLength: 9 }), { maxProperties: 3 });
  same<Infer<typeof hints>, Readonly<Record<string, string>>>(true);
  assert.is(hints.values?.description, 'A hint.');
  assert.equal(hints.keywords, { maxProperties: 3 });
});

test('a reference names its kind and how it is guarded', () => {
  assert.equal(ref('Network', 'networkRef is the network.').reference, { kind: 'Network', guarded: false });
  assert.equal(
    ref('Port', 'portRef is the port.', { guarded: true, finalizer: 'example.org/trunk-subport' }).reference,
    {
      kind: 'Port',
      guarded: true,
      finalizer: 'example.org/trunk-subport',
    },
  );
});

test('required and immutable are marks on a copy', () => {
  const name = string('name of it.', { maxLength: 9 });
  const marked = required(immutable(name));
  same<Infer<typeof marked>, string>(true);
  assert.equal([name.required, name.immutable], [false, false]);
  assert.equal([marked.required, marked.immutable], [true, true]);
});

test.run();
