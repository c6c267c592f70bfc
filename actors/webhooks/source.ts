// Source of the webhooks' certificate: Troupe makes it, or it is configured.
import type { Certificate } from './server.ts';

/** Requirements of a source on the server. */
export interface CertificateUser {
  /** Serves with this certificate from now on. @throws {TerminalError} they do not fit */
  serve(certificate: Certificate): Promise<void>;
  /** Called when the trusted authorities have changed. */
  renew(): void;
  /** Time since which all objects have the bundle, as `Trust.since`. */
  since(): number | undefined;
}

export interface CertificateSource {
  /** Provides certificates until `signal` is aborted. @throws {TerminalError} there can be none */
  run(user: CertificateUser, signal: AbortSignal): Promise<void>;
  /** Whether these authorities, as PEM, are the trusted ones, if known. */
  isEnough(said: string): boolean;
  /** Current bundle for an object with this bundle. @throws it cannot be determined */
  bundle(said: string): Promise<string>;
  /** Called when the trust in the cluster has changed. */
  onTrust(): void;
  /** End of the served certificate, in milliseconds since the epoch; undefined if there is none. */
  readonly endsAt: number | undefined;
}
