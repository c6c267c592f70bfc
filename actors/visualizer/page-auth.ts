// Authentication of the page's readers.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type Admission =
  | { readonly kind: 'let-in' }
  /** From a link with the token: from now on by a cookie. */
  | { readonly kind: 'admitted'; readonly cookie: string }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string };

const COOKIE = 'troupe-token';
const LET_IN: Admission = { kind: 'let-in' };

export class PageAuth {
  readonly #digest: Buffer | undefined;

  /** @param token  undefined: all users of this machine */
  constructor(token: string | undefined) {
    this.#digest = token === undefined ? undefined : digestOf(token);
  }

  judge({ headers }: Pick<IncomingMessage, 'headers'>, url: URL): Admission {
    // mutant: other-site-answered if -> false
    if (isFromElsewhere(headers)) return { kind: 'refused', status: 403, why: 'pages of other sites get nothing here' };
    if (this.#digest === undefined) {
      if (isOwnHost(headers.host)) return LET_IN;
      return { kind: 'refused', status: 421, why: 'this page is for localhost' };
    }
    const reported = url.searchParams.get('token');
    if (reported !== null && this.#isRight(reported)) {
      const cookie = `${COOKIE}=${encodeURIComponent(reported)}; Path=/; HttpOnly; SameSite=Strict`;
      return { kind: 'admitted', cookie };
    }
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (bearer !== undefined && this.#isRight(bearer)) return LET_IN;
    const kept = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]*)`).exec(headers.cookie ?? '')?.[1];
    if (kept !== undefined && this.#isRight(decoded(kept))) return LET_IN;
    return { kind: 'refused', status: 401, why: 'open it with ?token=, or send the token as a bearer' };
  }

  #isRight(token: string): boolean {
    return this.#digest !== undefined && timingSafeEqual(digestOf(token), this.#digest);
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return ''; // not made here
  }
}

/** Whether a page of another site asks. A link there that a person follows leads here all the same. */
function isFromElsewhere(headers: IncomingMessage['headers']): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination, origin, host } = headers;
  if (site === undefined) return origin !== undefined && URL.parse(origin)?.host !== host;
  if (site === 'same-origin' || site === 'none') return false;
  return !(mode === 'navigate' && destination === 'document');
}

/** Whether a request names a loopback address: another name of this machine is none. */
function isOwnHost(host: string | undefined): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host ?? '');
}
