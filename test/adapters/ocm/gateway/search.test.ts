// Searches and orders, chapter 3 of the contract: its examples, its three-valued logic, its limits.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoredObject } from '../../../../adapters/ocm/gateway/store/store.ts';
import { bucketOf, compiled, object, orderIn, reasonOf, selected } from './things.ts';

const test = suite('search');

/** One example of the contract: a search, what it finds, and what it does not. */
const EXAMPLES: readonly (readonly [search: string, hits: readonly StoredObject[], misses: readonly StoredObject[]])[] =
  [
    [
      "name like '%my%' or id like '%my%'",
      [object('a', { name: 'x-my-y' }), object('myid'), object('b', { name: 'my' })],
      [object('c', { name: 'MY' }), object('d')],
    ],
    [
      "(name like '%x%' or id like '%x%') and (managed = 't')",
      [object('x', { managed: true })],
      [object('x1', { managed: false }), object('x2'), object('y', { managed: true })],
    ],
    [
      "(display_name = 'k' or cluster_id = 'k' or external_cluster_id = 'k')",
      [object('a', { display_name: 'k' }), object('b', { cluster_id: 'k' }), object('c', { external_cluster_id: 'k' })],
      [object('k'), object('d', { display_name: 'kk' })],
    ],
    [
      "id = 'k' or name = 'k' or external_id = 'k'",
      [object('k'), object('a', { name: 'k' })],
      [object('b', { name: 'K' })],
    ],
    ["id in ('a','b')", [object('a'), object('b')], [object('c'), object('ab')]],
    [
      "name is 'mc-1' and region.id is 'us-east-1'",
      [object('a', { name: 'mc-1', region: { id: 'us-east-1' } })],
      [object('b', { name: 'mc-1' }), object('c', { name: 'mc-1', region: { id: 'us-east-2' } })],
    ],
    ["state is 'ready'", [object('a', { state: 'ready' })], [object('b', { state: 'installing' }), object('c')]],
    [
      "product.id = 'rosa' AND (properties.rosa_creator_arn LIKE 'arn:%:123:%' OR aws.sts.role_arn LIKE 'arn:%:123:%')",
      [
        object('a', { product: { id: 'rosa' }, properties: { rosa_creator_arn: 'arn:aws:iam::123:user/x' } }),
        object('b', { product: { id: 'rosa' }, aws: { sts: { role_arn: 'arn:aws:iam::123:role/x' } } }),
      ],
      [
        object('c', { product: { id: 'osd' }, properties: { rosa_creator_arn: 'arn:aws:iam::123:user/x' } }),
        object('d', { product: { id: 'rosa' }, properties: { other: 'arn:aws:iam::123:user/x' } }),
      ],
    ],
    [
      "enabled = 'true' AND rosa_enabled = 'true' AND channel_group = 'stable'",
      [object('a', { enabled: true, rosa_enabled: true, channel_group: 'stable' })],
      [object('b', { enabled: true, channel_group: 'stable' })],
    ],
    [
      "cloud_provider.id='aws' and creation_timestamp > '2023-03-01T00:00:00Z'",
      [object('a', { cloud_provider: { id: 'aws' }, creation_timestamp: '2023-03-01T00:00:00.5Z' })],
      [
        object('b', { cloud_provider: { id: 'aws' }, creation_timestamp: '2023-03-01T00:00:00Z' }),
        object('c', { cloud_provider: { id: 'aws' } }),
      ],
    ],
    [
      "user_defined = true AND cloud_provider = 'gcp' AND cluster.id = ''",
      [object('a', { user_defined: true, cloud_provider: { id: 'gcp' } })],
      [object('b', { user_defined: true, cloud_provider: { id: 'gcp' }, cluster: { id: 'c' } })],
    ],
    [
      "(plan.id = 'MOA' OR plan.id = 'MOA-HostedControlPlane') AND status = 'Deprovisioned'",
      [
        object('a', { plan: { id: 'MOA' }, status: 'Deprovisioned' }),
        object('b', { plan: { id: 'MOA-HostedControlPlane' }, status: 'Deprovisioned' }),
      ],
      [object('c', { plan: { id: 'MOA' }, status: 'Active' }), object('d', { status: 'Deprovisioned' })],
    ],
    [
      "quota_id LIKE 'add-on%'",
      [object('a', { quota_id: 'add-on-x' }), object('b', { quota_id: 'add-on' })],
      [object('c', { quota_id: 'x-add-on' })],
    ],
    ["quota_id~='gpu'", [object('a', { quota_id: 'cluster|gpu|x' })], [object('b', { quota_id: 'GPU' }), object('c')]],
    // Text of the same chapter.
    ["name='x'", [object('a', { name: 'x' })], [object('b', { name: 'y' })]],
    [
      "aws.sts.instance_iam_roles.master_role_arn = 'r'",
      [object('a', { aws: { sts: { instance_iam_roles: { master_role_arn: 'r' } } } })],
      [object('b')],
    ],
    [
      "aws.sts.operator_iam_roles.role_arn like '%/x-%'",
      [object('a', { aws: { sts: { operator_iam_roles: [{ role_arn: 'r/y-1' }, { role_arn: 'r/x-1' }] } } })],
      [
        object('b', { aws: { sts: { operator_iam_roles: [{ role_arn: 'r/y-1' }] } } }),
        object('c', { aws: { sts: { operator_iam_roles: [] } } }),
      ],
    ],
    [
      "aws.sts.role_arn = ''",
      [object('a'), object('b', { aws: { sts: { role_arn: '' } } })],
      [object('c', { aws: { sts: { role_arn: 'r' } } })],
    ],
    [
      'nodes.compute = nodes.total',
      [object('a', { nodes: { compute: 2, total: 2 } })],
      [object('b', { nodes: { compute: 2, total: 3 } }), object('c', { nodes: { compute: 2 } })],
    ],
    ['name = abc', [object('a', { name: 'abc' })], [object('b', { name: 'x' })]],
    ['id in ()', [], [object('a')]],
    ["name = 'it''s' or name = 'it\\'s'", [object('a', { name: "it's" })], [object('b', { name: 'its' })]],
    [
      '"name" = \'x\' and `nodes`.[compute] > 1',
      [object('a', { name: 'x', nodes: { compute: 2 } })],
      [object('b', { name: 'x', nodes: { compute: 1 } })],
    ],
    [
      'properties."a.b" = \'x\'',
      [object('a', { properties: { 'a.b': 'x' } })],
      [object('b', { properties: { a: 'x' } })],
    ],
    [
      'nodes.compute * 2 + 1 >= nodes.total - 4 % 3',
      [object('a', { nodes: { compute: 1, total: 4 } })],
      [object('b', { nodes: { compute: 1, total: 5 } })],
    ],
    ['(nodes.compute + 1) * 2 = 6', [object('a', { nodes: { compute: 2 } })], [object('b', { nodes: { compute: 3 } })]],
    [
      'nodes.compute / nodes.total > 0',
      [object('a', { nodes: { compute: 1, total: 2 } })],
      [object('b', { nodes: { compute: 1, total: 0 } })],
    ],
    ["name is not 'x' and name is not null", [object('a', { name: 'y' })], [object('b', { name: 'x' }), object('c')]],
    [
      "name like 'a\\%b_'",
      [object('a', { name: 'a%bc' }), object('e', { name: 'a%b😀' })],
      [object('b', { name: 'axbc' }), object('c', { name: 'a%b' })],
    ],
    [
      "name ilike 'ABC%'",
      [object('a', { name: 'abcd' }), object('b', { name: 'AbC' })],
      [object('c', { name: 'xabc' })],
    ],
    ["name not like 'a%'", [object('a', { name: 'b' })], [object('b', { name: 'ab' }), object('c')]],
    ["name ~! '^a+$'", [object('a', { name: 'ab' })], [object('b', { name: 'aa' }), object('c')]],
    [
      'nodes.compute not in (1, 2)',
      [object('a', { nodes: { compute: 3 } })],
      [object('b', { nodes: { compute: 1 } }), object('c')],
    ],
    [
      "nodes.compute between 2 and '4'",
      [object('a', { nodes: { compute: 2 } }), object('b', { nodes: { compute: 4 } })],
      [object('c', { nodes: { compute: 5 } })],
    ],
    [
      "creation_timestamp not between '2023-01-01' and '2023-12-31'",
      [object('a', { creation_timestamp: '2024-01-01T00:00:00Z' })],
      [object('b', { creation_timestamp: '2023-06-01T00:00:00Z' })],
    ],
    [
      "creation_timestamp = '2023-01-01T01:00:00+01:00'",
      [object('a', { creation_timestamp: '2023-01-01T00:00:00Z' })],
      [object('b')],
    ],
    ['load <= -1.5e2', [object('a', { load: -150 })], [object('b', { load: -149 })]],
    ["tags = 'x'", [object('a', { tags: ['y', 'x'] })], [object('b', { tags: ['y'] }), object('c')]],
    [
      'pools.big.compute > 1 and pools.big is not null',
      [object('a', { pools: { big: { compute: 2 } } })],
      [object('b', { pools: { small: { compute: 2 } } })],
    ],
    [
      "extra.a.b = 'x' or extra.a.b = 3",
      [object('a', { extra: { a: { b: 'x' } } }), object('b', { extra: { a: { b: 3 } } })],
      [object('c', { extra: 'x' })],
    ],
    ["kind = 'Thing' and href like '%/a'", [object('a')], [object('b')]],
    ["region.kind = 'RegionLink' and region.href = '/region/r'", [object('a', { region: { id: 'r' } })], [object('b')]],
    [
      "name < 'b' and name >= 'a'",
      [object('a', { name: 'a' }), object('b', { name: 'az' })],
      [object('c', { name: 'b' }), object('d', { name: 'B' })],
    ],
    ["name > '\uffff'", [object('a', { name: '😀' })], [object('b', { name: 'x' })]],
    ['   ', [object('a'), object('b')], []],
  ];

