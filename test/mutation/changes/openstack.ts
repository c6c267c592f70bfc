// The OpenStack adapter.
import { type Change, noticedBy } from '../change.ts';

export const OPENSTACK: readonly Change[] = [
  ...noticedBy(['tables'], {
    'tags-unsorted': 'tags are told in the order of the answer, so that a status is written again for nothing',
  }),
  ...noticedBy(['URLs at every entrance'], {
    'glance-fetches-anything': 'Glance is asked to fetch what Troupe itself would refuse to',
  }),
  ...noticedBy(['attachments that are denied'], {
    'denied-attachment-believed': 'an attachment is believed though its volume or port denies it',
    'ended-attachment-believed': 'an attachment that Nova shows for a little longer is not looked at again',
  }),
  ...noticedBy(['trunks in memory', 'references'], {
    'trunk-port-held': 'I2: a port that a trunk has carried is never let go',
  }),
  ...noticedBy(['kinds on the simulator'], {
    'unanswered-create-is-foreign':
      'EXTERNAL-RESOURCE-9, I4: what an unanswered create has made is taken for found, and left behind',
    'deletion-takes-what-differs':
      'EXTERNAL-RESOURCE-9: a deletion removes what has the name of its object and is nothing that its create asked for',
    'deletion-takes-what-is-older': 'EXTERNAL-RESOURCE-9: a deletion removes what was there before its object',
    'deletion-leaves-what-was-edited': 'I4: an edit after its create makes a deletion leave its own resource behind',
    'floating-ip-any': 'every floating IP of a network looks like one whose port has no id yet',
    'inherited-assignment': 'OS-IDENTITY-1: what the projects below inherit is taken for the assignment',
    'identity-any-path': 'OS-IDENTITY-2: what is no id of the kind leads to some path',
  }),
  ...noticedBy(['operations'], {
    'untold-id-fails': 'what another is about to tell counts as a failure',
    'unfound-create': "a create that was not found is none of anybody's trouble",
    'import-loss-remade': 'what was only imported is told to be gone, and made anew',
  }),
  ...noticedBy(['images on the simulator'], {
    'upload-after-lease': 'OS-IMAGE-UPLOAD-4: an upload begins after the lease has ended',
  }),
  ...noticedBy(['contents of secrets'], {
    'secret-content-fails': 'OS-SECRET-CONTENTS-2: what a Secret lacks counts as a failure',
    'secret-content-quoted': 'OS-SECRET-CONTENTS-1: a service is quoted that quotes the content of a Secret',
  }),
  ...noticedBy(['collections below users'], {
    'user-named-looks-at-all': 'P1: others are looked at, too, where a user is named',
    'users-list-failed': 'P2: a list of users that failed counts as one of nobody',
  }),
  ...noticedBy(['clouds.yaml'], {
    'yaml-unique-keys': 'OS-CLOUDS-YAML-2: one secret keeps the process busy for minutes',
  }),
  ...noticedBy(['OpenStack sessions'], {
    'session-parsed-again': 'OS-SESSIONS-3: what cannot be read is parsed for each object again',
    'secret-cut-in-two': 'HTTP-SECRETS-1: a secret that is cut in two is shown',
    'authenticate-at-once': 'OS-CLOUD-SESSION-2: everybody authenticates at once',
    'late-401': 'a late 401 throws a newer token away',
    'circle-of-pages': 'OS-OPERATIONS-1: pages that lead in a circle are a list',
    'session-of-other-ca': 'OS-SESSIONS-1: a session is kept when the CA is another one',
  }),
  ...noticedBy(['OpenStack sessions: answers'], {
    'session-closed-in-use': 'OS-SESSIONS-4: what is in use is closed',
  }),
  ...noticedBy(['hosts of clouds'], {
    'reach-by-name': 'HTTP-EGRESS-POLICY-1: a name leads where its address may not',
    'reach-by-nat64': 'HTTP-EGRESS-POLICY-2: NAT64 leads to loopback',
    'reach-by-siit': 'HTTP-EGRESS-POLICY-2: an address that is translated without a state leads to metadata',
    'reach-by-teredo': 'HTTP-EGRESS-POLICY-2: Teredo leads to metadata',
    'reach-by-isatap': 'HTTP-EGRESS-POLICY-2: ISATAP leads to metadata',
    'reach-by-search-domain': 'HTTP-EGRESS-POLICY-4: a search domain makes a Service of a name',
    'catalog-chooses-path': 'a catalog chooses the path of our calls',
  }),
  ...noticedBy(['hostile compressed files'], {
    'end-held-again': 'each tiny file at the end of a bz2 file copies the whole rest of it',
    'decompression-in-one-turn': 'BYTE-READER-1: an image of one tenant stops all tenants for seconds',
    'bzip2-buffer-per-stream': 'each tiny file in a bz2 file takes a buffer for a block of 900 kB',
    'xz-window-per-block': 'each empty block of xz takes a window',
    'index-of-other-blocks': 'an index of xz with sizes of other blocks passes',
  }),
  ...noticedBy(['secrets and words of a cloud'], {
    'explanation-quotes-anybody': 'whatever answers under a URL is quoted',
    'breaks-by-expression': 'an error of a cloud with many blanks stops all tenants for seconds',
    'secret-in-base64': 'HTTP-SECRETS-1: a secret is told in base64',
    'secret-in-pieces': 'HTTP-SECRETS-2: a piece of a long secret is told',
    'secrets-unsearched': 'HTTP-SECRETS-3: a text that is not searched whole is told',
  }),
  ...noticedBy(['ids'], {
    'id-leads-elsewhere': 'I1: an id leads elsewhere',
    'status-id-unchecked': 'a status may name anything',
  }),
  ...noticedBy(['gate'], {
    'gate-shared-slots': 'HTTP-CONCURRENCY-LIMITER-1: one namespace may take all slots from the others',
    'gate-authentications': 'HTTP-CONCURRENCY-LIMITER-4: authentications take all slots',
    'gate-late-calls': 'HTTP-CONCURRENCY-LIMITER-5: calls are sent that cannot be answered in time',
    'gate-most-first': 'HTTP-CONCURRENCY-LIMITER-2: the namespace that waits with most goes first',
    'gate-shorter-pause': 'a shorter pause ends a longer one',
    'gate-paused-lane': 'HTTP-CONCURRENCY-LIMITER-3: who comes while the lane is paused goes in',
  }),
  ...noticedBy(['outage of a cloud'], {
    'outage-everybody-tries': 'HTTP-CIRCUIT-BREAKER-1: every object tries a dead cloud for itself',
    'outage-by-impatience': 'HTTP-CIRCUIT-BREAKER-3: a short deadline is an outage',
    'outage-rest-ended': 'HTTP-CIRCUIT-BREAKER-2: an answer that was on its way ends the rest that a service asked for',
  }),
  ...noticedBy(['answers of a cloud'], {
    'answer-depth': 'HTTP-RESPONSE-1: an answer may nest as deep as it likes',
    'answer-brackets-in-names': 'HTTP-RESPONSE-3: brackets in names count',
    'answer-memory-of-one': 'HTTP-RESPONSE-6: one namespace may hold all memory',
    'answer-memory-unasked': 'HTTP-RESPONSE-5: memory is not asked for',
  }),
  ...noticedBy(['transport'], {
    'empty-404': 'an empty 404, which any gateway may say, proves absence',
    'garbled-success': 'success in words that nobody understands counts as a failure, and a create is made again',
  }),
  ...noticedBy(['OpenStack sessions: answers', 'OpenStack sessions'], {
    'lost-list-is-empty': 'OS-OPERATIONS-1: a list that is not found is an empty one',
    'pause-as-long-as-told':
      'HTTP-LIMITED-CALL-3: one answer of the cloud makes everybody wait for as long as it likes',
    'session-unverified': 'a session whose certificate nobody checked serves those who check',
    'session-of-another-namespace': 'a secret of another namespace gives its session away',
  }),
  ...noticedBy(['look-ups'], {
    'missing-resource-absent': 'OS-LOOKUPS-3: an answer without the resource proves its absence',
    'look-ups-mixed': 'OS-LOOKUPS-2: every look-up gets what all of them asked for',
    'cut-list-proves': 'OS-LOOKUPS-3: a list that was cut short proves absence',
  }),
  ...noticedBy(['operations', 'kinds on the simulator'], {
    'group-without-rules': 'OS-SECURITY-GROUP-RULES-2: a group is without its rules between the old and the new ones',
    'port-zero-means-all': 'OS-SECURITY-GROUP-RULES-3: a rule for port 0 counts as the one that lets all ports through',
    'port-zero-sent': 'OS-SECURITY-GROUP-RULES-3: a rule for port 0 is sent',
  }),
  ...noticedBy(['kinds on the simulator'], {
    'moved-subport-refused': 'a port that moves from one trunk to another is in none of them for good',
    'moved-association-pulled-back': 'a floating IP that its operator has moved is taken from there',
    'icmp-of-ipv6-is-another':
      'OS-SECURITY-GROUP-RULES-1: ICMP of IPv6 is created again and again, as Neutron calls it otherwise',
    'icmp-zero-not-sent': 'OS-SECURITY-GROUP-RULES-3: type 0 of ICMP is not sent, and all types are let through',
    'icmp-zero-not-shown': 'OS-SECURITY-GROUP-RULES-3: a status does not show type 0 of ICMP',
  }),
  ...noticedBy(['transport', 'OpenStack sessions'], {
    'sent-after-deadline': 'P10: a request is sent after its deadline',
  }),
  ...noticedBy(['tables', 'kinds on the simulator', 'OpenStack sessions'], {
    'create-without-id': 'OS-OPERATIONS-1: a create whose answer has no id counts as not done',
  }),
  ...noticedBy(['attributes'], {
    'projection-keeps-all': 'OS-PROJECTION-1: the whole body of a resource is kept, and mailed',
    'projection-keeps-nested': 'OS-PROJECTION-1: whatever is in a declared attribute is kept with it',
    'update-without-basis': 'what an update compares with is lost, unless the status shows it',
    'projection-of-port': 'OS-PROJECTION-1: the whole body of a port is kept for the interface that it is',
  }),
  ...noticedBy(['unsent requests'], {
    'partly-unsent-counts-as-unsent': 'failures of which some came from the cloud count as none',
  }),
  ...noticedBy(['tables', 'kinds on the simulator'], {
    'create-over-at-deadline': 'P10, P13: a create counts as over at its deadline, and may land after that',
    'terminal-hidden': 'a terminal failure is hidden by those that pass',
  }),
  ...noticedBy(['tables', 'kinds on the simulator', 'transport'], {
    'gateway-counts': "a gateway's failure counts as an answer of the cloud",
  }),
  ...noticedBy(['conditions'], {
    'same-in-other-words-written': 'I8: what another controller wrote is written anew in other words',
    'status-each-look': 'OS-CONDITIONS-2, I8: every look writes a status',
    'deletion-silent-of-holders': 'a deleted object that is held does not say by whom',
  }),
  ...noticedBy(['poller', 'poller of Ironic'], {
    'poller-idle-timer': 'HTTP-POLL-ROUNDS-1: nobody waits, and the timer runs on',
    'poller-lists-twice': 'HTTP-POLL-ROUNDS-2: a list that takes longer than an interval is asked for again meanwhile',
    'poller-stood-still': "HTTP-POLL-ROUNDS-3, P10: a process that stood still asks for what is another's by now",
  }),
  ...noticedBy(['poller'], {
    'poller-tells-stopped': 'OS-POLLER-1: who has stopped to wait is told',
    'poller-own-moment': 'OS-POLLER-2: everybody who waits looks at a moment of its own',
    'poller-each-asked': 'OS-POLLER-2: however many wait, each is asked for',
    'poller-left-out-gone': 'OS-POLLER-3: what a page left out is told to be gone',
    'poller-failed-list-proves': 'OS-POLLER-4: a list that failed proves that all are gone',
    'look-ups-by-device': 'the interfaces of many routers are a query each',
  }),
  ...noticedBy(['kept cloud'], {
    'cloud-answers-first': 'OSIM-KEPT-STORE-1: the simulated cloud answers before it keeps',
    'cloud-reads-half-line': 'OSIM-KEPT-STORE-2: a line that is not whole is read',
  }),
  ...noticedBy(['identities in memory'], {
    'shares-by-forged-status': 'OWNERSHIP-5: what somebody writes into a status is shared',
  }),
  ...noticedBy(['sharing in memory'], {
    'shared-resource-removed': 'OWNERSHIP-5: who goes removes what others of its namespace share',
    'shared-resource-left-by-all': 'OWNERSHIP-5: of several that go at once each leaves the resource to another',
  }),
  ...noticedBy(['routing in memory'], {
    'port-is-the-interface':
      'I4: the interface of an IPv6 subnet is left in the router, as another one has the same port',
  }),
  ...noticedBy(['removals'], {
    'refused-removal-changes': 'a trunk that stays is up, against its spec, after its removal was refused',
    'guarded-resource-removed': 'what a service keeps from removal is removed without being asked for that',
  }),
  ...noticedBy(['states of resources'], {
    'unnamed-status-is-final': 'OS-STATES-2: a status that no list names is taken for a failure',
  }),
  ...noticedBy(['advice on objects of OpenStack'], {
    'refused-deletion-is-spec': 'a deletion that is refused counts as a refused spec',
    'unheeded-from-beginning': 'what was there from the beginning is said to have been added later',
  }),
];
