// The work of queries, counted: how many objects are looked at. Paths of objects are asked for through the scope, which counts.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Bucket } from '../../../../adapters/ocm/gateway/search/bucket.ts';
import { compileSearch } from '../../../../adapters/ocm/gateway/search/compile.ts';
import type { FieldScope } from '../../../../adapters/ocm/gateway/search/fields.ts';
import { orderOf } from '../../../../adapters/ocm/gateway/search/order.ts';
import { object, SCOPE } from './things.ts';

const test = suite('indexes of a search');
const COUNT = 2_000;

/** Many objects, and how many paths were made since it was asked last. */
function counted() {
  let looks = 0;
  const scope: FieldScope = {
    ...SCOPE,
    hrefOf: ({ id }) => {
      looks += 1;
      return `/things/${id}`;
    },
  };
  const bucket = new Bucket();
  const put = (n: number, region = `r${n % 20}`): void => {
    bucket.put(object(`o${String(n).padStart(4, '0')}`, { region: { id: region }, nodes: { compute: n % 10 } }));
  };
  for (let n = 0; n < COUNT; n++) put(n);
  return {
    bucket,
    put,
    ask: (search: string, order = '', from = 0, to = 100) =>
      bucket.query(compileSearch(search, scope), orderOf(order, scope), from, to),
    looks: (): number => {
      const since = looks;
      looks = 0;
      return since;
    },
  };
}

test('36.A4: a condition that was asked before is tested on what has changed only (OCM-INDEXES-1)', () => {
  const { ask, put, bucket, looks } = counted();
  const search = "href like '%7'";
  assert.is(ask(search).total, 200);
  assert.is(looks(), COUNT);
  assert.is(ask(search, '', 100, 200).objects.length, 100);
  assert.is(ask(`not (${search}) and nodes.compute = 3`).total, 200);
  assert.is(looks(), 0);
  put(7, 'other');
  put(COUNT + 7);
  bucket.delete('o0017');
  assert.is(ask(search).total, 200);
  assert.is(looks(), 2);
});

test('36.A4: conditions with an index choose what the others are tested on, whatever their place', () => {
  const { ask, looks } = counted();
  assert.is(ask("href ~= '7$' and region.id = 'r7' and nodes.compute >= 5").total, 100);
  assert.is(looks(), 100);
  assert.is(ask("href ~= '9$' and not (region.id != 'r9' or nodes.compute < 5)").total, 100);
  assert.ok(looks() <= 100);
});

test('36.A4: what objects are ordered by is computed once, and again for what changes', () => {
  const { ask, put, looks } = counted();
  assert.is(ask('', 'href desc').objects[0]?.id, 'o1999');
  assert.is(looks(), COUNT);
  assert.is(ask("region.id = 'r3'", 'href desc', 20, 40).objects[0]?.id, 'o1583');
  assert.is(ask('nodes.compute > 4', 'href desc', 900, 1_000).objects.length, 100);
  assert.is(looks(), 0);
  put(5);
  ask('', 'href desc');
  assert.is(looks(), 1);
});

test('36.A4: another model with other types of fields begins afresh (OCM-INDEXES-1)', () => {
  const { bucket, ask } = counted();
  assert.is(ask("href like '/things/%' and region.id = 'r1'", 'href').total, 100);
  const other: FieldScope = { ...SCOPE, hrefOf: ({ id }) => `/others/${id}` };
  const query = (search: string) => bucket.query(compileSearch(search, other), orderOf('href desc', other), 0, 1);
  assert.is(query("href like '/things/%'").total, 0);
  assert.is(query("href = '/others/o0001'").total, 1);
  assert.is(ask("href = '/others/o0001'").total, 0);
});

test('a key of a map that has a dot is no path through several (OCM-INDEXES-1)', () => {
  for (const count of [10, 200]) {
    const bucket = new Bucket();
    for (let n = 0; n < count; n++) {
      bucket.put(object(`o${n}`, { deeps: n % 2 === 0 ? { 'k.m': { b: 'x' } } : { k: { m: { b: 'y' } } } }));
    }
    const total = (search: string): number => bucket.query(compileSearch(search, SCOPE), orderOf('', SCOPE)).total;
    assert.is(total(`deeps."k.m".b = 'x'`), count / 2);
    assert.is(total(`deeps.k.m.b = 'y'`), count / 2);
    assert.is(total(`deeps."k.m".b > 'a'`), count / 2);
    assert.is(total(`deeps.k.m.b > 'a'`), count / 2);
  }
});

test('36.A4: indexes that are not used for long are forgotten (OCM-INDEXES-2)', () => {
  const { ask, looks } = counted();
  ask("href like '%7'", 'href');
  looks();
  for (let n = 0; n < 100; n++) ask(`id like '%${n}x'`);
  ask("href like '%7'", 'href');
  assert.is(looks(), COUNT);
});

test.run();
