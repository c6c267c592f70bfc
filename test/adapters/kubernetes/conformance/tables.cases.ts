// Tables and partial objects: what is shown of which kind, and who gets what when several forms are accepted.
import {
  type Answer,
  type Case,
  CONFIG_MAPS,
  CORE,
  configMap,
  del,
  get,
  MERGE,
  PARTIAL,
  PARTIAL_LIST,
  patch,
  post,
  put,
  type Request,
  SECRETS,
  TABLE,
} from './case.ts';
import { GADGETS, gadget, OTHER_GADGETS, unordered } from './gadgets.ts';

type Fields = Readonly<Record<string, unknown>>;

const kase = (name: string, ...steps: readonly Request[]): Case => ({
  name: `tables: ${name}`,
  steps: unordered(steps.map((step) => (step.accept === undefined ? step : { pick: ageless, ...step }))),
});

/** Without ages of some seconds, which pass while the servers are asked. */
function ageless(answer: Answer): unknown {
  const visit = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => visit(item, key));
    if (key === 'cells' && typeof value === 'string') return /^\d{1,2}s$/.test(value) ? '<age>' : value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, visit(item, name)]));
  };
  return visit(answer, '');
}

const table = (path: string): Request => get(path, { accept: TABLE });
const accepting = (path: string, ...all: readonly string[]): Request[] => all.map((accept) => get(path, { accept }));
const EMPTY = '?labelSelector=none%3Dthere';

const NEW_EVENTS = '/apis/events.k8s.io/v1/namespaces/{ns}/events';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases';

const event = (name: string, more: Fields): Request =>
  post(`${CORE}/events`, {
    metadata: { name },
    involvedObject: { kind: 'Pod', name: 'x', namespace: '{ns}', fieldPath: 'spec.a' },
    ...more,
  });
const reported = {
  eventTime: '2020-01-01T00:00:00.000000Z',
  reportingComponent: 'a/b',
  reportingInstance: 'i',
  action: 'A',
  reason: 'R',
  type: 'Normal',
};

const shownGadget = (name: string, spec: Fields, at: string): Request[] => [
  post(GADGETS, gadget(name, spec, at === '' ? {} : { annotations: { at } })),
  table(`${GADGETS}/${name}`),
];

