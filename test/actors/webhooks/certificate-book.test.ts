// Which certificate is served when, and who is trusted meanwhile.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  begun,
  bundleOf,
  type CertificateBook,
  type IssuedCertificate,
  nextStep,
  parseBook,
  prepared,
  promoted,
  retired,
} from '../../../actors/webhooks/certificate-book.ts';

const test = suite('webhooks: the book of certificates');

const TIMES = { validMs: 90, renewBeforeMs: 30, graceMs: 5 };
const HOSTS = ['a'];

const issued = (name: string, now: number, hosts: readonly string[] = HOSTS): IssuedCertificate => ({
  authority: `(${name})`,
  certificate: name,
  key: `key of ${name}`,
  endsAt: now + TIMES.validMs,
  hosts,
});

/** Goes on until `end`, in steps of one. @returns what was done when */
function lived(book: CertificateBook, end: number, trusts: (now: number) => boolean): readonly string[] {
  const done: string[] = [];
  let now = book;
  let made = 1;
  let since: number | undefined;
  let bundle = bundleOf(book);
  for (let at = 0; at <= end; at++) {
    if (bundleOf(now) !== bundle) [bundle, since] = [bundleOf(now), undefined];
    since = trusts(at) ? (since ?? at) : undefined;
    for (;;) {
      const step = nextStep(now, HOSTS, at, since, TIMES);
      if (step.do === 'wait') break;
      if (step.do === 'promote') {
        const isTrusted = since !== undefined && at >= since + TIMES.graceMs;
        assert.ok(isTrusted || at >= now.current.endsAt, 'who serves is trusted (HOOK-CERTIFICATE-BOOK-1)');
      }
      now =
        step.do === 'prepare'
          ? prepared(now, issued(`c${++made}`, at))
          : step.do === 'promote'
            ? promoted(now)
            : retired(now, at);
      done.push(`${at} ${step.do} ${bundleOf(now)}`);
      if (bundleOf(now) !== bundle) [bundle, since] = [bundleOf(now), undefined];
    }
  }
  return done;
}

test('the next one is trusted for a while before it is served, and the one before until it ends (HOOK-CERTIFICATE-BOOK-1, HOOK-CERTIFICATE-BOOK-2)', () => {
  assert.equal(
    lived(begun(issued('c1', 0)), 160, () => true),
    [
      '60 prepare (c1)(c2)',
      '66 promote (c2)(c1)',
      '90 retire (c2)',
      '120 prepare (c2)(c3)',
      '126 promote (c3)(c2)',
      '150 retire (c3)',
    ],
  );
});

test('while it is not trusted it is not served, until there is nothing to lose (HOOK-CERTIFICATE-BOOK-1)', () => {
  assert.equal(
    lived(begun(issued('c1', 0)), 95, () => false),
    ['60 prepare (c1)(c2)', '90 promote (c2)(c1)', '90 retire (c2)'],
  );
  assert.equal(
    lived(begun(issued('c1', 0)), 89, (at) => at >= 70),
    ['60 prepare (c1)(c2)', '75 promote (c2)(c1)'],
  );
});

test('a name that is missing leads to another certificate, which has those of others as well', () => {
  const book = begun(issued('c1', 0, ['b']));
  assert.equal(nextStep(book, ['a'], 1, 0, TIMES), { do: 'prepare', hosts: ['a', 'b'] });
  assert.equal(nextStep(begun(issued('c1', 0, ['a', 'b'])), ['a'], 1, 0, TIMES), { do: 'wait', until: 60 });
});

test('a book is read as it was written, and nothing else is a book', () => {
  const book = promoted(prepared(begun(issued('c1', 0)), issued('c2', 60)));
  assert.equal(parseBook(JSON.stringify(book)), book);
  assert.equal(parseBook(JSON.stringify(prepared(book, issued('c3', 90)))), prepared(book, issued('c3', 90)));
  for (const text of [
    '',
    '[]',
    '{}',
    JSON.stringify({ ...book, version: 2 }),
    JSON.stringify({ ...book, current: { key: 'k' } }),
  ]) {
    assert.is(parseBook(text), undefined);
  }
});

test.run();
