// The certificates that Troupe makes for its webhooks, in one Secret for all processes that serve them.
//
// Invariants:
//   HOOK-OWN-CERTIFICATES-1. The content of the Secret always wins: a pod that finds another pod's write uses that.
//   HOOK-OWN-CERTIFICATES-2. Nothing of a key is logged, or said in an error.
import type { Logger } from 'pino';
import { type KubeClient, type Objects, SECRETS, watchResource } from '../../adapters/kubernetes/mod.ts';
import { certify, makeAuthority } from '../../adapters/kubernetes/tls/certificates.ts';
import { AbsentError, type Clock, ConflictError, TerminalError, toErrorData } from '../../bus/mod.ts';
import { growingPauseMs } from '../../machines/backoff.ts';
import {
  type BookStep,
  begun,
  bundleOf,
  type CertificateBook,
  type IssuedCertificate,
  nextStep,
  parseBook,
  prepared,
  promoted,
  ROTATION,
  type RotationTimes,
  retired,
} from './certificate-book.ts';
import { mapOf } from './data.ts';
import type { CertificateSource, CertificateUser } from './source.ts';
import type { ServicePlace } from './trust.ts';

export interface OwnCertificatesDeps {
  readonly client: KubeClient;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Service of the server; the Secret has its name, in its namespace. */
  readonly service: ServicePlace;
  readonly times?: RotationTimes;
}

interface Kept {
  readonly book: CertificateBook;
  readonly resourceVersion: string;
}

const BOOK = 'book.json';
const BUNDLE = 'ca.crt';
const MANAGER = 'troupe-webhooks';
const PAUSES = { firstMs: 500, limitMs: 30_000 };

