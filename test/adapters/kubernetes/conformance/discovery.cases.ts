// What a client learns before it asks, and the paths that are no resources.
import { type Answer, type Case, get, type Request } from './case.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Groups of definitions come and go with whoever else uses the servers. */
const isBuiltIn = (name: unknown): boolean =>
  typeof name === 'string' &&
  (!name.includes('.') || /^[a-z]+(\.authorization|\.apiserver)?\.k8s\.io$/.test(name)) &&
  !/^(gateway|snapshot|metrics)/.test(name);

const pickGroups = ({ body, ...rest }: Answer): unknown => {
  const { groups = [], ...more } = body as { groups?: readonly { name: string }[] };
  return { ...rest, body: { ...more, groups: groups.filter(({ name }) => isBuiltIn(name)) } };
};

const pickItems = ({ body, ...rest }: Answer): unknown => {
  const { items = [], ...more } = body as { items?: readonly { metadata: { name?: string } }[] };
  const wanted = items.filter(({ metadata: { name } }) => name === undefined || isBuiltIn(name));
  return { ...rest, body: { ...more, items: wanted.map((item) => ({ name: item.metadata.name ?? 'core', ...item })) } };
};

/** The definitions of a group come in any order. */
const pickResources = ({ body, ...rest }: Answer): unknown => {
  const { resources, ...more } = body as { resources: readonly { name: string }[] };
  return { ...rest, body: { ...more, resources: resources.toSorted((a, b) => (a.name < b.name ? -1 : 1)) } };
};

/** The health of other servers has other checks. */
const pickHealth = ({ status, headers, body }: Answer): unknown => ({
  status,
  headers,
  isVerbose: String(body).startsWith('[+]ping ok'),
  last: String(body).trimEnd().split('\n').at(-1),
});

const health = ['healthz', 'livez', 'readyz'].flatMap((name): Request[] => [
  get(`/${name}`),
  get(`/${name}/`),
  get(`/${name}?verbose`, { pick: pickHealth }),
  get(`/${name}/ping`),
  get(`/${name}/etcd`),
  get(`/${name}/nothing`),
  get(`/${name}?exclude=etcd`),
  get(`/${name}?exclude=nothing`, {
    pick: ({ status, headers, body }) => ({ status, headers, text: String(body).split('\n')[0] }),
  }),
  get(`/${name}`, { accept: 'application/json' }),
]);

export const DISCOVERY: readonly Case[] = [
  {
    name: 'discovery: plain',
    steps: [
      get('/api', {
        pick: ({ status, headers, body }) => ({
          status,
          headers,
          versions: (body as { versions: unknown }).versions,
          keys: Object.keys(body as object),
        }),
      }),
      get('/apis', { pick: pickGroups }),
      get('/apis/', { pick: pickGroups }),
      get('/api/', { pick: ({ status }) => status }),
      get('/api/v1'),
      get('/apis/coordination.k8s.io'),
      get('/apis/coordination.k8s.io/v1'),
      get('/apis/events.k8s.io'),
      get('/apis/events.k8s.io/v1'),
      get('/apis/apiextensions.k8s.io'),
      get('/apis/apiextensions.k8s.io/v1'),
      get('/apis/authentication.k8s.io'),
      get('/apis/authentication.k8s.io/v1'),
      get('/apis/authorization.k8s.io'),
      get('/apis/authorization.k8s.io/v1'),
      get('/apis/rbac.authorization.k8s.io'),
      get('/apis/rbac.authorization.k8s.io/v1'),
      get('/apis/{group}'),
      get('/apis/{group}/v1', { pick: pickResources }),
      get('/apis/{group}/v1beta1'),
      get('/apis/{group}/v1alpha1'),
      get('/apis/{group}/v1alpha0'),
      get('/apis/{group}/v1beta1', { accept: 'application/yaml' }),
    ],
  },
  {
    name: 'discovery: aggregated',
    steps: [
      get('/api', { accept: AGGREGATED }),
      get('/apis', { accept: AGGREGATED, pick: pickItems }),
      get('/apis', { accept: `${AGGREGATED},application/json`, pick: ({ headers }) => headers }),
      get('/apis', { accept: `application/json,${AGGREGATED}`, pick: ({ headers }) => headers }),
      get('/apis', {
        accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
        pick: ({ headers }) => headers,
      }),
      get('/apis', { accept: 'application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList' }),
      get('/apis', {
        accept: AGGREGATED,
        pick: ({ body }) =>
          (body as { items: readonly { metadata: { name?: string } }[] }).items.filter(
            ({ metadata }) => metadata.name?.startsWith('conformance-') && metadata.name.endsWith('.example.org'),
          ).length > 0,
      }),
      get('/api/v1', { accept: AGGREGATED, pick: ({ status, headers }) => ({ status, headers }) }),
    ],
  },
  { name: 'discovery: health', steps: health },
  {
    name: 'discovery: version',
    steps: [
      get('/version'),
      get('/version/'),
      get('/version?timeout=32s'),
      get('/version/x'),
      get('/version', { accept: 'text/plain' }),
    ],
  },
  {
    name: 'discovery: other paths',
    steps: [
      get('/', {
        pick: ({ status, headers, body }) => ({
          status,
          headers,
          keys: Object.keys(body as object),
          some: (body as { paths: string[] }).paths.filter((path) =>
            [
              '/api',
              '/api/v1',
              '/apis',
              '/healthz',
              '/version',
              '/readyz',
              '/apis/coordination.k8s.io/v1',
              '/openapi/v3',
            ].includes(path),
          ),
        }),
      }),
      get('/openapi/v3', { pick: ({ status }) => status }),
      get('/openapi/v3/api/v1', { pick: ({ status }) => status }),
      get('/openapi/v3/apis/nothing', { pick: ({ status }) => status }),
      get('/openapi'),
      get('/openapi/v4'),
      get('/api/v1/componentstatuses', { pick: ({ status }) => status }),
    ],
  },
];
