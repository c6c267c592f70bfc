// Access tokens of clusters, which they have in their pull secrets: `Authorization: AccessToken <cluster>:<token>`.
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Authenticator, credentialsOf, Unauthenticated } from './authenticator.ts';

/**
 * Takes access tokens, and leaves everything else to another way.
 *
 * @param tokens  by the identifiers of clusters
 */
export function accessTokens(tokens: ReadonlyMap<string, string>, other: Authenticator): Authenticator {
  const digests = new Map([...tokens].map(([cluster, token]) => [cluster, digestOf(token)]));
  const nothing = digestOf('');
  return {
    async authenticate(request) {
      if (!/^accesstoken\b/i.test(request.headers.authorization ?? '')) return other.authenticate(request);
      const { value } = credentialsOf(request);
      const [, cluster = '', token = ''] = /^([^:]+):(.+)$/.exec(value) ?? [];
      if (token === '') throw new Unauthenticated('Access token is malformed');
      const expected = digests.get(cluster);
      const isRight = timingSafeEqual(digestOf(token), expected ?? nothing);
      // mutant: gateway-any-access-token if -> false
      if (expected === undefined || !isRight) throw new Unauthenticated("Access token can't be verified");
      return { name: `cluster:${cluster}`, groups: [] };
    },
  };
}

/** @param text  a line `<cluster>:<token>` for each; empty ones and those that begin with `#` are skipped */
export function readAccessTokens(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').map((line) => line.trim());
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const at = line.indexOf(':');
      return line.startsWith('#') || at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
    }),
  );
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
