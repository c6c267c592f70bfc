// Authentication of a request by its token.
import { timingSafeEqual } from 'node:crypto';
import { ADMIN, ANONYMOUS, type User } from '../access/user.ts';
import { unauthorized } from '../base/api-error.ts';
import { type AccountTokens, ISSUER, type Verified } from './account-tokens.ts';

export interface Authentication {
  /**
   * @param header  `Authorization` of the request, or undefined; a request without one is anonymous
   * @param warn  hears why a header was ignored
   * @throws {ApiError} 401 a token was shown and does not hold
   */
  userOf(header: string | undefined, warn: (text: string) => void): User;
  /** Judges a token for another server. */
  review(token: string, audiences: readonly string[]): Verified;
}

/** Audience that a token must have when it is shown to this server. */
export const SERVER_AUDIENCES: readonly string[] = [ISSUER];

const EXTRA_SPACE = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

export function authentication(adminToken: string, tokens: AccountTokens): Authentication {
  const expected = Buffer.from(adminToken);
  const isAdmin = (token: string): boolean => {
    const given = Buffer.from(token);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  const review = (token: string, audiences: readonly string[]): Verified => {
    if (!isAdmin(token)) return tokens.verify(token, audiences);
    const common = SERVER_AUDIENCES.filter((audience) => audiences.includes(audience));
    return common.length === 0 ? { kind: 'bad', why: '' } : { kind: 'good', user: ADMIN, audiences: common };
  };
  return {
    userOf(header, warn) {
      const [, scheme = '', token = ''] = /^(\S+) (.*)$/.exec(header?.trim() ?? '') ?? [];
      if (scheme.toLowerCase() !== 'bearer') return ANONYMOUS;
      if (token.startsWith(' ')) {
        warn(EXTRA_SPACE);
        return ANONYMOUS;
      }
      const verified = review(token.split(' ', 1)[0] ?? '', SERVER_AUDIENCES);
      if (verified.kind === 'bad') throw unauthorized();
      return verified.user;
    },
    review,
  };
}
