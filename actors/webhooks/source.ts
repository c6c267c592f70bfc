// Source of the webhooks' certificate: Troupe makes it, or it is configured.
import type { Certificate } from './server.ts';

/** Requirements of a source on the server. */
export interface CertificateUser {
  /** Serves by this from now on. @throws {TerminalError} they do not fit */
  serve(certificate: Certificate): Promise<void>;
  /** Other authorities are to be trusted. */
  renew(): void;
  /** As of `Trust`. */
  since(): number | undefined;
}

export interface CertificateSource {
  /** Brings certificates until `signal` is aborted. @throws {TerminalError} there can be none */
  run(user: CertificateUser, signal: AbortSignal): Promise<void>;
  /** Whether these authorities, as PEM, are what is to be trusted, as far as is known. */
  isEnough(said: string): boolean;
  /** Current bundle for an object with this bundle. @throws it cannot be determined */
  bundle(said: string): Promise<string>;
  /** Something has changed about what is trusted. */
  onTrust(): void;
  /** When the certificate that is served ends, in milliseconds since the epoch; undefined: there is none. */
  readonly endsAt: number | undefined;
}
