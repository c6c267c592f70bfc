// The Kubernetes client and its watch.
import { type Change, noticedBy } from '../change.ts';

export const KUBERNETES: readonly Change[] = [
  ...noticedBy(['kubernetes client by TLS'], {
    'kubernetes-by-http2': 'all watches share one connection, and an end of the client may end the process',
  }),
  ...noticedBy(['kubernetes client through a proxy'], {
    'proxy-by-http2': 'a proxy that offers HTTP/2 is asked for tunnels by it',
  }),
  ...noticedBy(['kubeconfig'], {
    'plugin-beside-kubeconfig': 'a plugin beside its kubeconfig is sought in the working directory',
    'plugin-run-each-minute': 'a plugin runs each time, however long its credential is valid',
    'plugin-waits-for-input': 'a plugin that asks for a password stops all requests for ever',
  }),
  ...noticedBy(['kubernetes client'], {
    'kube-write-unanswered': 'a write that was sent and not answered counts as one that had no effect',
    'any-404-is-absence': 'KUBE-ABSENCE-1: whatever answers 404 says that an object is gone',
    'expired-is-absent': 'an expired page or version counts as the absence of what was asked for',
    'impersonation-of-another': 'a name with a blank before it is sent, and the API server takes it for another one',
    'impersonation-in-latin1': 'a user with an umlaut is another one at the API server',
    'refused-token-kept': 'a token that was refused is used until its minute is over',
    'login-per-call': 'every call that finds old credentials starts the plugin of the kubeconfig',
    'refused-plugin-token': 'a plugin is not asked again for a token that was refused',
    'refused-token-connections': 'a refused token costs the connections too',
    'character-cut-in-two': 'a character cut in two by the network is two wrong ones',
    'watch-line-passed-over': 'a line of a watch that is no JSON is passed over',
    'watch-cut-silently': 'a watch whose connection is cut ends as if the server had ended it',
    'patch-test-no-conflict': 'a patch that found another version is no conflict',
    'retry-after-ignored': 'nobody keeps to Retry-After',
    'terminating-namespace': 'a namespace that is being deleted looks like any other refusal',
    'list-first-page': 'a list ends with its first page',
    'list-page-of-any-size': 'a page of a list is as large as whoever writes objects likes',
    'whole-list-within-page': 'a list whose pages expire is never read if it is larger than a page',
    'list-pages-all-at-once': 'all kinds are read at a time',
  }),
  ...noticedBy(['kubernetes watch'], {
    'watch-line-without-end': 'KUBE-WATCH-6: a line of a watch is kept however long it is',
    'expired-version-asked-again': 'KUBE-WATCH-2: a version that has expired is asked for again and again',
    'watch-from-future': 'KUBE-WATCH-5: a watch goes on from a version that a restored server has not come to',
    'watch-from-list': 'KUBE-WATCH-1: a watch goes on from where its list was, and says everything again',
    'bookmark-is-progress': 'KUBE-WATCH-3: a bookmark that leads nowhere counts as progress',
    'watch-without-pause': 'KUBE-WATCH-3: watches that end at once are begun anew without a pause',
    'watch-silence': 'KUBE-WATCH-4: a watch that fell silent is waited for for ever',
    'stopped-hears-list': 'who has stopped is handed a list',
  }),
  ...noticedBy(['certificates'], {
    'issuer-in-other-bytes':
      'a certificate names an authority that was kept in other bytes than its own, which Go does not trust',
    'certificates-loaded-by-all': 'every process that may make a certificate pays for what makes them',
    'certificate-ipv4-tail': 'a server reached at an IPv6 address with a tail of IPv4 is not known by it',
  }),
  ...noticedBy(['asked for together'], {
    'departure-all-at-once': 'all who share an object leave it at once, and nobody removes it',
  }),
];
