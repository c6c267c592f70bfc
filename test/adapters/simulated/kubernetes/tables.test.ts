// Tables, as `kubectl get` prints them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileJsonPath } from '../../../../adapters/simulated/kubernetes/base/json-path.ts';
import { ageText } from '../../../../adapters/simulated/kubernetes/wire/columns.ts';
import { listAt, MERGE, serverChecks, TABLE } from '../../../world/api-calls.ts';
import { WIDGET_PATH, widget, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: tables');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);

onWidgets('a custom resource shows the columns of its definition', async ({ call }) => {
  await call('POST', WIDGET_PATH, { body: widget('a') });
  await call('POST', WIDGET_PATH, { body: widget('b', { size: 5 }) });
  const status = {
    conditions: [
      { type: 'Other', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
    ips: [{ ip: '1' }, { ip: '2' }],
  };
  await call('PATCH', `${WIDGET_PATH}/b/status`, { body: { status }, type: MERGE });
  const { body } = await call('GET', WIDGET_PATH, { accept: TABLE });
  assert.is(body['kind'], 'Table');
  const columns = body['columnDefinitions'] as unknown as { name: string; type: string; priority: number }[];
  assert.equal(
    columns.map(({ name, type, priority }) => [name, type, priority]),
    [
      ['Name', 'string', 0],
      ['Size', 'integer', 0],
      ['Ready', 'string', 0],
      ['IPs', 'string', 0],
      ['Since', 'date', 1],
    ],
  );
  const rows = body['rows'] as unknown as { cells: unknown[]; object: { kind: string } }[];
  assert.equal(
    rows.map(({ cells }) => cells.slice(0, 4)),
    [
      ['a', 3, null, null],
      ['b', 5, 'True', '1'],
    ],
  );
  assert.is(rows[0]?.object.kind, 'PartialObjectMetadata');
});

onWidgets('rows carry the object when asked, or nothing', async ({ call }) => {
  await call('POST', WIDGET_PATH, { body: widget('a') });
  const whole = await call('GET', `${WIDGET_PATH}/a?includeObject=Object`, { accept: TABLE });
  assert.is(whole.body['rows']?.[0]?.['object']?.['kind'], 'Widget');
  const none = await call('GET', `${WIDGET_PATH}?includeObject=None`, { accept: TABLE });
  assert.is(none.body['rows']?.[0]?.['object'], null);
});

onServer('built-in kinds have their own columns', async ({ call }) => {
  await call('POST', '/api/v1/namespaces/default/secrets', {
    body: { metadata: { name: 's' }, stringData: { a: '1', b: '2' } },
  });
  const { body } = await call('GET', '/api/v1/namespaces/default/secrets', { accept: TABLE });
  assert.equal(listAt(body['rows']?.[0]?.['cells']).slice(0, 3), ['s', 'Opaque', 2]);
  const namespaces = await call('GET', '/api/v1/namespaces/default', { accept: TABLE });
  assert.equal(listAt(namespaces.body['rows']?.[0]?.['cells']).slice(0, 2), ['default', 'Active']);
});

onWidgets('metadata alone, of one object and of a list', async ({ call }) => {
  await call('POST', WIDGET_PATH, { body: widget('a') });
  const accept = (as: string): string => `application/json;as=${as};v=v1;g=meta.k8s.io`;
  const one = await call('GET', `${WIDGET_PATH}/a`, { accept: accept('PartialObjectMetadata') });
  assert.equal(Object.keys(one.body), ['kind', 'apiVersion', 'metadata']);
  const list = await call('GET', WIDGET_PATH, { accept: accept('PartialObjectMetadataList') });
  assert.is(list.body['kind'], 'PartialObjectMetadataList');
  assert.is(list.body['items']?.[0]?.['metadata']?.['name'], 'a');
});

test('ages are short', () => {
  const ages: readonly (readonly [number, string])[] = [
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [125, '2m5s'],
    [599, '9m59s'],
    [3600, '60m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 120, '3h2m'],
    [30 * 3600, '30h'],
    [50 * 3600, '2d2h'],
    [30 * 86_400, '30d'],
    [800 * 86_400, '2y70d'],
    [-5, '<invalid>'],
  ];
  for (const [seconds, text] of ages) assert.is(ageText(0, seconds * 1000), text);
});

test('paths reach fields, items, wildcards and filters', () => {
  const root = {
    a: {
      'b.c': 1,
      d: [
        { t: 'x', v: 1 },
        { t: 'y', v: 2 },
      ],
    },
    e: [1, 2, 3],
  };
  const found: readonly (readonly [string, unknown[]])[] = [
    ['.a.d[0].v', [1]],
    ['.a.d[-1].v', [2]],
    ['.a.d[9].v', []],
    ['.a.d[*].v', [1, 2]],
    [".a.d[?(@.t=='y')].v", [2]],
    ['.a.d[?(@.t=="none")].v', []],
    ['.a.d[?(@.v>1)].t', ['y']],
    ['.a.b\\.c', [1]],
    [".a['b.c']", [1]],
    ['.e[0:2]', [1, 2]],
    ['.e[0,2]', [1, 3]],
    ['{.e[1]}', [2]],
    ['.none.deep', []],
    ['..v', [1, 2]],
  ];
  for (const [path, values] of found) assert.equal(compileJsonPath(path)(root), values, path);
});

test.run();