for (const [search, hits, misses] of EXAMPLES) {
  test(`3.1: ${search.trim() || 'a blank search'}`, () => {
    assert.equal(selected(search, [...hits, ...misses]), hits.map(({ id }) => id).sort());
  });
}

/** The truth of `search` and of `not (search)` for one object: `?` is neither. */
function truth(search: string, of: StoredObject): 'true' | 'false' | '?' {
  if (selected(search, [of]).length > 0) return 'true';
  return selected(`not (${search})`, [of]).length > 0 ? 'false' : '?';
}

test('3.1: what is absent is unknown, but that an absent text equals an empty one, and an absent boolean false', () => {
  const nothing = object('x');
  for (const [search, expected] of [
    ['name is null', 'true'],
    ['name is not null', 'false'],
    ["name = 'a'", '?'],
    ["name != 'a'", '?'],
    ["name < 'a'", '?'],
    ["name = ''", 'true'],
    ["name != ''", 'false'],
    ["name in ('a')", '?'],
    ["name not in ('a')", '?'],
    ["name in ('')", 'true'],
    ["name not in ('')", 'false'],
    ["name like '%'", '?'],
    ["name not like 'a'", '?'],
    ["name ~= '.*'", '?'],
    ["name between 'a' and 'b'", '?'],
    ['managed = false', 'true'],
    ['managed = true', 'false'],
    ['managed != true', 'true'],
    ['managed is null', 'true'],
    ['nodes.compute = 0', '?'],
    ['nodes.compute != 0', '?'],
    ['nodes.compute not in ()', '?'],
    ['nodes.compute not between 1 and 2', '?'],
    ['nodes is null', 'true'],
    ["creation_timestamp < '2030-01-01'", '?'],
    ["region = 'x'", '?'],
    ["region = ''", 'true'],
    ['region is null', 'true'],
    ["tags = 'x'", '?'],
    ['nodes.compute = nodes.total', '?'],
    ['nodes.compute + 1 = 1', '?'],
    ['nodes.compute + 1 is null', 'true'],
    ["extra = 'x'", '?'],
  ] as const) {
    assert.is(truth(search, nothing), expected, search);
  }
});

