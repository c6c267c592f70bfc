// URLs as values of CEL, split as Go's net/url splits them: nothing is normalized except the case of the scheme.
import { isIPv6 } from 'node:net';
import { type JsonMap, put } from '../text/json.ts';

export class Url {
  readonly scheme: string;
  /** Host and port, without percent-encoding. */
  readonly host: string;
  /** Path as it was written, or empty if the URL has no hierarchy, such as `mailto:a@b`. */
  readonly path: string;
  readonly query: string;
  readonly #rest: string;

  constructor({ scheme, host, path, query, rest }: UrlParts) {
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
    this.#rest = rest;
  }

  /** Host without port and brackets. */
  get hostname(): string {
    return this.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/s, '$1');
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? '';
  }

  get escapedPath(): string {
    if (this.path === '*' || /^[\w.~!$&'()*+,;=:@[\]%/-]*$/.test(this.path)) return this.path;
    return [...decoded(this.path)]
      .map((byte) => {
        const sign = String.fromCharCode(byte);
        return /[\w.~$&+,/:;=@-]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      })
      .join('');
  }

  /** Values of the query by key. Pairs that are not encoded correctly are left out. */
  get values(): JsonMap {
    const result: JsonMap = {};
    for (const pair of this.query.split('&')) {
      if (pair === '' || pair.includes(';') || isBadlyEncoded(pair)) continue;
      const [key = '', value = ''] = cut(pair.replaceAll('+', ' '), '=').map((part) => decoded(part).toString());
      if (Object.hasOwn(result, key)) (result[key] as string[]).push(value);
      else put(result, key, [value]);
    }
    return result;
  }

  toString(): string {
    return `${this.scheme}:${this.#rest}`;
  }
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  /** Text after the scheme. */
  readonly rest: string;
}

/** The text before and after the first separator. */
function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

const isBadlyEncoded = (text: string): boolean => /%(?![0-9a-fA-F]{2})/.test(text);

/** The bytes of a text whose percent-encoding is correct. */
function decoded(text: string): Buffer {
  return Buffer.concat(
    text
      .split(/(%[0-9a-fA-F]{2})/)
      .map((part, index) => (index % 2 === 1 ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part))),
  );
}

/** Whether a text is a URL with a scheme, or an absolute path. A fragment is taken for a part of the path. */
export function isUrl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  return text !== '' && !/[\x00-\x1f\x7f]/.test(text) && split(text, { isRequest: true }) !== undefined;
}

/** URL without its fragment; undefined if the text is none. */
export function parseUrl(text: string): Url | undefined {
  const [before, fragment] = cut(text, '#');
  return isUrl(text) && !isBadlyEncoded(fragment) ? split(before, { isRequest: false }) : undefined;
}

/** @param options.isRequest  whether a text that starts with two slashes is a path instead of a host and a path */
function split(text: string, { isRequest }: { readonly isRequest: boolean }): Url | undefined {
  const [, prefix = '', rest = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  const scheme = prefix.toLowerCase();
  const [hierarchy, query] = cut(rest, '?');
  if (text === '*') return new Url({ scheme, host: '', path: text, query, rest });
  if (!hierarchy.startsWith('/')) {
    return scheme === '' ? undefined : new Url({ scheme, host: '', path: '', query, rest });
  }
  const hasHost = scheme !== '' || !(isRequest || hierarchy.startsWith('///'));
  const [, authority = '', path = hierarchy] = (hasHost && /^\/\/([^/]*)(.*)$/s.exec(hierarchy)) || [];
  const host = hostOf(authority);
  if (host === undefined || isBadlyEncoded(path)) return undefined;
  return new Url({ scheme, host, path, query, rest });
}

/** Host of an authority, without percent-encoding; undefined if the authority is invalid. */
function hostOf(authority: string): string | undefined {
  const [, user = '', host = ''] = /^(?:(.*)@)?([^@]*)$/s.exec(authority) ?? [];
  if (isBadlyEncoded(user) || !/^[\w\-.:~!$&'()*+,;=%@]*$/.test(user)) return undefined;
  const port = /:([^:\]]*)$/.exec(host)?.[1] ?? '';
  if (/\D/.test(port)) return undefined;
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    const [address, zone] = cut(host.slice(1, end), '%25');
    if (!/^(:\d*)?$/.test(host.slice(end + 1)) || !isIPv6(address) || isBadlyEncoded(zone)) return undefined;
  } else if (/[ #\\^`{|}]/.test(host) || /%(?!25|[89a-fA-F][0-9a-fA-F])/.test(host)) return undefined;
  return decoded(host).toString();
}
