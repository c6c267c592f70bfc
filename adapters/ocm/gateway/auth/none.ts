// No authentication, for an API that only this machine reaches.
//
// Invariants:
//   OCM-NONE-1. A page of a web site gets nothing: neither by a name of its own for this address (DNS rebinding), nor by a form or
//       script of another site.
import { ANONYMOUS, type Authenticator, type AuthRequest, Unauthenticated } from './authenticator.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

export function noAuthentication(): Authenticator {
  return {
    async authenticate(request) {
      // mutant: gateway-none-other-site drop
      if (isFromElsewhere(request)) throw new Unauthenticated('Pages of other sites get nothing here', 403);
      return ANONYMOUS;
    },
  };
}

function isFromElsewhere({ headers }: AuthRequest): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (host !== undefined && !LOOPBACK.test(host)) return true;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
}