test('3.1: and, or and not of three values', () => {
  const of = object('x', { name: 'a' });
  const values = { true: "name = 'a'", false: "name = 'b'", '?': "status = 'a'" } as const;
  const and: Record<string, string> = {
    'true true': 'true',
    'true false': 'false',
    'true ?': '?',
    'false false': 'false',
    'false ?': 'false',
    '? ?': '?',
  };
  const or: Record<string, string> = {
    'true true': 'true',
    'true false': 'true',
    'true ?': 'true',
    'false false': 'false',
    'false ?': '?',
    '? ?': '?',
  };
  for (const [pair, expected] of Object.entries(and)) {
    const [a, b] = pair.split(' ').map((each) => values[each as keyof typeof values]);
    for (const search of [`${a} and ${b}`, `${b} and ${a}`]) assert.is(truth(search, of), expected, search);
  }
  for (const [pair, expected] of Object.entries(or)) {
    const [a, b] = pair.split(' ').map((each) => values[each as keyof typeof values]);
    for (const search of [`${a} or ${b}`, `${b} or ${a}`]) assert.is(truth(search, of), expected, search);
  }
  assert.is(truth(`not ${values['?']}`, of), '?');
  assert.is(truth(`not not ${values.true}`, of), 'true');
});

test('3.1: and binds tighter than or, not tightest, keywords in any case', () => {
  const all = [object('a', { name: 'a' }), object('b', { name: 'b', managed: true }), object('c', { managed: true })];
  assert.equal(selected("name = 'a' OR name = 'b' And managed = TRUE", all), ['a', 'b']);
  assert.equal(selected("NOT name = 'a' and managed = true", all), ['b']);
});

