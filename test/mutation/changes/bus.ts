// The bus: leases, the stream that may be lost, mail, requests.
import { type Change, noticedBy } from '../change.ts';

export const BUS: readonly Change[] = [
  ...noticedBy(['retry after'], {
    'retry-after-a-year': 'a server that asks to be left alone for a year is',
  }),
  ...noticedBy(['nats stream'], {
    'shards-of-others': 'BUS-NATS-STREAM-4: objects are hosted by processes with other numbers of shards, too',
    'mail-no-json': 'BUS-7: mail that is no JSON ends the process, and each that comes after it',
    'removal-in-another-stream': "BUS-4: what is removed is somebody else's in another stream",
    'value-of-another-stream': 'BUS-4: a value of another stream is handed over',
    'sequences-began-anew': 'P11: a stream whose sequences began anew goes unnoticed',
    'published-before-looked': 'BUS-NATS-STREAM-1: mail is published before the stream was looked at',
    'older-format-read': 'mail of an earlier format is read as if it were of this one',
    'newer-format-read': 'mail of a newer format is read as if it were of this one',
    'stream-loss-unnoticed': 'P11: a loss that no event tells of is never noticed',
    'stream-change-untold': 'BUS-NATS-STREAM-2: nobody is told of another stream',
    'stream-rollback-unseen': 'BUS-NATS-STREAM-3: a stream that was rolled back and written again passes for the same',
    'stream-ready-after-reconnect': 'BUS-NATS-STREAM-1: after a reconnect the stream counts as checked',
  }),
  ...noticedBy(['lease'], {
    'lease-on-slowed-clock': 'BUS-5: a lease lasts longer when the wall clock is set back',
    'lease-counts-from-answer': 'BUS-LEASE-1, BUS-5: a lease counts from when its renewal was answered',
    'lease-given-up-late': 'BUS-LEASE-2: a lease is given up at its end, and not before',
    'lease-given-up-lasts': 'BUS-LEASE-3: a lease that was given up has not ended',
  }),
  ...noticedBy(['nats replay'], {
    'replay-waits-for-deleted': 'BUS-3: a replay waits for ever for what was deleted meanwhile',
  }),
  ...noticedBy(['nats leases'], {
    'lease-earlier-acquisition': 'BUS-NATS-LEASES-2: a lease of an earlier acquisition counts as this one',
    'lease-time-lowered': 'BUS-NATS-LEASES-3: the time to live is lowered under a holder who relies on it',
    'lease-released-by-closing':
      'P10: a lease that its holder keeps while calls are under way ends with the connection',
    'lost-bucket-leased-at-once': 'BUS-NATS-LEASES-4: leases are got at once in a bucket that was lost',
    'first-bucket-not-awaited':
      'BUS-NATS-LEASES-4: whoever finds a first bucket does not wait for what its maker learns',
  }),
  ...noticedBy(['nats server'], {
    'store-by-any-server': 'BUS-NATS-SERVER-4: a store is opened by whichever server is found',
    'package-unchecked': 'a package that is not what it was is run',
  }),
  ...noticedBy(['nats api'], {
    'asked-once': 'a question that the server swallowed is not asked again',
  }),
  ...noticedBy(['trace context'], {
    'trace-of-zeros': 'a trace id of zeros passes for one',
  }),
  ...noticedBy(['nats reader'], {
    'reader-misses-lost': 'BUS-NATS-READER-1: mail that was lost on the way is not asked for again',
    'reader-begins-anew': 'BUS-NATS-READER-1: a consumer made anew hands everything over again',
    'reader-unverified': 'BUS-NATS-READER-2: mail is handed over before anybody looked whether the stream is the same',
    'reader-hears-given-up': 'BUS-NATS-READER-3: deliveries of a consumer that was given up are handed over',
    'reader-silence': 'a consumer that fell silent is waited for for ever',
  }),
  ...noticedBy(['nats reader', 'nats api'], {
    'connection-sends-broken-off': 'BUS-CONNECTION-1, BUS-REQUESTS-2: what was broken off is sent all the same',
  }),
  ...noticedBy(['holds'], {
    'held-begins-late': 'BUS-LONG-CALL-PROTOCOL-1: what arrives late begins all the same',
    'held-unbegun-unanswered': 'BUS-LONG-CALL-PROTOCOL-1: what has not begun counts as unanswered',
    'held-taken-for-unanswered':
      'BUS-LONG-CALL-PROTOCOL-2, BUS-6: the caller takes for unanswered what may still go on',
    'held-outlasts-its-lease': 'BUS-6: what is held outlasts the lease of whoever holds it',
    'held-ends-together': 'one whose lease ends takes the others with it',
    'held-server-silent': 'a server that does not ask any more is waited for for ever',
    'held-given-up-waits': 'what was given up is waited for for ever',
    'held-progress-backwards': 'BUS-LONG-CALL-PROTOCOL-4: an older progress is heard after a newer',
    'held-confirmed-from-answer': 'BUS-LONG-CALL-PROTOCOL-2: a confirmation counts from its answer',
    'held-given-up-runs-on': 'BUS-LONG-CALL-PROTOCOL-3: what was given up goes on where the word is lost',
    'held-unconfirmed-runs-on': 'BUS-6: what nobody confirms goes on',
    'held-made-good': 'what has run out is made good by an answer that comes later',
    'held-later-question-counts': 'of two answers that overtook one another only the later question counts',
    'held-asked-one-by-one': 'BUS-LONG-CALL-PROTOCOL-3: each that is held is asked for by itself',
    'held-progress-each': 'BUS-LONG-CALL-PROTOCOL-4: each progress is a message of its own',
    'held-answer-once': 'an answer is said once, heard or not',
    'held-last-progress-lost': 'what was told last is lost with the answer',
    'held-runs-on-after-service': 'a service that ends leaves running what it runs',
  }),
  ...noticedBy(['operations over the bus'], {
    'proof-lost-between-processes': 'I4: what proves nothing in its own process proves something in another',
  }),
  ...noticedBy(['permissions'], {
    'host-leads-watch': 'BUS-PERMISSIONS-1: who hosts actors may lead the watch',
    'inbox-of-everybody': 'BUS-PERMISSIONS-2: everybody reads what others are answered',
    'node-hears-others': 'BUS-PERMISSIONS-1: the adapter of a node hears what is asked of another',
    'holds-of-everybody': 'BUS-PERMISSIONS-3: whoever serves an adapter hears what others hold',
    'answers-over-and-over': 'BUS-PERMISSIONS-2: whoever was asked may answer over and over',
    'stopped-service-offered': 'a service that the server lets nobody reach counts as offered',
  }),
  ...noticedBy(['troupe bus credentials'], {
    'login-not-shown': 'BUS-CONNECTION-3: a login that was replaced is not shown',
    'login-kept': 'BUS-CONNECTION-3: whoever was let in with the old login keeps using it',
    'key-shown-early': 'CLI-BOOK-1: a new key is shown before the server knows it',
  }),
  ...noticedBy(['requests'], {
    'header-of-two-lines': 'a value of two lines becomes another header',
    'requests-never-expire': 'BUS-REQUESTS-1: the time limits of requests after the first are not kept',
    'refused-request-waits': 'BUS-REQUESTS-1: a request that the server refuses waits for its time limit',
  }),
];
