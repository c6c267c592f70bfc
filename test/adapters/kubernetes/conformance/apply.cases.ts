// Server-side apply: who owns what, who may change it, and what goes when nobody wants it any more.
import {
  APPLY,
  type Case,
  CONFIG_MAPS,
  CORE,
  configMap,
  del,
  get,
  JSON_PATCH,
  MERGE,
  patch,
  post,
  put,
  type Request,
  SECRETS,
} from './case.ts';
import { GADGETS, gadget, OTHER_GADGETS, unordered } from './gadgets.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Applied {
  readonly metadata?: Fields;
  readonly status?: unknown;
  readonly query?: string;
  readonly subresource?: string;
  readonly version?: 'v1' | 'v2';
  readonly name?: string;
  readonly save?: Readonly<Record<string, string>>;
}

/** An apply of a gadget. */
function apply(manager: string, spec: unknown, applied: Applied = {}): Request {
  const { metadata = {}, status, query = '', subresource = '', version = 'v1', name = 'g', save } = applied;
  const base = version === 'v1' ? GADGETS : OTHER_GADGETS;
  const body = {
    ...gadget(name, undefined, metadata),
    apiVersion: `{group}/${version}`,
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
  const options = save === undefined ? {} : { save };
  return patch(`${base}/${name}${subresource}?fieldManager=${manager}${query}`, APPLY, body, options);
}

const rawApply = (raw: string, query = ''): Request => ({
  method: 'PATCH',
  path: `${GADGETS}/g?fieldManager=me${query}`,
  raw,
  type: APPLY,
});

const merged = (body: unknown, manager = 'editor', subresource = ''): Request =>
  patch(`${GADGETS}/g${subresource}?fieldManager=${manager}`, MERGE, body);

const operations = (...list: readonly Fields[]): Request => patch(`${GADGETS}/g`, JSON_PATCH, list);

const created = (spec: Fields, metadata: Fields = {}, manager = 'maker'): Request =>
  post(`${GADGETS}?fieldManager=${manager}`, gadget('g', spec, metadata));

const at = (path: string, manager: string, body: unknown): Request =>
  patch(`${path}?fieldManager=${manager}`, APPLY, body);

const CURRENT = get(`${GADGETS}/g`);
const FORCE = { query: '&force=true' } as const;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const lastApplied = (text: string): Fields => ({ annotations: { [LAST_APPLIED]: text } });
const clientSide = `${JSON.stringify(gadget('g', { size: 3, color: 'red' }))}\n`;

const entry = (more: Fields = {}): Fields => ({
  manager: 'x',
  operation: 'Apply',
  apiVersion: '{group}/v1',
  time: '2020-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:size': {} } },
  ...more,
});

const kase = (name: string, ...steps: readonly Request[]): Case => ({
  name: `apply: ${name}`,
  steps: unordered(steps),
});

const configMaps = (manager: string, data: unknown, more: Fields = {}, metadata: Fields = {}): Request =>
  at(`${CONFIG_MAPS}/c`, manager, configMap('c', { data, ...more }, metadata));

const ofKind = (path: string, apiVersion: string, kind: string) => (manager: string, more: Fields) =>
  at(`${path}/o`, manager, { apiVersion, kind, metadata: { name: 'o' }, ...more });
const accounts = ofKind(`${CORE}/serviceaccounts`, 'v1', 'ServiceAccount');
const secrets = ofKind(SECRETS, 'v1', 'Secret');
const events = ofKind(`${CORE}/events`, 'v1', 'Event');
const leases = ofKind('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', 'coordination.k8s.io/v1', 'Lease');
const namespace = (manager: string, body: Fields, subresource = ''): Request =>
  at(`/api/v1/namespaces/{ns}${subresource}`, manager, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: '{ns}' },
    ...body,
  });

