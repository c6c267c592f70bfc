// The keys that tokens are verified with: a JSON Web Key Set of a file or a URL.
//
// Invariants:
//   OCM-KEYS-1. Keys are read again only when a token names one that is not known, and at most once in RELOAD_MS.
import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';

const RELOAD_MS = 60_000;

export interface KeysDeps {
  /** Reads the key set as it is now. */
  readonly load: () => Promise<unknown>;
  readonly now: () => number;
}

type LocalSet = ReturnType<typeof createLocalJWKSet>;
export type FindKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => ReturnType<LocalSet>;

/** @returns finds the key of a token; it throws what jose throws, or what `load` does at the first time */
export function reloadedKeys({ load, now }: KeysDeps): FindKey {
  let set: Promise<LocalSet> | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  const read = (): Promise<LocalSet> => {
    loadedAt = now();
    return load().then((keys) => createLocalJWKSet(keys as JSONWebKeySet));
  };
  return async (header, token) => {
    if (set === undefined) {
      set = read();
      set.catch(() => {
        set = undefined;
      });
    }
    const known = await set;
    try {
      return await known(header, token);
    } catch (error) {
      // mutant: gateway-keys-reload if -> true
      if (!(error instanceof errors.JWKSNoMatchingKey) || now() - loadedAt < RELOAD_MS) throw error;
    }
    // Keys that cannot be read now leave those that are known.
    const fresh = await read().catch(() => known);
    set = Promise.resolve(fresh);
    return await fresh(header, token);
  };
}
