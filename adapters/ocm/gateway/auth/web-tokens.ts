// JSON Web Tokens, verified with the keys of their issuer.
//
// Invariants:
//   OCM-WEB-TOKENS-1. A token is taken only with a signature of a public key of the set, within its time, and of type `Bearer` or none.
//   OCM-WEB-TOKENS-2. A token of another issuer, or for another audience, is refused where they are given.
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Caller } from '../store/store.ts';
import { type Authenticator, credentialsOf, Unauthenticated } from './authenticator.ts';
import type { FindKey } from './keys.ts';

export interface WebTokensDeps {
  readonly findKey: FindKey;
  readonly now: () => number;
  /** The claim `iss` that tokens must have; without it every token that a key of the set signed counts. */
  readonly issuer?: string | undefined;
  /** Text that must be in the claim `aud` of tokens; without it tokens for other services count too. */
  readonly audience?: string | undefined;
  /** Called when the keys cannot be read. */
  readonly onTrouble: (error: unknown) => void;
}

/** Public-key algorithms: a secret in a set would let its readers sign. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Tolerated difference between the clocks of two machines. */
const TOLERANCE_S = 5;

export function webTokens({ findKey, now, issuer, audience, onTrouble }: WebTokensDeps): Authenticator {
  return {
    async authenticate(request) {
      const { scheme, value } = credentialsOf(request);
      if (scheme !== 'bearer')
        throw new Unauthenticated(`Authentication type '${scheme.slice(0, 50)}' isn't supported`);
      const currentDate = new Date(now());
      const options = {
        algorithms: ALGORITHMS,
        currentDate,
        clockTolerance: TOLERANCE_S,
        requiredClaims: ['iat', 'exp'],
        // mutant: gateway-any-issuer drop
        ...(issuer !== undefined && { issuer }),
        // mutant: gateway-any-audience drop
        ...(audience !== undefined && { audience }),
      };
      let payload: JWTPayload;
      try {
        ({ payload } = await jwtVerify(value, findKey, options));
      } catch (error) {
        throw refusal(error, onTrouble);
      }
      const { typ, iat = 0 } = payload;
      // mutant: gateway-token-from-future if -> false
      if (iat > now() / 1_000 + TOLERANCE_S) throw new Unauthenticated('Bearer token was issued in the future');
      // mutant: gateway-refresh-token if -> false
      if (typ !== undefined && typ !== 'Bearer') {
        throw new Unauthenticated(`Bearer token type '${String(typ).slice(0, 50)}' isn't allowed`);
      }
      return callerOf(payload);
    },
  };
}

function callerOf(payload: JWTPayload): Caller {
  const name = [payload['username'], payload['preferred_username'], payload.sub].find(
    (each) => typeof each === 'string',
  );
  const { groups } = payload;
  return {
    name: typeof name === 'string' ? name : '',
    groups: Array.isArray(groups) ? groups.filter((each) => typeof each === 'string') : [],
  };
}

function refusal(error: unknown, onTrouble: (error: unknown) => void): Unauthenticated {
  if (error instanceof errors.JWTExpired) return new Unauthenticated('Bearer token is expired');
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing')
      return new Unauthenticated(`Bearer token doesn't contain required claim '${error.claim}'`);
    if (error.claim === 'nbf' && error.reason === 'check_failed')
      return new Unauthenticated("Bearer token isn't valid yet");
    return new Unauthenticated(`Bearer token has a claim '${error.claim}' that isn't valid`);
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return new Unauthenticated("Signature of bearer token isn't valid");
  }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) {
    return new Unauthenticated('Bearer token is malformed');
  }
  if (!(error instanceof errors.JOSEError)) onTrouble(error);
  return new Unauthenticated("Bearer token can't be verified");
}
