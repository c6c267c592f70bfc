// Client authorities: a file, kept by others, with the authorities of the API server's client certificate; read again
// while it is used.
import type { Logger } from 'pino';
import { type Clock, FileChanges, TerminalError, toErrorData } from '../../bus/mod.ts';
import { certificatesOf, textOf } from './given-certificates.ts';

export interface ClientAuthoritiesDeps {
  readonly file: string;
  /** Told of them, as PEM, now and whenever they change. */
  admit(authorities: string): void;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
}

/** Resolves after the first read; then continues until `signal` is aborted. @throws {TerminalError} there are none */
export async function followClients(
  { file, admit, clock, log }: ClientAuthoritiesDeps,
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<void> }> {
  const read = async (): Promise<string> => {
    const authorities = certificatesOf(await textOf('--webhook-client-ca', file)).join('\n');
    if (authorities !== '') return authorities;
    throw new TerminalError(`--webhook-client-ca must name a file with certificates as PEM; got '${file}'`);
  };
  const changes = new FileChanges({ files: [file], clock, signal });
  let known = await read();
  admit(known);
  const follow = async (): Promise<void> => {
    let problem = '';
    for (;;) {
      await changes.next();
      if (signal.aborted) return;
      try {
        const found = await read();
        if (found !== known) admit(found);
        known = found;
        problem = '';
      } catch (error) {
        // Half of it may have been written.
        const { message } = toErrorData(error);
        if (message !== problem) log.warn({ error: message }, 'reading the client CA again failed; will retry');
        problem = message;
      }
    }
  };
  return { ended: follow() };
}
