// The service catalog: which URL a service has, and whether that is one to which the path of a call can be appended.

import type { Json, JsonObject } from '../../../bus/bus.ts';
import { TransientError } from '../../../bus/errors.ts';
import { withoutEnd } from '../../text/without-end.ts';
import type { CloudEntry } from './clouds-yaml.ts';

export interface Endpoint {
  readonly serviceType: string;
  readonly endpointInterface: string;
  readonly region: string;
  readonly url: string;
}

export type Catalog = readonly Endpoint[];

/** Versions that the paths of calls are below; services that are not listed are used as published. */
const VERSION_PATHS: Readonly<Record<string, string>> = { identity: '/v3', network: '/v2.0', image: '/v2' };

/** Other names under which a service may be published, the usual one first. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  'block-storage': ['volumev3', 'block-store', 'volume'],
  'shared-file-system': ['sharev2', 'share'],
};

/** Reads `token.catalog`; a token without scope has none. */
export function parseCatalog(value: Json | undefined): Catalog {
  const endpoints: Endpoint[] = [];
  for (const service of objects(value)) {
    for (const endpoint of objects(service['endpoints'])) {
      endpoints.push({
        serviceType: String(service['type']),
        endpointInterface: String(endpoint['interface']),
        region: String(endpoint['region_id'] ?? endpoint['region'] ?? ''),
        url: String(endpoint['url']),
      });
    }
  }
  return endpoints;
}

/** Characters of all endpoints that a session keeps: a hundred services have 10 000. */
const LONGEST_CATALOG = 64 * 1024;

/**
 * Part of the catalog that a session with these credentials can use. @throws {TransientError} it is too long to be kept
 */
export function usable(
  catalog: Catalog,
  { region, endpointInterface }: Pick<CloudEntry, 'region' | 'endpointInterface'>,
): Catalog {
  const fitting = catalog.filter(
    (endpoint) =>
      endpoint.endpointInterface === endpointInterface && (region === undefined || endpoint.region === region),
  );
  if (JSON.stringify(fitting).length > LONGEST_CATALOG) {
    throw new TransientError('the catalog is too long: name a region in the cloud, and see whether it is the cloud');
  }
  return fitting;
}

/**
 * The URL that a call's path is appended to, with the version and without a final slash.
 *
 * @param identity  Keystone's URL by the credentials, for catalogs that leave it out
 * @throws {TransientError} no such endpoint
 */
export function serviceUrl(
  catalog: Catalog,
  service: string,
  { region, endpointInterface }: Pick<CloudEntry, 'region' | 'endpointInterface'>,
  identity: string,
): string {
  const types = [service, ...(ALIASES[service] ?? [])];
  const fitting = catalog.filter(
    (endpoint) =>
      endpoint.endpointInterface === endpointInterface && (region === undefined || endpoint.region === region),
  );
  const found = types.map((type) => fitting.find((endpoint) => endpoint.serviceType === type)).find((each) => each);
  if (found === undefined && service === 'identity') return identity;
  const { bare, fault } = endpointIn(found?.url ?? '');
  if (fault === 'no URL') {
    const where = region === undefined ? '' : ` in region '${region}'`;
    throw new TransientError(`the catalog has no ${endpointInterface} endpoint of service '${service}'${where}`);
  }
  // mutant: catalog-chooses-path if -> fault === 'not HTTP'
  if (fault !== undefined) {
    throw new TransientError(
      `the ${endpointInterface} endpoint of service '${service}' holds more than an HTTP URL without query, fragment and user`,
    );
  }
  const version = VERSION_PATHS[service];
  return version === undefined ? bare : withVersion(bare, version);
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return (Array.isArray(value) ? value : []).filter(
    (member): member is JsonObject => typeof member === 'object' && member !== null && !Array.isArray(member),
  );
}

/** Faults in the order in which they are reported. */
export type EndpointFault = 'no URL' | 'not HTTP' | 'credentials' | 'query or fragment';

/** An endpoint, taken apart. */
export interface EndpointUrl {
  /** Origin and path without a final slash; empty where it is no URL. */
  readonly bare: string;
  /** Undefined: it may be called. */
  readonly fault: EndpointFault | undefined;
}

const VERSION = /\/v\d+(\.\d+)?$/;
/** Also of an empty user. */
const USER = /^[a-z]+:[/\\]*[^/\\?#]*@/i;

/** Endpoint from the credentials or from the catalog. */
export function endpointIn(text: string): EndpointUrl {
  if (!URL.canParse(text)) return { bare: '', fault: 'no URL' };
  const { origin, pathname, protocol, username, password } = new URL(text);
  return {
    bare: withoutEnd(`${origin}${pathname}`, '/'),
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