export function ownCertificates(deps: OwnCertificatesDeps): CertificateSource {
  const { client, objects, clock, log, service, times = ROTATION } = deps;
  const { namespace, name } = service;
  const collection = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  const path = `${collection}/${encodeURIComponent(name)}`;
  const hosts = ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`].map(
    (rest) => name + rest,
  );
  let known: CertificateBook | undefined;
  let served: string | undefined;
  let wake = (): void => undefined;
  let isDue = false;
  const due = (): void => {
    isDue = true;
    wake();
  };

  /** @throws {TerminalError} the Secret belongs to another owner */
  const read = async (): Promise<Kept | undefined> => {
    try {
      const { body } = await client.call({ method: 'GET', path });
      const { resourceVersion } = body['metadata'] as { readonly resourceVersion: string };
      const text = mapOf(body['data'])[BOOK];
      const book = typeof text === 'string' ? parseBook(Buffer.from(text, 'base64').toString()) : undefined;
      if (book === undefined) {
        throw new TerminalError(
          `Secret '${namespace}/${name}' is not what Troupe keeps its certificates in: delete it, or name another Service with --webhook-service`,
        );
      }
      return { book, resourceVersion };
    } catch (error) {
      if (error instanceof AbsentError) return undefined;
      throw error;
    }
  };

  const dataOf = (book: CertificateBook): Record<string, string> => {
    const files = { [BOOK]: JSON.stringify(book), [BUNDLE]: bundleOf(book) };
    return Object.fromEntries(
      Object.entries(files).map(([file, text]) => [file, Buffer.from(text).toString('base64')]),
    );
  };

  /** @throws {ConflictError} another one has written meanwhile */
  const write = async (book: CertificateBook, { resourceVersion }: Kept): Promise<void> => {
    await client.call({
      method: 'PATCH',
      path: `${path}?fieldManager=${MANAGER}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion }, data: dataOf(book) },
    });
  };

  /** Written under a fixed name: of two concurrent creates one gets a conflict (HOOK-OWN-CERTIFICATES-1). */
  const create = async (book: CertificateBook): Promise<void> => {
    const manager = `${MANAGER}-${Math.floor(clock.random() * 2 ** 48).toString(36)}`;
    await client.call({
      method: 'PATCH',
      path: `${path}?fieldManager=${manager}`,
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace, labels: { 'app.kubernetes.io/name': 'troupe' } },
        type: 'Opaque',
        data: dataOf(book),
      },
    });
  };

  const issue = async (of: readonly string[]): Promise<IssuedCertificate> => {
    const now = clock.now();
    const authority = await makeAuthority(`${name}-ca-${Math.floor(now)}`, now);
    const { certificate, key } = await certify(authority, { name, hosts: of, validMs: times.validMs }, now);
    // Certificates count whole seconds.
    const endsAt = Math.floor((now + times.validMs) / 1_000) * 1_000;
    return { authority: authority.certificate, certificate, key, endsAt, hosts: [...of].sort() };
  };

  const take = async (book: CertificateBook, user: CertificateUser): Promise<void> => {
    const isOtherBundle = known === undefined || bundleOf(known) !== bundleOf(book);
    known = book;
    if (isOtherBundle) user.renew();
    const { certificate } = book.current;
    if (served === certificate) return;
    await user.serve(book.current);
    served = certificate;
    log.info({ until: new Date(book.current.endsAt).toISOString() }, 'the webhooks have a certificate');
  };

  const done = async (step: BookStep, { book }: Kept): Promise<CertificateBook | undefined> => {
    if (step.do === 'prepare') return prepared(book, await issue(step.hosts));
    if (step.do === 'promote') return promoted(book);
    return step.do === 'retire' ? retired(book, clock.now()) : undefined;
  };

  /** @returns when to look again at the latest */
  const advance = async (user: CertificateUser): Promise<number> => {
    const kept = await read();
    if (kept === undefined) {
      // A deleted Secret means that new certificates are wanted; the served one stays until they are trusted.
      await create(known === undefined ? begun(await issue(hosts)) : prepared(known, await issue(known.current.hosts)));
      return clock.now();
    }
    await take(kept.book, user);
    const step = nextStep(kept.book, hosts, clock.now(), user.since(), times);
    const book = await done(step, kept);
    if (book === undefined) return step.do === 'wait' ? step.until : clock.now();
    await write(book, kept);
    log.info({ step: step.do }, 'renewing the webhook certificates');
    return clock.now();
  };

  return {
    get endsAt() {
      return known?.current.endsAt;
    },
    isEnough: (said) => known !== undefined && said === bundleOf(known),
    async bundle() {
      const kept = await read();
      if (kept === undefined) throw new ConflictError(`Secret '${namespace}/${name}' is being made`);
      return bundleOf(kept.book);
    },
    onTrust: due,
    async run(user, signal) {
      signal.addEventListener('abort', due);
      const watching = watchResource(
        { client, objects, clock },
        { resource: SECRETS, namespace, name },
        {
          onList: due,
          onChange: due,
          onGone: due,
          onTrouble: (error) => log.warn({ error }, 'watching the webhook certificates failed; will retry'),
          onRecovery: due,
        },
        signal,
      );
      let failures = 0;
      let problem = '';
      while (!signal.aborted) {
        isDue = false;
        let until: number;
        try {
          until = await advance(user);
          failures = 0;
          problem = '';
        } catch (error) {
          // Whose address is taken, or whose Secret is another's, cannot begin.
          if (error instanceof TerminalError && served === undefined) throw error;
          if (!(error instanceof ConflictError)) {
            const { message } = toErrorData(error);
            if (message !== problem)
              log.warn({ error: message }, 'maintaining the webhook certificates failed; will retry');
            problem = message;
            failures += 1;
          }
          const pauseMs = growingPauseMs(failures + 1, PAUSES) * (0.5 + clock.random() / 2);
          await clock.sleep(pauseMs, signal);
          continue;
        }
        const turn = new AbortController();
        wake = () => turn.abort();
        if (!isDue && !signal.aborted) await clock.sleep(Math.max(0, until - clock.now()), turn.signal);
      }
      await watching;
    },
  };
}