/** One value of a wrong type at a time: with more, the order of complaints is the one of a hash map. */
const UNFIT: readonly Fields[] = [
  ...['x', 1.5, true, {}, []].map((size) => ({ size })),
  ...[3, true, 1.5, ['a'], { a: 1 }].map((color) => ({ color })),
  ...['x', 1, []].map((flag) => ({ flag })),
  ...['x', { a: 1 }, [1], [{ a: 1 }]].map((steps) => ({ steps })),
  ...[[1], [['a']], [{ a: 1 }], [null], ['a', 'a']].map((tags) => ({ tags })),
  ...[['x'], [1, 1]].map((numbers) => ({ numbers })),
  ...[
    ['x'],
    [['x']],
    [null],
    [{}],
    [{ port: 1 }],
    [{ name: 1 }],
    [{ name: 'a', foo: 1 }],
    {},
    [{ name: 'a' }, { name: 'a' }],
  ].map((ports) => ({ ports })),
  { rules: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
  ...['x', [], { a: 1 }, { z: 1 }].map((parts) => ({ parts })),
  ...['x', { z: 1 }].map((whole) => ({ whole })),
  ...['x', ['a'], { a: 1 }, { a: {} }].map((options) => ({ options })),
  ...[{ a: 'x' }, { a: { z: 1 } }].map((nested) => ({ nested })),
  ...['x', []].map((open) => ({ open })),
  { embedded: 'x' },
  { foo: 1 },
];

export const APPLIES: readonly Case[] = [
  kase(
    'a configuration with everything',
    apply(
      'me',
      {
        size: 3,
        steps: ['a'],
        records: [{ a: '1' }],
        tags: ['x', 'y'],
        numbers: [3, 1, 10],
        ports: [{ name: 'p', port: 1, sub: { x: '1' } }],
        rules: [{ port: 80 }, { port: 80, protocol: 'UDP', on: false, note: 'n' }],
        parts: { a: '1', deep: { c: 'x' } },
        whole: { a: '1' },
        options: { o: '1' },
        nested: { n: { a: '1' } },
        either: 3,
        open: { a: [1, { b: 2 }], m: { x: { y: 1 } } },
        maybe: null,
        embedded: { apiVersion: 'v1', kind: 'X', metadata: { name: 'n', labels: { a: 'b' } }, data: { x: 1 } },
      },
      {
        metadata: {
          labels: { l: '1' },
          annotations: { a: '1' },
          finalizers: ['x.y/z'],
          ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }],
        },
      },
    ),
  ),
  kase('the same twice', apply('me', { size: 3 }), apply('me', { size: 3 }), CURRENT),
  kase('nothing', apply('me', {}), apply('me', undefined), apply('me', null)),
  kase(
    'what holds nothing',
    apply('me', { steps: [], tags: [], ports: [], parts: {}, whole: {}, options: {}, nested: { n: {} }, open: {} }),
    apply('me', { size: 3 }),
  ),
  kase('null', apply('me', { size: null }), apply('me', { options: { a: null } }), apply('me', { open: { n: null } })),
  kase('null where something was', apply('me', { parts: { a: '1' } }), apply('me', { parts: null })),
  kase(
    'a conflict',
    created({ size: 3 }),
    apply('me', { size: 4 }),
    apply('me', { size: 3 }),
    apply('me', { size: 4 }),
  ),
  kase(
    'many conflicts',
    created(
      { size: 3, ports: [{ name: 'p', port: 1 }], options: { 'a.b/c': '1' }, whole: { a: '1' }, steps: ['a'] },
      { labels: { 'x.y/z': '1' } },
    ),
    apply(
      'me',
      { size: 4, ports: [{ name: 'p', port: 2 }], options: { 'a.b/c': '2' }, whole: { a: '2' }, steps: ['b'] },
      { metadata: { labels: { 'x.y/z': '2' } } },
    ),
  ),
  kase(
    'conflicts with several managers',
    apply('one', { size: 3 }),
    apply('two', { color: 'green' }),
    apply('three', { size: 3, flag: true }),
    apply('me', { size: 4, color: 'red', flag: false }),
    merged({ spec: { ratio: 1.5 } }),
    apply('me', { size: 4, ratio: 2 }),
    apply('me', { size: 4, color: 'red', ratio: 2 }, FORCE),
  ),
  kase(
    'a plain write under the name of an applier',
    apply('me', { size: 3 }),
    merged({ spec: { size: 4 } }, 'me'),
    apply('me', { size: 5 }),
    apply('me', { size: 5 }, { query: '&force=1' }),
  ),
  kase(
    'characters that need escaping',
    apply('a"b', {
      ports: [{ name: 'x"y', port: 1 }],
      options: { 'a"b': '1', '': 'x' },
      rules: [{ port: 8, note: 'a' }],
    }),
    apply('me', {
      ports: [{ name: 'x"y', port: 2 }],
      options: { 'a"b': '2', '': 'y' },
      rules: [{ port: 8, note: 'b' }],
    }),
  ),
  kase(
    'items of sets',
    apply('one', { tags: ['a', 'b'], numbers: [1] }),
    apply('two', { tags: ['b', 'c'], numbers: [2, 1] }),
    apply('one', { tags: ['a'] }),
    apply('two', {}),
  ),
  kase(
    'shared fields',
    apply('one', { size: 3, color: 'green' }),
    apply('two', { size: 3 }),
    apply('one', { color: 'green' }),
    apply('two', {}),
    CURRENT,
  ),
  kase(
    'what is applied no more',
    apply(
      'me',
      {
        size: 3,
        parts: { a: '1', b: '2', deep: { c: 'x' } },
        options: { a: '1', b: '2' },
        ports: [{ name: 'p', port: 1 }, { name: 'q' }],
        tags: ['a', 'b'],
        whole: { a: '1' },
        steps: ['x'],
        open: { a: { b: 1 } },
        nested: { n: { a: '1' } },
      },
      { metadata: { labels: { a: '1', b: '2' }, finalizers: ['x.y/1', 'x.y/2'] } },
    ),
    apply(
      'me',
      { size: 3, parts: { a: '1' }, options: { b: '2' }, ports: [{ name: 'q', port: 3 }], tags: ['b'] },
      { metadata: { labels: { b: '2' }, finalizers: ['x.y/2'] } },
    ),
    apply('me', undefined),
  ),
  kase('what is applied no more, and nothing else', apply('me', { color: 'green' }), apply('me', {})),
  kase(
    'what is applied no more, and others hold',
    apply('me', { parts: { a: '1' }, options: { a: '1' }, nested: { n: { a: '1' } }, ports: [{ name: 'p', port: 1 }] }),
    merged({ spec: { parts: { b: '1' }, options: { b: '2' }, nested: { m: { a: '1' } } } }),
    apply('me', { ports: [{ name: 'p', port: 1 }] }),
    merged({ spec: { ports: [{ name: 'p', port: 1, sub: { x: 'x' } }] } }),
    apply('me', {}),
  ),
  kase(
    'plain writes take over',
    apply('me', { size: 3, ports: [{ name: 'p', port: 1 }], tags: ['a'] }),
    merged({ spec: { size: 4, ports: [{ name: 'p', port: 2 }], tags: ['a', 'b'] } }),
    merged({ spec: { ports: null } }),
    merged({ spec: { tags: ['b'] } }),
    merged({ spec: { size: null } }),
  ),
  kase(
    'the order of a list of type map',
    apply('one', { ports: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }),
    apply('two', { ports: [{ name: 'x' }, { name: 'b' }, { name: 'y' }] }),
    apply('three', { ports: [{ name: 'c' }, { name: 'a' }, { name: 'z' }] }),
    apply('four', { ports: [{ name: 'z' }, { name: 'y' }, { name: 'x' }, { name: 'q' }] }),
    merged({ spec: { ports: [{ name: 'z' }, { name: 'c' }] } }),
  ),
  kase(
    'the order of a set',
    apply('one', { tags: ['a', 'b', 'c', 'd'] }),
    apply('two', { tags: ['d', 'x', 'b'] }),
    apply('three', { tags: ['n', 'a', 'm'] }),
    apply('one', { tags: ['d', 'a'] }),
  ),
  kase(
    'lists and maps that are one value',
    apply('one', { steps: ['a'], whole: { a: '1' } }),
    apply('two', { steps: ['a'] }),
    apply('two', { steps: ['b'] }),
    apply('two', { whole: { b: '1' } }),
    apply('two', { steps: ['b'], whole: { b: '1' } }, FORCE),
    apply('one', {}),
  ),
  kase(
    'fields without a schema',
    apply('one', { open: { a: { b: 1 }, l: [1, 2] } }),
    apply('two', { open: { a: { c: 2 } } }),
    apply('two', { open: { l: [3] } }),
    apply('one', { open: { a: 3 } }),
    apply('one', { open: { a: 3 } }, FORCE),
    apply('two', { open: { l: 'x' } }, FORCE),
  ),
  kase(
    'an embedded object',
    apply('one', {
      embedded: { apiVersion: 'v1', kind: 'X', metadata: { name: 'n', finalizers: ['a'] }, spec: { a: [1] } },
    }),
    apply('two', { embedded: { apiVersion: 'v1', kind: 'X', metadata: { name: 'n', labels: { b: 'c' } } } }),
  ),
  kase(
    'a number or a text',
    apply('one', { either: 3 }),
    apply('two', { either: '30%' }),
    apply('one', { either: '3' }),
  ),
  kase(
    'keys with defaults',
    apply('one', {
      rules: [
        { port: 80, note: 'a' },
        { port: 80, protocol: 'UDP', note: 'b' },
      ],
    }),
    apply('two', { rules: [{ port: 80, protocol: 'TCP', on: true, note: 'a' }, { port: 81 }] }),
    apply('one', { rules: [{ port: 80, note: 'c' }] }),
    apply('one', { rules: [{ note: 'c' }] }),
  ),
  kase('what does not fit the schema', ...UNFIT.map((spec) => apply('me', spec))),
  kase(
    'what is no configuration',
    ...['[]', 'x', '"x"', 'null', '', '3'].map((raw) => rawApply(raw)),
    ...[
      { apiVersion: '{group}/v1', kind: 'Gadget' },
      { kind: 'Gadget', metadata: { name: 'g' } },
      { apiVersion: '{group}/v1', metadata: { name: 'g' } },
      { apiVersion: 'v1', kind: 'Gadget', metadata: { name: 'g' } },
      { apiVersion: '{group}/v1', kind: 'Thing', metadata: { name: 'g' } },
      { apiVersion: '{group}/v2', kind: 'Gadget', metadata: { name: 'g' } },
      { apiVersion: 3, kind: 'Gadget', metadata: { name: 'g' } },
      { apiVersion: 'a/b/c', kind: 'Gadget', metadata: { name: 'g' } },
      gadget('g', {}, {}, { foo: 1 }),
      gadget('g', {}, {}, { metadata: 'x' }),
      gadget('g', {}, {}, { metadata: [] }),
      gadget('g', {}, {}, { spec: 'x' }),
      gadget('g', {}, {}, { spec: [] }),
      gadget('other'),
      gadget('g', {}, {}, { metadata: { generateName: 'g' } }),
      gadget('g', {}, { namespace: 'other' }),
      gadget('g', {}, { labels: { a: 1 } }),
      gadget('g', {}, { labels: 'x' }),
      gadget('g', {}, { foo: 1 }),
      gadget('g', {}, { finalizers: [1] }),
      gadget('g', {}, { finalizers: ['a', 'a'] }),
      gadget('g', {}, { labels: { 'a b': 'c' } }),
      gadget('g', { size: 30 }),
      gadget('g', { color: 'blue' }),
    ].map((body) => patch(`${GADGETS}/g?fieldManager=me`, APPLY, body)),
  ),
  kase(
    'parameters',
    patch(`${GADGETS}/g`, APPLY, gadget('g', {})),
    patch(`${GADGETS}/g?fieldManager=`, APPLY, gadget('g', {})),
    apply('x'.repeat(129), {}),
    apply('x'.repeat(128), {}),
    apply('a%0Ab', {}),
    apply('me', {}, { query: '&dryRun=Some' }),
    apply('me', {}, { query: '&fieldValidation=x' }),
    patch(`/apis/{group}/v1/namespaces/nowhere-{run}/gadgets/g?fieldManager=me`, APPLY, gadget('g', {})),
  ),
  kase(
    'owners in the configuration',
    ...[[], [{}], null, [entry()], 'x', {}].map((managedFields) => apply('me', {}, { metadata: { managedFields } })),
  ),
  kase(
    'a uid',
    apply('me', {}, { metadata: { uid: 'abc' } }),
    apply('me', {}, { save: { uid: 'metadata.uid' } }),
    apply('me', { size: 3 }, { metadata: { uid: '{uid}' } }),
    apply('me', { size: 4 }, { metadata: { uid: 'abc' } }),
    apply('me', { size: 4 }, { metadata: { uid: '' } }),
  ),
  kase(
    'a resourceVersion',
    apply('me', {}, { metadata: { resourceVersion: '1' } }),
    apply('me', {}, { save: { rv: 'metadata.resourceVersion' } }),
    apply('me', { size: 3 }, { metadata: { resourceVersion: '{rv}' } }),
    apply('me', { size: 4 }, { metadata: { resourceVersion: '{rv}' } }),
    apply('me', { size: 4 }, { metadata: { resourceVersion: '1' } }),
    apply('me', { size: 4 }, { metadata: { resourceVersion: '' } }),
    apply('me', { size: 4 }, { metadata: { resourceVersion: 'x' } }),
    apply('me', { size: 4 }, { metadata: { resourceVersion: '0' } }),
  ),
  kase(
    'fields of the server',
    apply(
      'me',
      { size: 3 },
      { metadata: { creationTimestamp: null, generation: 7, selfLink: 'x', generateName: 'x-' } },
    ),
    apply('me', { size: 3 }, { metadata: { creationTimestamp: '2001-01-01T00:00:00Z', generation: 7 } }),
    apply('me', { size: 3 }, { metadata: { namespace: 'default' } }),
    apply('me', { size: 3 }, { metadata: { namespace: '{ns}' } }),
  ),
  kase(
    'status',
    apply('me', { size: 3 }, { status: { id: 'x' } }),
    apply('ctl', undefined, {
      status: { conditions: [{ type: 'A', status: 'True' }], seen: 1 },
      subresource: '/status',
    }),
    apply('ctl', undefined, {
      status: { conditions: [{ type: 'A', status: 'True' }], seen: 1 },
      subresource: '/status',
    }),
    apply('more', undefined, { status: { conditions: [{ type: 'B', status: 'True' }] }, subresource: '/status' }),
    apply('ctl', undefined, { status: { seen: 2 }, subresource: '/status' }),
    apply('you', undefined, { status: { seen: 3 }, subresource: '/status' }),
    apply('you', undefined, { status: { seen: 3 }, subresource: '/status', ...FORCE }),
    apply('ctl', undefined, { subresource: '/status' }),
    apply('ctl', { size: 4 }, { subresource: '/status', metadata: { labels: { a: 'b' } }, status: { id: 'x' } }),
    merged({ status: null }, 'ed', '/status'),
    apply('me', undefined, { status: { foo: 'x' }, subresource: '/status' }),
    apply('me', undefined, { status: 'x', subresource: '/status' }),
    apply('me', { size: 30, foo: 1 }, { subresource: '/status' }),
    apply('me', undefined, { status: { id: 'x' }, subresource: '/status', name: 'none' }),
  ),
  kase(
    'from client-side apply',
    created({ size: 3, color: 'red' }, lastApplied(clientSide), 'kubectl-client-side-apply'),
    apply('other', { size: 5 }),
    apply('kubectl', { size: 5 }),
    apply('kubectl', { size: 5, color: 'green' }),
    apply('kubectl', { size: 5, flag: true }),
  ),
  kase(
    'from client-side apply, after others',
    created({ size: 3, color: 'red' }, lastApplied(clientSide), 'kubectl-client-side-apply'),
    merged({ spec: { size: 4 } }),
    apply('kubectl', { size: 5 }),
    apply('kubectl', { color: 'green' }),
    apply('kubectl', { size: 5, color: 'green' }),
  ),
  kase(
    'from client-side apply, with an annotation that proves nothing',
    ...['x', '', '{}', '{"apiVersion":"v1"}', JSON.stringify(gadget('g', { foo: 1 }))].flatMap((text, index) => [
      post(GADGETS, gadget(`g${index}`, { size: 3 }, lastApplied(text))),
      apply('kubectl', { size: 4 }, { name: `g${index}` }),
      apply('kubectl', { flag: true }, { name: `g${index}` }),
    ]),
  ),
  kase(
    'the annotation of client-side apply',
    apply('kubectl', { size: 3 }, { metadata: { annotations: { [LAST_APPLIED]: 'x', b: 'c' } } }),
    apply('kubectl', { size: 3 }, { metadata: { annotations: { [LAST_APPLIED]: '', b: 'c' } } }),
  ),
  kase(
    'before the first apply',
    created({ size: 3, color: 'green' }, { labels: { a: 'b' } }),
    merged({ metadata: { managedFields: [{}] } }),
    merged({ spec: { size: 4 } }),
    apply('me', { size: 5 }),
    apply('me', { size: 5 }, FORCE),
    merged({ spec: { size: 6 } }),
  ),
  kase(
    'before the first apply, of status',
    created({ size: 3 }),
    merged({ status: { id: 'z' } }, 's', '/status'),
    merged({ metadata: { managedFields: [{}] } }),
    apply('me', undefined, { status: { id: 'y' }, subresource: '/status' }),
    apply('me', undefined, { status: { id: 'y' }, subresource: '/status', ...FORCE }),
  ),
  kase(
    'owners that are reset',
    apply('me', { size: 3 }),
    operations({ op: 'remove', path: '/metadata/managedFields' }),
    merged({ metadata: { managedFields: [{}] } }, 'ed', '/status'),
    operations({ op: 'replace', path: '/metadata/managedFields', value: [{}] }),
    apply('me', { size: 3 }),
    operations({ op: 'replace', path: '/metadata/managedFields', value: [] }),
    operations({ op: 'replace', path: '/metadata/managedFields', value: null }),
    merged({ metadata: { managedFields: [{}] }, spec: { size: 4 } }),
    merged({ spec: { size: 5 } }),
  ),
  kase(
    'owners that a client sets',
    apply('me', { size: 3, color: 'green' }),
    ...[
      [entry()],
      [entry({ operation: 'Foo' })],
      [entry({ operation: '' })],
      [entry({ apiVersion: '' })],
      [entry({ fieldsType: 'X' })],
      [entry({ fieldsType: '' })],
      [entry({ fieldsV1: { 'x:y': {} } })],
      [entry({ fieldsV1: {} })],
      [entry({ fieldsV1: null })],
      [entry({ manager: '' })],
      [entry({ manager: 'x'.repeat(129) })],
      [entry({ manager: 'a\nb' })],
      [entry({ time: null })],
      [entry({ subresource: 'foo' })],
      [entry({ subresource: 'x'.repeat(257) })],
      [entry({ apiVersion: '{group}/v2' })],
      [entry({ apiVersion: '{group}/v9' })],
      [entry(), entry({ manager: 'y', operation: 'Update' })],
      [entry(), entry({ fieldsV1: { 'f:spec': { 'f:color': {} } } })],
    ].map((managedFields) => merged({ metadata: { managedFields } })),
    merged({ spec: { size: 5 } }),
    post(GADGETS, gadget('h', { size: 3 }, { managedFields: [entry()] })),
    post(GADGETS, gadget('i', { size: 3 }, { managedFields: [entry({ fieldsV1: { 'f:spec': { 'f:flag': {} } } })] })),
    post(GADGETS, gadget('j', { size: 3 }, { managedFields: [{ manager: 'x', operation: 'Foo' }] })),
    post(GADGETS, gadget('k', { size: 3 }, { managedFields: [{}] })),
  ),
  kase(
    'too many managers',
    apply('me', { size: 1 }),
    ...Array.from({ length: 13 }, (_, index) =>
      merged({ metadata: { labels: { [`l${index}`]: 'x' } } }, `m${String(index).padStart(2, '0')}`),
    ),
  ),
  kase(
    'several versions',
    apply('one', { size: 3, parts: { a: '1' } }),
    apply('two', { size: 4 }, { version: 'v2' }),
    apply('two', { size: 3, flag: true }, { version: 'v2' }),
    apply('one', { size: 3 }, { version: 'v2' }),
    apply('one', { parts: { b: '2' } }),
    merged({ spec: { color: 'green' } }),
    patch(`${OTHER_GADGETS}/g?fieldManager=editor`, MERGE, { spec: { ratio: 2 } }),
    patch(`${OTHER_GADGETS}/g?fieldManager=editor`, MERGE, { spec: { flag: null } }),
    apply('me', { color: 'red', ratio: 3 }),
  ),
  kase(
    'an object that is being deleted',
    apply('me', { size: 3 }, { metadata: { finalizers: ['x.y/z'] } }),
    del(`${GADGETS}/g`),
    apply('me', { size: 4 }, { metadata: { finalizers: ['x.y/z'] } }),
    apply('me', { size: 4 }, { metadata: { finalizers: ['x.y/z', 'x.y/new'] } }),
    apply('me', { size: 4 }),
    CURRENT,
  ),
  kase(
    'names of managers that nobody gave',
    post(GADGETS, gadget('g', { size: 3, options: { a: '1' } }), { headers: { 'user-agent': 'curl/8 (x)' } }),
    patch(`${GADGETS}/g`, MERGE, { spec: { size: 5 } }, { headers: { 'user-agent': 'noslash' } }),
    patch(`${GADGETS}/g`, MERGE, { spec: { size: 6 } }, { headers: { 'user-agent': `${'y'.repeat(200)}/1` } }),
    merged({ spec: { options: { a: '2', b: '3' } } }, 'x'),
    merged({ spec: { options: { a: null } } }, 'y'),
    merged({ spec: { options: null } }, 'y'),
    merged({ spec: { size: 6 } }, 'z'),
  ),
  kase(
    'plain writes of what holds nothing',
    created({ parts: {}, steps: [], options: {}, tags: [], nested: { a: {} } }, { labels: {}, finalizers: [] }),
    merged({ spec: { parts: { a: '1' }, steps: ['a'], options: { a: 'b' }, tags: ['x'] } }, 'two'),
    merged({ spec: { parts: { a: null }, steps: [], options: { a: null }, tags: [] } }, 'three'),
  ),
  kase(
    'plain writes of values of another type',
    created({ open: { a: 1 }, either: 1 }),
    merged({ spec: { open: { a: { b: 1 } } } }, 'two'),
    merged({ spec: { open: { a: [1] } } }, 'three'),
    merged({ spec: { open: { a: { c: { d: 1 } } } } }, 'four'),
    merged({ spec: { open: { a: 'x' }, either: 'x' } }, 'five'),
    merged({ spec: { open: { a: null } } }, 'six'),
  ),
  kase(
    'a replacement',
    apply(
      'me',
      { size: 3, parts: { a: '1' } },
      { metadata: { labels: { a: 'b' } }, save: { rv: 'metadata.resourceVersion' } },
    ),
    put(`${GADGETS}/g?fieldManager=put`, gadget('g', { size: 4 }, { resourceVersion: '{rv}' })),
  ),
  kase(
    'strict reading',
    rawApply('apiVersion: "{group}/v1"\nkind: Gadget\nmetadata: {name: g}\nspec:\n  size: 3\n  size: 4\n'),
    rawApply(
      'apiVersion: "{group}/v1"\nkind: Gadget\nmetadata: {name: g}\nspec:\n  size: 3\n  size: 5\n',
      '&fieldValidation=Strict',
    ),
    rawApply(
      'apiVersion: "{group}/v1"\nkind: Gadget\nmetadata: {name: g}\nspec:\n  size: 3\n  size: 5\n',
      '&fieldValidation=Ignore',
    ),
    rawApply('{"apiVersion":"{group}/v1","kind":"Gadget","metadata":{"name":"g"},"spec":{"size":3,"size":6}}'),
    rawApply(
      '{"apiVersion":"{group}/v1","kind":"Gadget","metadata":{"name":"g"},"spec":{"size":3,"size":7}}',
      '&fieldValidation=Strict',
    ),
    apply('me', { foo: 1 }, { query: '&fieldValidation=Ignore' }),
    CURRENT,
  ),
  kase(
    'a ConfigMap',
    configMaps('me', { a: '1', b: '2' }),
    configMaps('you', { a: '2' }),
    configMaps('me', { a: '1' }),
    configMaps('me', { a: 1 }),
    configMaps('me', {}, { foo: 1 }),
    configMaps('me', null),
    configMaps('me', { a: '1' }, { immutable: true }),
    configMaps('me', { a: '1' }, { binaryData: { x: '!!' } }),
    configMaps('me', { a: '1' }, {}, { creationTimestamp: null }),
  ),
  kase(
    'a ServiceAccount',
    accounts('me', { secrets: [{ name: 'a' }, { name: 'b' }], imagePullSecrets: [{ name: 'p' }] }),
    accounts('you', { secrets: [{ name: 'b' }, { name: 'c' }], imagePullSecrets: [{ name: 'q' }] }),
    accounts('you', { secrets: [{ name: 'b', namespace: 'x' }], automountServiceAccountToken: false }),
    accounts('me', {}),
  ),
  kase(
    'a Secret',
    secrets('me', { stringData: { a: 'x' } }),
    secrets('me', { data: { b: 'eA==' } }),
    secrets('me', { type: 'Opaque', data: { b: 'eA==' } }),
    secrets('me', { type: 'a.b/c', data: { b: 'eA==' } }),
    secrets('me', { data: { b: '*' } }),
  ),
  kase(
    'a Lease',
    leases('me', { spec: { holderIdentity: 'x', leaseDurationSeconds: 3, renewTime: '2020-01-01T00:00:00.000000Z' } }),
    leases('me', { spec: { renewTime: '2020-01-01T00:00:00Z' } }),
    leases('me', { spec: { renewTime: 'x' } }),
    leases('me', { spec: { leaseDurationSeconds: 'x' } }),
  ),
  kase(
    'an Event',
    events('me', {
      involvedObject: { kind: 'X', name: 'x', namespace: '{ns}' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
      count: 1,
      source: { component: 'c' },
    }),
    events('you', { involvedObject: { kind: 'X', name: 'y', namespace: '{ns}' }, count: 2 }),
  ),
  kase(
    'a Namespace',
    namespace('me', { metadata: { name: '{ns}', labels: { a: 'b' } } }),
    namespace('me', { spec: { finalizers: ['kubernetes'] } }),
    namespace('me', { spec: { finalizers: ['x.y/z'] } }),
    namespace('me', { status: { phase: 'Active' } }),
    namespace('me', { status: { phase: 'Active', conditions: [{ type: 'A', status: 'True' }] } }, '/status'),
    namespace('you', { status: { conditions: [{ type: 'A', status: 'False' }] } }, '/status'),
    namespace('you', {}, '/finalize'),
    namespace('me', {}),
  ),
];
