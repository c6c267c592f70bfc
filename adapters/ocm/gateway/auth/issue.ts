// A token that the public client accepts, for the authentication `token`: it has the form of a JSON Web Token. Nothing verifies its
// signature; the server compares the whole.
import { createHmac, randomBytes } from 'node:crypto';

export interface IssueOptions {
  /** Name of the user, as clients show it. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  /** Seconds; 0: it does not expire. */
  readonly validForS: number;
}

/** @returns a random token */
export function issueToken({ name, issuedAt, validForS }: IssueOptions): string {
  const iat = Math.floor(issuedAt / 1_000);
  const claims = {
    typ: 'Bearer',
    iss: 'troupe',
    jti: randomBytes(32).toString('base64url'),
    username: name,
    iat,
    exp: validForS === 0 ? 0 : iat + validForS,
  };
  const signed = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) => encoded(JSON.stringify(part))).join('.');
  return `${signed}.${createHmac('sha256', randomBytes(32)).update(signed).digest('base64url')}`;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}
