// The bus: leases, the stream that may be lost, mail, requests.
import { type Change, noticedBy } from '../change.ts';

export const BUS: readonly Change[] = [
  ...noticedBy(['retry after'], {
    'retry-after-a-year': 'a server that asks to be left alone for a year is',
  }),
  ...noticedBy(['nats stream'], {
    'mail-no-json': 'B7: mail that is no JSON ends the process, and each that comes after it',
    'removal-in-another-stream': "B4: what is removed is somebody else's in another stream",
    'value-of-another-stream': 'B4: a value of another stream is handed over',
    'sequences-began-anew': 'P11: a stream whose sequences began anew goes unnoticed',
    'published-before-looked': 'S1: mail is published before the stream was looked at',
    'newer-format-read': 'mail of a newer format is read as if it were of this one',
    'stream-loss-unnoticed': 'P11: a loss that no event tells of is never noticed',
    'stream-change-untold': 'S2: nobody is told of another stream',
    'stream-rollback-unseen': 'S3: a stream that was rolled back and written again passes for the same',
    'stream-ready-after-reconnect': 'S1: after a reconnect the stream counts as checked',
  }),
  ...noticedBy(['lease'], {
    'lease-counts-from-answer': 'L1, B5: a lease counts from when its renewal was answered',
    'lease-given-up-late': 'L2: a lease is given up at its end, and not before',
    'lease-given-up-lasts': 'L3: a lease that was given up has not ended',
  }),
  ...noticedBy(['nats replay'], {
    'replay-waits-for-deleted': 'B3: a replay waits for ever for what was deleted meanwhile',
  }),
  ...noticedBy(['nats leases'], {
    'lease-earlier-acquisition': 'K2: a lease of an earlier acquisition counts as this one',
    'lease-time-lowered': 'K3: the time to live is lowered under a holder who relies on it',
    'lost-bucket-leased-at-once': 'K4: leases are got at once in a bucket that was lost',
    'first-bucket-not-awaited': 'K4: whoever finds a first bucket does not wait for what its maker learns',
  }),
  ...noticedBy(['nats server'], {
    'store-by-any-server': 'N4: a store is opened by whichever server is found',
    'package-unchecked': 'a package that is not what it was is run',
  }),
  ...noticedBy(['nats api'], {
    'asked-once': 'a question that the server swallowed is not asked again',
  }),
  ...noticedBy(['trace context'], {
    'trace-of-zeros': 'a trace id of zeros passes for one',
  }),
  ...noticedBy(['nats reader'], {
    'reader-misses-lost': 'R1: mail that was lost on the way is not asked for again',
    'reader-begins-anew': 'R1: a consumer made anew hands everything over again',
    'reader-unverified': 'R2: mail is handed over before anybody looked whether the stream is the same',
    'reader-hears-given-up': 'R3: deliveries of a consumer that was given up are handed over',
    'reader-silence': 'a consumer that fell silent is waited for for ever',
  }),
  ...noticedBy(['nats reader', 'nats api'], {
    'connection-sends-broken-off': 'C1: what was broken off is sent all the same',
  }),
  ...noticedBy(['holds'], {
    'held-begins-late': 'H1: what arrives late begins all the same',
    'held-unbegun-unanswered': 'H1: what has not begun counts as unanswered',
    'held-taken-for-unanswered': 'H2, B6: the caller takes for unanswered what may still go on',
    'held-outlasts-its-lease': 'B6: what is held outlasts the lease of whoever holds it',
    'held-ends-together': 'one whose lease ends takes the others with it',
    'held-server-silent': 'a server that does not ask any more is waited for for ever',
    'held-given-up-waits': 'what was given up is waited for for ever',
    'held-progress-backwards': 'H4: an older progress is heard after a newer',
    'held-confirmed-from-answer': 'H2: a confirmation counts from its answer',
    'held-given-up-runs-on': 'H3: what was given up goes on where the word is lost',
    'held-unconfirmed-runs-on': 'B6: what nobody confirms goes on',
    'held-made-good': 'what has run out is made good by an answer that comes later',
    'held-later-question-counts': 'of two answers that overtook one another only the later question counts',
    'held-asked-one-by-one': 'H3: each that is held is asked for by itself',
    'held-progress-each': 'H4: each progress is a message of its own',
    'held-answer-once': 'an answer is said once, heard or not',
    'held-last-progress-lost': 'what was told last is lost with the answer',
    'held-runs-on-after-service': 'a service that ends leaves running what it runs',
  }),
  ...noticedBy(['operations over the bus'], {
    'proof-lost-between-processes': 'I4: what proves nothing in its own process proves something in another',
  }),
  ...noticedBy(['permissions'], {
    'host-leads-watch': 'U1: who hosts actors may lead the watch',
    'inbox-of-everybody': 'U2: everybody reads what others are answered',
    'node-hears-others': 'U1: the adapter of a node hears what is asked of another',
    'holds-of-everybody': 'U3: whoever serves an adapter hears what others hold',
    'answers-over-and-over': 'U2: whoever was asked may answer over and over',
    'stopped-service-offered': 'a service that the server lets nobody reach counts as offered',
  }),
  ...noticedBy(['troupe bus credentials'], {
    'login-not-shown': 'C3: a login that was replaced is not shown',
    'login-kept': 'C3: whoever was let in with the old login keeps using it',
    'key-shown-early': 'C1: a new key is shown before the server knows it',
  }),
  ...noticedBy(['nats bus'], {
    'oversized-question': 'a question that is too large ends the process, if its answer has an inbox of its own',
  }),
];
