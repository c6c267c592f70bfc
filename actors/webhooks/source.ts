// Sources of the webhooks' certificate: Troupe makes it, or another program provides it.
import type { Certificate } from './server.ts';

/** Facts that a source asks of the server. */
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
  /** The authorities to be trusted now, for a server that publishes these so far. @throws they cannot be read */
  bundle(said: string): Promise<string>;
  /** Something has changed about what is trusted. */
  onTrust(): void;
  /** When the certificate that is served ends, in milliseconds since the epoch; undefined: there is none. */
  readonly endsAt: number | undefined;
}
