// Certificate and key of a served model in files that others keep, such as cert-manager in a mounted Secret.
//
// Invariants:
//   OCM-TLS-1. A certificate that does not fit its key is not served: what was served before stays.
import { readFileSync } from 'node:fs';
import { TerminalError } from '../../../bus/errors.ts';
import { FileChanges, toErrorData } from '../../../bus/mod.ts';
import type { Clock } from '../../../bus/time.ts';
import { orRefuse } from './session.ts';

/** PEM both. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** Paths. */
export interface TlsFiles extends Certificate {}

export interface FollowDeps {
  readonly clock: Clock;
  /** @throws {TerminalError} they do not fit */
  readonly renew: (certificate: Certificate) => void;
  /** undefined: a new certificate is served. */
  readonly onChange: (problem: string | undefined) => void;
  readonly signal: AbortSignal;
}

/**
 * The files that the options name.
 *
 * @param prefix  of the options' names: `tls` or `ocm-tls`
 * @returns undefined where nothing is encrypted
 * @throws {TerminalError} one is named without the other
 */
export function tlsFilesOf(
  certificate: string | undefined,
  key: string | undefined,
  prefix: 'tls' | 'ocm-tls',
): TlsFiles | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new TerminalError(`--${prefix}-cert and --${prefix}-key belong together`);
  return { certificate, key };
}

/** @throws {TerminalError} one cannot be read */
export function certificateIn(files: TlsFiles): Certificate {
  return orRefuse(() => ({
    certificate: readFileSync(files.certificate, 'utf8'),
    key: readFileSync(files.key, 'utf8'),
  }));
}

/** Serves what the files have from now on, until `signal` is aborted. */
export async function followFiles(
  files: TlsFiles,
  served: Certificate,
  { clock, renew, onChange, signal }: FollowDeps,
): Promise<void> {
  const changes = new FileChanges({ files: [files.certificate, files.key], clock, signal });
  let [now, problem] = [served, ''];
  while (!signal.aborted) {
    try {
      const found = certificateIn(files);
      const isSame = found.certificate === now.certificate && found.key === now.key;
      if (!isSame) {
        renew(found);
        now = found;
        onChange(undefined);
      }
      problem = '';
    } catch (error) {
      // Half of it may have been written.
      const { message } = toErrorData(error);
      if (message !== problem) onChange(message);
      problem = message;
    }
    await changes.next();
  }
}
