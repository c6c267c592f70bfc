// The cluster manager's model language: what its tools never do to files, and where they stop.
import { type Change, noticedBy } from '../change.ts';

export const OCM: readonly Change[] = [
  ...noticedBy(['troupe model with hostile files'], {
    'utf-8-replaced': 'what is not UTF-8 is written back with replacement characters',
    'layout-changes-meaning': 'a file whose notes mean something else when laid out is laid out',
  }),
  ...noticedBy(['semantic errors'], {
    'ways-unbounded': 'more URLs than anybody can write down are no error',
  }),
  ...noticedBy(['troupe model in pipelines'], {
    'manifest-takes-changed': 'CLI-MANIFEST-1: what somebody changed goes with what was written',
    'manifest-outside': 'CLI-MANIFEST-3: a manifest takes away what is outside of the output',
  }),
  ...noticedBy(['store in memory'], {
    'memory-status-from-outside': 'OCM-STORE-4: a client writes what only the owner of an object sets',
    'gateway-server-owned': 'a client that sets an attribute of the server is not told that it cannot',
  }),
  ...noticedBy(['search'], {
    'gateway-search-depth': 'OCM-PARSER-1: a search may be nested as deep as its sender likes',
    'gateway-expression-time': 'a regular expression may take as long as it needs',
  }),
  ...noticedBy(['indexes of a search'], {
    'gateway-stale-results': 'OCM-INDEXES-1: an object that has changed is taken for what it was',
    'gateway-old-fields': 'OCM-INDEXES-1: fields of a model that is gone are compared with those of the new one',
  }),
  ...noticedBy(['model gateway'], {
    'gateway-may-read': 'an object is shown to a caller that may not read it',
    'gateway-none-other-site': 'OCM-NONE-1: a page of another site is answered without authentication',
  }),
  ...noticedBy(['model gateway: authentication'], {
    'gateway-any-token': 'any token passes for the shared one',
    'gateway-any-access-token': 'any access token passes for that of a cluster',
    'gateway-keys-reload': 'OCM-KEYS-1: keys are never read again',
    'gateway-token-from-future': 'OCM-WEB-TOKENS-1: a token of the future is taken',
    'gateway-refresh-token': 'OCM-WEB-TOKENS-1: a refresh token is taken for one of access',
  }),
  ...noticedBy(['troupe model serve'], {
    'gateway-none-for-all': 'others are answered without authentication',
  }),
  ...noticedBy(['feed of a kind'], {
    'ocm-feed-goes-back': 'OCM-FEED-1: an older state of an object replaces a newer one',
    'ocm-feed-revives': 'OCM-FEED-2: an object that is gone comes back with an event that was late',
  }),
  ...noticedBy(['store in kubernetes'], {
    'ocm-update-overwrites': 'OCM-STORE-3: an update overwrites what somebody else has written meanwhile',
    'delegated-deletes-successor': 'a deletion hits another object that has taken the name',
    'gateway-impersonates-masters': 'a token with the group system:masters rules the cluster',
    'impersonation-forgotten': 'what a caller asks for is done with the rights of the gateway',
  }),
  ...noticedBy(['modeled objects as actors'], {
    'model-leaves-users': 'OCM-ACTOR-1: a cluster lets go of what it refers to while its node pools are there',
    'model-forgets-use': 'OCM-ACTOR-1: a cluster that is deleted goes before the node pools that used it',
    'model-never-withdraws': 'a node pool that came too late and its cluster wait for each other for ever',
  }),
  ...noticedBy(['docs'], {
    'link-runs-script': 'OCM-HTML-2: a link of a model runs a script',
  }),
];