export const TABLES: readonly Case[] = [
  kase(
    'columns',
    ...[
      CONFIG_MAPS,
      SECRETS,
      `${CORE}/serviceaccounts`,
      `${CORE}/events`,
      NEW_EVENTS,
      LEASES,
      GADGETS,
      OTHER_GADGETS,
    ].map((path) => table(`${path}${EMPTY}`)),
    table('/api/v1/namespaces/{ns}'),
    table(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.{group}?includeObject=None`),
  ),
  kase(
    'cells of built-in kinds',
    post(CONFIG_MAPS, configMap('a', { data: { x: '1', y: '2' }, binaryData: { z: 'AAE=' } })),
    table(`${CONFIG_MAPS}/a`),
    post(SECRETS, { metadata: { name: 'a' }, type: 'my/t', data: { x: 'AAE=' } }),
    table(`${SECRETS}/a`),
    post(`${CORE}/serviceaccounts`, { metadata: { name: 'a' }, secrets: [{ name: 'x' }] }),
    table(`${CORE}/serviceaccounts/a`),
    event('a', {
      reason: 'R',
      message: ' multi\nline ',
      type: 'Normal',
      count: 2,
      firstTimestamp: '2020-01-01T00:00:00Z',
      lastTimestamp: '2020-01-02T00:00:00Z',
      source: { component: 'c', host: 'h' },
    }),
    event('b', {}),
    event('c', { ...reported, series: { count: 5, lastObservedTime: '2020-02-01T00:00:00.000000Z' } }),
    event('d', { source: { host: 'h' }, firstTimestamp: '2020-01-01T00:00:00Z' }),
    event('e', reported),
    ...['a', 'b', 'c', 'd', 'e'].flatMap((name) => [table(`${CORE}/events/${name}`), table(`${NEW_EVENTS}/${name}`)]),
    post(LEASES, { metadata: { name: 'a' }, spec: { holderIdentity: 'me' } }),
    post(LEASES, { metadata: { name: 'b' } }),
    table(`${LEASES}/a`),
    table(`${LEASES}/b`),
  ),
  kase(
    'cells of custom resources',
    ...shownGadget(
      'a',
      { size: 3, ratio: 1.5, flag: true, steps: ['a', 'b'], options: { x: 'y', a: 'b' } },
      '2020-01-01T00:00:00Z',
    ),
    patch(`${GADGETS}/a/status`, MERGE, { status: { seen: 7 } }, { accept: TABLE }),
    ...shownGadget('b', {}, ''),
    ...shownGadget('c', { ratio: 2, steps: [], flag: false, options: {} }, 'x'),
    ...shownGadget('d', { ratio: 0.1, size: 0, steps: ['a"b'] }, '2099-01-01T00:00:00Z'),
    table(`${OTHER_GADGETS}/a`),
  ),
  kase(
    'includeObject',
    post(CONFIG_MAPS, configMap('a', { data: { x: '1' } })),
    ...['None', 'Metadata', 'Object', '', 'foo', 'none'].map((what) => table(`${CONFIG_MAPS}/a?includeObject=${what}`)),
    get(`${CONFIG_MAPS}/a?includeObject=foo`),
  ),
  kase(
    'lists',
    ...['a', 'b', 'c'].map((name) => post(GADGETS, gadget(name, { size: 1 }, { labels: { l: name } }))),
    table(`${GADGETS}?limit=2`),
    table(`${GADGETS}?limit=2&includeObject=None&labelSelector=l%3Db`),
    get(`${GADGETS}?limit=2`, { accept: PARTIAL_LIST }),
    get(GADGETS, { accept: PARTIAL_LIST }),
    get(`${GADGETS}/a`, { accept: PARTIAL }),
    get(`${GADGETS}/a`, { accept: PARTIAL_LIST }),
    get(GADGETS, { accept: PARTIAL }),
    get(CONFIG_MAPS, { accept: PARTIAL }),
    table(GADGETS),
  ),
  kase(
    'what is accepted of a built-in kind',
    post(CONFIG_MAPS, configMap('a')),
    ...accepting(
      `${CONFIG_MAPS}/a`,
      '',
      '*/*',
      'application/*',
      'application/json',
      'application/json;q=0.5',
      'text/html',
      'text/html,application/json;q=0.1',
      'application/xml',
      `${TABLE},application/json`,
      'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
      'application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
      'application/json;as=Table;g=meta.k8s.io',
      'application/json;as=Table',
      'application/json;as=Foo;v=v1;g=meta.k8s.io',
      `application/json;as=Foo;v=v1;g=meta.k8s.io, ${PARTIAL}`,
      'application/json;as=Table;v=v2;g=meta.k8s.io',
      'application/json;as=Table;v=v1;g=foo',
      'application/json;g=meta.k8s.io;v=v1;as=Table',
      'application/json; as=Table; v=v1; g=meta.k8s.io',
      'APPLICATION/JSON',
      'application/json;charset=utf-8',
      'application/json;foo=bar',
      'application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io',
      `${PARTIAL};q=0.1,application/json;q=0.9`,
      ';',
      'application',
      '*/*;as=Table;v=v1;g=meta.k8s.io',
      'text/*',
    ),
  ),
  kase(
    'what is accepted of a custom resource',
    post(GADGETS, gadget('a')),
    ...accepting(
      `${GADGETS}/a`,
      'text/html',
      'application/*',
      'application/vnd.kubernetes.protobuf,application/json',
      'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io',
      'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
      'application/json;as=Foo;v=v1;g=meta.k8s.io',
    ),
  ),
  kase(
    'writes',
    post(CONFIG_MAPS, configMap('a'), { accept: TABLE }),
    patch(`${CONFIG_MAPS}/a`, MERGE, { data: { x: '1' } }, { accept: PARTIAL }),
    patch(`${CONFIG_MAPS}/a?includeObject=None`, MERGE, { data: { x: '1', y: '1' } }, { accept: TABLE }),
    put(`${CONFIG_MAPS}/a`, configMap('a'), { accept: TABLE }),
    table(`${CONFIG_MAPS}/none`),
    post(CONFIG_MAPS, configMap('a'), { accept: TABLE }),
    del(`${CONFIG_MAPS}/a`, undefined, { accept: TABLE }),
  ),
  {
    name: 'tables: watches',
    steps: [
      post(GADGETS, gadget('a', { size: 1 })),
      { watch: `${GADGETS}?watch=1&timeoutSeconds=1`, accept: PARTIAL, events: 'all' },
      {
        watch: `${GADGETS}?watch=1&timeoutSeconds=1`,
        accept: 'application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io',
        events: 'all',
      },
    ],
  },
];
