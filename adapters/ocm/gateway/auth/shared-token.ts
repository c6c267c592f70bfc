// One secret that all callers share.
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Authenticator, credentialsOf, Unauthenticated } from './authenticator.ts';

/** @param token  sent as `Authorization: Bearer <token>` */
export function sharedToken(token: string): Authenticator {
  const expected = digestOf(token);
  return {
    async authenticate(request) {
      const { scheme, value } = credentialsOf(request);
      if (scheme !== 'bearer')
        throw new Unauthenticated(`Authentication type '${scheme.slice(0, 50)}' isn't supported`);
      // mutant: gateway-any-token if -> false
      if (!timingSafeEqual(digestOf(value), expected)) throw new Unauthenticated("Bearer token can't be verified");
      return { name: 'token', groups: [] };
    },
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
