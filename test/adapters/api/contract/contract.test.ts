// The types that contracts stand for; the schemas that they make are in crds.test.ts.
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
  required,
  string,
} from '../../../../adapters/api/contract/contract.ts';

const test = suite('contract');

const text = string('text of it.', { maxLength: 9 });

/** Compiles only when the schema stands for that type, and the type for the schema. */
function standsFor<A>() {
  return <S>(_schema: S, equal: [A] extends [Infer<S>] ? ([Infer<S>] extends [A] ? true : never) : never): void => {
    assert.ok(equal);
  };
}

test('each schema stands for a type', () => {
  standsFor<'small' | 'large'>()(string('size of it.', { enum: ['small', 'large'] }), true);
  standsFor<4 | 6>()(integer('version of it.', { enum: [4, 6] }), true);
  standsFor<boolean>()(boolean('lit or not.', { default: true }), true);
  standsFor<readonly string[]>()(list('tags of it.', text, { type: 'set', maxItems: 2 }), true);
  standsFor<Readonly<Record<string, string>>>()(map('hints for it.', text, { maxProperties: 3 }), true);
  standsFor<string>()(required(immutable(text)), true);
  const box = object('box of things.', { size: required(integer('size of it.')), label: text });
  standsFor<{ readonly size: number } & { readonly label?: string }>()(box, true);
});

test('required and immutable are marks on a copy', () => {
  const marked = required(immutable(text));
  assert.equal([text.required, text.immutable], [false, false]);
  assert.equal([marked.required, marked.immutable], [true, true]);
});

test.run();