test('3.1: booleans are compared with true, false and their quoted forms', () => {
  const all = [object('t', { managed: true }), object('f', { managed: false })];
  for (const value of ['true', 'TRUE', "'t'", "'true'", 't'])
    assert.equal(selected(`managed = ${value}`, all), ['t'], value);
  for (const value of ['false', "'f'", "'false'", 'f']) assert.equal(selected(`managed = ${value}`, all), ['f'], value);
});

test('3.1: what cannot be parsed is refused with its place and the text', () => {
  for (const [search, at] of [
    ["name = 'x' and", 15],
    ["name = 'x", 8],
    ['name == 1', 7],
    ['name', 5],
    ['(name = 1', 10],
    ['name = 1)', 9],
    ["'a' = name", 1],
    ['name in 1', 9],
    ['name in (1', 11],
    ['name is x', 9],
    ['name between 1 or 2', 16],
    ['name like x', 11],
    ['name. = 1', 7],
    ['name = 1 ; drop', 10],
    ['"" = 1', 1],
    ['[a = 1', 1],
    ['not', 4],
    ['and', 1],
  ] as const) {
    const reason = reasonOf(() => compiled(search));
    assert.ok(reason.startsWith(`Failed to parse search query '${search}': at position ${at} `), reason);
  }
});

test('3.1: what has no sense for the type of a field is refused', () => {
  for (const [search, reason] of [
    ['nope = 1', "'nope' is not a valid field name"],
    ["Name = 'x'", "'Name' is not a valid field name"],
    ["region.name = 'x'", "'region.name' is not a valid field name"],
    ["constructor = 'x'", "'constructor' is not a valid field name"],
    ["nodes.compute = 'x'", /is not a number/],
    ['nodes.compute = true', /is not a number/],
    ["managed = 'yes'", /is not a boolean/],
    ["managed = 'constructor'", /is not a boolean/],
    ['managed = 1', /is not a boolean/],
    ['managed < true', /no order/],
    ["creation_timestamp > 'now'", /is not a date/],
    ['creation_timestamp > 5', /is not a date/],
    ["nodes = 'x'", /null only/],
    ["nodes.compute like '1'", /is for texts/],
    ["managed ~= 'x'", /is for texts/],
    ["name ~= '('", /not a regular expression/],
    ["name ~= '(?=x)'", /not a regular expression/],
    ['name + 1 = 2', /is not a number/],
    ['aws.sts.operator_iam_roles.weight + 1 = 2', /several values/],
    ['name = nodes.compute', /cannot be compared/],
    ["name in ('a', 1) or nodes.compute in (1, 'x')", /is not a number/],
  ] as const) {
    const given = reasonOf(() => compiled(search));
    if (typeof reason === 'string') assert.is(given, reason);
    else assert.match(given, reason);
  }
});

