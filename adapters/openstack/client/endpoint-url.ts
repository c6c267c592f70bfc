// Valid endpoints: HTTP URLs with a host and a path, to which a call's own path can be appended.

/** Faults in the order in which they are reported. */
export type EndpointFault = 'no URL' | 'not HTTP' | 'credentials' | 'query or fragment';

/** An endpoint, taken apart. */
export interface Endpoint {
  /** Origin and path without a final slash; empty where it is no URL. */
  readonly bare: string;
  /** Undefined: it may be called. */
  readonly fault: EndpointFault | undefined;
}

const VERSION = /\/v\d+(\.\d+)?$/;
/** Also of an empty user. */
const USER = /^[a-z]+:[/\\]*[^/\\?#]*@/i;

/** Endpoint from the credentials or from the catalog. */
export function endpointIn(text: string): Endpoint {
  if (!URL.canParse(text)) return { bare: '', fault: 'no URL' };
  const { origin, pathname, protocol, username, password } = new URL(text);
  return {
    bare: `${origin}${pathname}`.replace(/\/+$/, ''),
    fault: !/^https?:$/.test(protocol)
      ? 'not HTTP'
      : username !== '' || password !== '' || USER.test(text)
        ? 'credentials'
        : // Also an empty one, of which a URL says nothing.
          /[?#]/.test(text)
          ? 'query or fragment'
          : undefined,
  };
}

/** With another version at its end, or with one. @param version  with its slash: `/v3` */
export function withVersion(bare: string, version: string): string {
  return `${bare.replace(VERSION, '')}${version}`;
}
