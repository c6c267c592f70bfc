// Missing permissions, logged for people: one line per kind of subject, rather than per message.

/** Error of the client library about a missing permission. */
export interface Refused {
  /** `publish` or `subscription`. */
  readonly operation: string;
  readonly subject: string;
}

/** Number of tokens that identify a kind of subject: `troupe.mail`, `$JS.API.STREAM.INFO`. */
const TOKENS = 2;
const API_TOKENS = 4;

/** @param user  whom this process takes itself for */
export function refusals(user: string, onWarning: (message: string) => void): (refused: Refused) => void {
  const reported = new Set<string>();
  return ({ operation, subject }) => {
    const tokens = subject.startsWith('$') ? API_TOKENS : TOKENS;
    const kind = `${operation} ${subject.split('.').slice(0, tokens).join('.')}`;
    if (reported.has(kind)) return;
    reported.add(kind);
    const what = operation === 'publish' ? 'publish on' : 'subscribe to';
    onWarning(
      `nats does not let us ${what} '${subject}', which '${user}' needs: the login must be the one that 'troupe bus credentials' made for '${user}', with the same adapters, and the server must have read its users since`,
    );
  };
}