test('3.1: searches have limits (OCM-PARSER-1)', () => {
  const nested = (depth: number): string => `${'('.repeat(depth)}name = 'x'${')'.repeat(depth)}`;
  assert.equal(selected(nested(50), [object('a', { name: 'x' })]), ['a']);
  assert.match(
    reasonOf(() => compiled(nested(51))),
    /nested more than 50 deep/,
  );
  assert.match(
    reasonOf(() => compiled(`${'not '.repeat(51)}name = 'x'`)),
    /nested more than 50 deep/,
  );
  assert.match(
    reasonOf(() => compiled(`id in (${'1,'.repeat(600)}1)`)),
    /more than 1000 words/,
  );
  assert.match(
    reasonOf(() => compiled(`nodes.compute${' + 1'.repeat(60)} = 1`)),
    /more than 50 operators/,
  );
  assert.match(
    reasonOf(() => compiled(`name ~= '${'a'.repeat(600)}'`)),
    /at most 512 characters/,
  );
  assert.match(
    reasonOf(() => compiled(`name like '${'%a'.repeat(300)}'`)),
    /at most 512 characters/,
  );
});

test('3.1: a search that would take long is refused', () => {
  const objects = Array.from({ length: 200 }, (_, n) => object(`o${n}`, { name: 'a'.repeat(1_000) }));
  const bucket = bucketOf(objects);
  assert.match(
    reasonOf(() => bucket.query(compiled(`name ~= '${'(a|aa)+'.repeat(40)}b'`))),
    /takes too long/,
  );
  assert.is(bucket.query(compiled("name ~= '^a+$'")).total, 200);
});

test('3.1: what a test of lists and patterns costs is spent (OCM-LIKE-1)', () => {
  const pairs = bucketOf([object('a', { tags: Array(5_000).fill('a') })]);
  assert.match(
    reasonOf(() => pairs.query(compiled('tags < tags'))),
    /takes too long/,
  );
  assert.is(pairs.query(compiled('tags = tags')).total, 1);
  const many = bucketOf([object('a', { tags: Array(100_000).fill('a') })]);
  const leaves = Array.from({ length: 240 }, (_, n) => `tags = 'b${n}'`).join(' or ');
  assert.match(
    reasonOf(() => many.query(compiled(leaves))),
    /takes too long/,
  );
  const long = bucketOf([object('a', { name: 'a'.repeat(80_000) })]);
  const pattern = (end: string): string => `name like '%${'a'.repeat(240)}_${end}%'`;
  assert.match(
    reasonOf(() => long.query(compiled(`${pattern('b')} or ${pattern('c')}`))),
    /takes too long/,
  );
  // Compared are few characters at each place.
  const names = bucketOf(
    Array.from({ length: 20_000 }, (_, n) => object(`o${n}`, { name: `${'x'.repeat(100)} foo bar` })),
  );
  assert.is(names.query(compiled("name like '%foo_bar%'")).total, 20_000);
});

test('3.2: what is absent comes last, or first when it is descending', () => {
  const all = [object('a', { name: 'x' }), object('b'), object('c', { name: 'y' })];
  assert.equal(selected('', all, 'name'), ['a', 'c', 'b']);
  assert.equal(selected('', all, 'name desc'), ['b', 'c', 'a']);
  assert.equal(selected('', all, 'region desc,  name DESC '), ['b', 'c', 'a']);
});

test('3.2: an order that has no sense is refused', () => {
  for (const text of [
    'nope',
    'name up',
    'name asc x',
    ',',
    'name,,id',
    'tags',
    'nodes',
    'aws.sts.operator_iam_roles.name',
  ]) {
    assert.ok(reasonOf(() => orderIn(text)).length > 0, text);
  }
});

test.run();
