// Certificates of the webhooks that Troupe makes itself, and when one follows another: data, and what is next to be done with it.
//
// Invariants:
//   HOOK-CERTIFICATE-BOOK-1. A certificate is served only when whom it comes from has been trusted for GRACE: a rotation breaks no connection. The
//       first one, and one that has ended, have nothing to lose.
//   HOOK-CERTIFICATE-BOOK-2. An authority is trusted for as long as a certificate of it may be served somewhere: until that ends.
//   HOOK-CERTIFICATE-BOOK-3. No authority signs a second certificate: its key is forgotten at once, and is kept nowhere.
import { isMap } from './data.ts';

export interface IssuedCertificate {
  /** PEM all. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
  /** Names it is good for. */
  readonly hosts: readonly string[];
}

export interface CertificateBook {
  /** Version of the format. */
  readonly version: 1;
  /** That is served. */
  readonly current: IssuedCertificate;
  /** That will be. */
  readonly next?: IssuedCertificate;
  /** Authorities whose certificates pods without the latest update may still serve. */
  readonly former: readonly { readonly authority: string; readonly endsAt: number }[];
}

/** In milliseconds. */
export interface RotationTimes {
  /** Validity of a certificate. */
  readonly validMs: number;
  /** Time before its end at which the next one is made. */
  readonly renewBeforeMs: number;
  /** Maximum time until API servers know a new authority. */
  readonly graceMs: number;
}

const DAY_MS = 24 * 3_600_000;

export const ROTATION: RotationTimes = { validMs: 90 * DAY_MS, renewBeforeMs: 30 * DAY_MS, graceMs: 60_000 };

export type BookStep =
  /** Make the next certificate, for these hosts. */
  | { readonly do: 'prepare'; readonly hosts: readonly string[] }
  /** Serve the next one from now on. */
  | { readonly do: 'promote' }
  /** Trust those no longer whose certificates have ended. */
  | { readonly do: 'retire' }
  /** Nothing before that time. */
  | { readonly do: 'wait'; readonly until: number };

/**
 * @param hosts  that the certificate must be good for
 * @param trustedSince  since when all that ask trust all authorities of the book; undefined: they do not
 */
export function nextStep(
  book: CertificateBook,
  hosts: readonly string[],
  now: number,
  trustedSince: number | undefined,
  { renewBeforeMs, graceMs }: RotationTimes,
): BookStep {
  const { current, next, former } = book;
  // First: where one rotation follows the other at once there would be no other time for it.
  if (former.some(({ endsAt }) => now >= endsAt)) return { do: 'retire' };
  if (next !== undefined) {
    const ripeAt = Math.min(current.endsAt, (trustedSince ?? Number.POSITIVE_INFINITY) + graceMs);
    return now >= ripeAt ? { do: 'promote' } : { do: 'wait', until: ripeAt };
  }
  const all = [...new Set([...current.hosts, ...hosts])].sort();
  const renewAt = current.endsAt - renewBeforeMs;
  // Other pods may need further names: no name is removed.
  if (now >= renewAt || all.length > current.hosts.length) return { do: 'prepare', hosts: all };
  return { do: 'wait', until: Math.min(renewAt, ...former.map(({ endsAt }) => endsAt)) };
}

export function begun(current: IssuedCertificate): CertificateBook {
  return { version: 1, current, former: [] };
}

export function prepared(book: CertificateBook, next: IssuedCertificate): CertificateBook {
  return { ...book, next };
}

export function promoted({ current, next, former }: CertificateBook): CertificateBook {
  if (next === undefined) throw new Error('there is no next certificate');
  return { version: 1, current: next, former: [...former, { authority: current.authority, endsAt: current.endsAt }] };
}

export function retired({ former, ...book }: CertificateBook, now: number): CertificateBook {
  return { ...book, former: former.filter(({ endsAt }) => now < endsAt) };
}

/** All trusted authorities, as one PEM text: the next, the current and the former ones. */
export function bundleOf({ current, next, former }: CertificateBook): string {
  const authorities = [current, ...(next === undefined ? [] : [next]), ...former].map(({ authority }) => authority);
  return [...new Set(authorities)].join('');
}

/** Undefined: it is none, or one of a later Troupe. */
export function parseBook(text: string): CertificateBook | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isMap(value)) return undefined;
  const { version, current, next, former } = value;
  if (version !== 1 || !isIssued(current) || (next !== undefined && !isIssued(next)) || !Array.isArray(former)) {
    return undefined;
  }
  const isFormer = (one: unknown): one is CertificateBook['former'][number] =>
    isMap(one) && typeof one['authority'] === 'string' && typeof one['endsAt'] === 'number';
  if (!former.every(isFormer)) return undefined;
  return { version, current, former, ...(next !== undefined && { next }) };
}

function isIssued(value: unknown): value is IssuedCertificate {
  if (!isMap(value)) return false;
  const { authority, certificate, key, endsAt, hosts } = value;
  return (
    [authority, certificate, key].every((text) => typeof text === 'string') &&
    typeof endsAt === 'number' &&
    Array.isArray(hosts) &&
    hosts.every((host) => typeof host === 'string')
  );
}
