// Lists in pages, and lists of earlier revisions. None that are too old: when the real server forgets is a matter of its age.
import { type Answer, type Case, CONFIG_MAPS, configMap, del, get, post, put, type Request } from './case.ts';

const made = ['a', 'b', 'c', 'd', 'e'].map((name) =>
  post(CONFIG_MAPS, configMap(name, { data: { value: '1' } }, { labels: { late: String(name > 'b') } })),
);

/** What happens between two pages. */
const meanwhile = [
  del(`${CONFIG_MAPS}/d`),
  put(`${CONFIG_MAPS}/c`, configMap('c', { data: { value: '2' } })),
  post(CONFIG_MAPS, configMap('cc', { data: { value: '1' } })),
];

/** Not every server has made the namespace's own map by now. */
const LISTED = 'fieldSelector=metadata.name%21%3Dkube-root-ca.crt';

const first = get(`${CONFIG_MAPS}?limit=2&${LISTED}`, {
  save: { token: 'metadata.continue', rv: 'metadata.resourceVersion' },
});

const token = (content: unknown): string =>
  Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url');
const taken = (content: string): Request => get(`${CONFIG_MAPS}?limit=2&continue=${content}`);

/** A revision in a message is another on each server. */
const withoutRevisions = {
  pick: ({ status, body }: Answer) => [status, JSON.stringify(body).replaceAll(/\d{3,}/g, 'N')],
};

export const PAGES: readonly Case[] = [
  {
    name: 'pages: of one revision',
    steps: [
      ...made,
      first,
      ...meanwhile,
      get(`${CONFIG_MAPS}?limit=2&${LISTED}&continue={token}`),
      get(`${CONFIG_MAPS}?${LISTED}&continue={token}`),
      get(`${CONFIG_MAPS}?${LISTED}`),
      get(`${CONFIG_MAPS}?limit=2&${LISTED}&continue={token}&resourceVersion={rv}`),
      get(`${CONFIG_MAPS}?limit=2&${LISTED}&continue={token}&resourceVersion=0`),
      get(`${CONFIG_MAPS}?limit=2&${LISTED}&continue={token}&resourceVersion={rv}&resourceVersionMatch=Exact`),
    ],
  },
  {
    name: 'pages: lists of an earlier revision',
    steps: [
      ...made,
      first,
      ...meanwhile,
      get(`${CONFIG_MAPS}?${LISTED}&resourceVersion={rv}&resourceVersionMatch=Exact`),
      get(`${CONFIG_MAPS}?${LISTED}&resourceVersion={rv}&resourceVersionMatch=Exact&limit=3`, {
        save: { next: 'metadata.continue' },
      }),
      get(`${CONFIG_MAPS}?${LISTED}&continue={next}`),
      get(`${CONFIG_MAPS}?labelSelector=late%3Dtrue&resourceVersion={rv}&resourceVersionMatch=Exact&limit=1`),
      get(`${CONFIG_MAPS}?fieldSelector=metadata.name%3Dd&resourceVersion={rv}&resourceVersionMatch=Exact`),
      get(`${CONFIG_MAPS}?resourceVersion=0&resourceVersionMatch=Exact`),
      get(`${CONFIG_MAPS}?resourceVersion={rv+100000000}&resourceVersionMatch=Exact`, withoutRevisions),
    ],
  },
  {
    name: 'pages: tokens that are none',
    steps: [
      taken('***'),
      taken(token('hello')),
      taken(token([])),
      taken(token({})),
      taken(token({ v: 'v9', rv: 1, start: 'a' })),
      taken(token({ v: 'meta.k8s.io/v1', start: 'a\0' })),
      taken(token({ v: 'meta.k8s.io/v1', rv: 5 })),
      taken(token({ v: 'meta.k8s.io/v1', rv: '1', start: 'a' })),
      taken(token({ v: 'meta.k8s.io/v1', rv: 5, start: '../x' })),
      get(`${CONFIG_MAPS}?limit=x`),
      get(`${CONFIG_MAPS}?limit=1.5`),
    ],
  },
  {
    name: 'pages: deletions of a collection go by pages, too',
    steps: [...made, del(`${CONFIG_MAPS}?limit=2&labelSelector=late`), get(`${CONFIG_MAPS}?labelSelector=late`)],
  },
];
