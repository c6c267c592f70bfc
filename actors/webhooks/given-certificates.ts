// Certificates in files that others keep, such as cert-manager in a mounted Secret: read again while they are served.
//
// Invariants:
//   HOOK-GIVEN-CERTIFICATES-1. A certificate that does not fit its key is not served: what was served before stays.
//   HOOK-GIVEN-CERTIFICATES-2. Whom others of these processes still need is not taken out of what is trusted: authorities stay until they end.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { type Clock, FileChanges, TerminalError, toErrorData } from '../../bus/mod.ts';
import type { CertificateSource, CertificateUser } from './source.ts';

/** Paths. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  /** File of the trusted authorities; undefined: another component distributes them. */
  readonly ca: string | undefined;
}

export interface GivenCertificatesDeps {
  readonly files: CertificateFiles;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

interface Contents {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
  readonly endsAt: number;
}

/**
 * Maximum time that a new certificate waits until its authority is trusted: the component that provides both may have
 * arranged it.
 */
const TRUST_WITHIN_MS = 60_000;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** @param deps.files  `ca` goes into what the API server trusts */
export function givenCertificates({ files, clock, log }: GivenCertificatesDeps): CertificateSource {
  let served: Contents | undefined;
  let authorities: readonly string[] = [];

  const read = async (): Promise<Contents> => {
    const [certificate, key, ca] = await Promise.all([
      textOf('--webhook-cert', files.certificate),
      textOf('--webhook-key', files.key),
      files.ca === undefined ? '' : textOf('--webhook-ca', files.ca),
    ]);
    if (files.ca !== undefined && certificatesOf(ca).length === 0) {
      throw new TerminalError(`--webhook-ca must name a file with certificates as PEM; got '${files.ca}'`);
    }
    return { certificate, key, ca, endsAt: endOf(certificate, files.certificate) };
  };

  const take = async (found: Contents, user: CertificateUser, signal: AbortSignal): Promise<void> => {
    authorities = certificatesOf(found.ca);
    user.renew();
    // The first one has nothing to lose.
    if (served !== undefined && found.ca !== '') await trusted(user, clock, signal);
    await user.serve(found);
    served = found;
    log.info({ until: new Date(found.endsAt).toISOString() }, 'the webhooks have a certificate');
  };

  return {
    get endsAt() {
      return served?.endsAt;
    },
    isEnough: (said) => authorities.every((one) => said.includes(one)),
    async bundle(said) {
      const others = certificatesOf(said).filter((one) => !authorities.includes(one) && !hasEnded(one, clock.now()));
      return [...authorities, ...others].map((one) => `${one}\n`).join('');
    },
    onTrust: () => undefined,
    async run(user, signal) {
      const { certificate, key, ca = [] } = files;
      const changes = new FileChanges({ files: [certificate, key, ca].flat(), clock, signal });
      await take(await read(), user, signal);
      let problem = '';
      while (!signal.aborted) {
        await changes.next();
        if (signal.aborted) return;
        try {
          const found = await read();
          const isSame =
            found.certificate === served?.certificate && found.key === served.key && found.ca === served.ca;
          if (!isSame) await take(found, user, signal);
          problem = '';
        } catch (error) {
          // Half of it may have been written.
          const { message } = toErrorData(error);
          if (message !== problem)
            log.warn({ error: message }, 'reading the webhook certificate files failed; will retry');
          problem = message;
        }
      }
    },
  };
}

async function trusted(user: CertificateUser, clock: Clock, signal: AbortSignal): Promise<void> {
  const until = clock.now() + TRUST_WITHIN_MS;
  while (user.since() === undefined && clock.now() < until && !signal.aborted) await clock.sleep(1_000, signal);
}

export async function textOf(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new TerminalError(`${option}: ${toErrorData(error).message}`, { cause: error });
  }
}

function endOf(certificate: string, file: string): number {
  try {
    return new X509Certificate(certificate).validToDate.getTime();
  } catch (error) {
    throw new TerminalError(`--webhook-cert must name a file with a certificate as PEM; got '${file}'`, {
      cause: error,
    });
  }
}

export const certificatesOf = (pem: string): readonly string[] => pem.match(PEM) ?? [];

/** An invalid certificate has ended too. */
function hasEnded(certificate: string, now: number): boolean {
  try {
    return new X509Certificate(certificate).validToDate.getTime() <= now;
  } catch {
    return true;
  }
}
