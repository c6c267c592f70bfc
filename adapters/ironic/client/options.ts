// Options of the connection to Ironic, on the command line and in the environment.
import { TerminalError } from '../../../bus/errors.ts';
import type { Flag, FlagValue, Settings } from '../../api/adapter.ts';
import { wholeNumber } from '../../api/settings.ts';
import { type ProxySettings, proxyIn } from '../../http/proxies.ts';
import { parseGoDuration } from '../../text/go-duration.ts';

/** Where Ironic is: at a URL, or where a resource in the cluster says. */
export type Whereabouts =
  | { readonly kind: 'endpoint'; readonly endpoint: string }
  | { readonly kind: 'resource'; readonly namespace: string; readonly name: string };

export interface ConnectionOptions {
  /** Undefined if none is configured, as in processes that do not serve Ironic. */
  readonly whereabouts: Whereabouts | undefined;
  /** PEM; one that does not exist is not used. */
  readonly caFile: string;
  /** PEM; used if both exist. */
  readonly clientCertificateFile: string;
  readonly clientKeyFile: string;
  readonly verify: 'verified' | 'unverified';
  /** Directory with the files `username` and `password`. Without it no credentials are sent. */
  readonly authFolder: string;
  /** Longest that one request takes. */
  readonly timeoutMs: number;
  /** Validity of a successful readiness check in milliseconds; 0: the check is skipped. */
  readonly cacheTtlMs: number;
  /** Calls under way to Ironic at a time, of all processes that share it. */
  readonly callsInFlight: number;
  readonly proxy: ProxySettings | undefined;
}

export const CONNECTION_FLAGS = [
  {
    name: 'ironic-endpoint',
    variable: 'IRONIC_ENDPOINT',
    value: 'URL',
    help: 'of Ironic, such as https://ironic.example.com:6385/v1/; HTTP_PROXY, HTTPS_PROXY and NO_PROXY are for it too',
  },
  {
    name: 'ironic-name',
    variable: 'IRONIC_NAME',
    value: 'NAME',
    help: 'name of a resource ironics.ironic.metal3.io with the address of Ironic; takes precedence over the endpoint',
  },
  {
    name: 'ironic-namespace',
    variable: 'IRONIC_NAMESPACE',
    value: 'NAMESPACE',
    fallback: 'POD_NAMESPACE, or WATCH_NAMESPACE',
    help: 'of that resource',
  },
  {
    name: 'ironic-ca',
    variable: 'IRONIC_CACERT_FILE',
    value: 'FILE',
    fallback: '/opt/metal3/certs/ca/tls.crt',
    help: 'CA of the certificate of Ironic, in PEM; without this file the roots of the system',
  },
  {
    name: 'ironic-client-cert',
    variable: 'IRONIC_CLIENT_CERT_FILE',
    value: 'FILE',
    fallback: '/opt/metal3/certs/client/tls.crt',
    help: 'client certificate for Ironic, in PEM; used if it and its key exist',
  },
  {
    name: 'ironic-client-key',
    variable: 'IRONIC_CLIENT_PRIVATE_KEY_FILE',
    value: 'FILE',
    fallback: '/opt/metal3/certs/client/tls.key',
    help: 'the key of that certificate, in PEM',
  },
  {
    name: 'ironic-insecure',
    variable: 'IRONIC_INSECURE',
    value: 'true|false',
    fallback: 'false',
    help: 'accept any certificate of Ironic: only in a network where no other server can answer',
  },
  {
    name: 'ironic-skip-client-san-verify',
    variable: 'IRONIC_SKIP_CLIENT_SAN_VERIFY',
    value: 'true|false',
    fallback: 'false',
    help: 'taken as it was before, and changes nothing: the names in a client certificate are for Ironic to judge',
  },
  {
    name: 'ironic-auth-root',
    variable: 'METAL3_AUTH_ROOT_DIR',
    value: 'FOLDER',
    fallback: '/opt/metal3/auth',
    help: 'directory with the files ironic/username and ironic/password; without a directory ironic in it no login is used',
  },
  {
    name: 'ironic-client-timeout',
    variable: 'IRONIC_CLIENT_TIMEOUT',
    value: 'DURATION',
    fallback: '30s',
    help: 'longest that one request to Ironic takes; a Go duration',
  },
  {
    name: 'ironic-client-cache-ttl',
    variable: 'IRONIC_CLIENT_CACHE_TTL',
    value: 'DURATION',
    fallback: '5s',
    help: 'how long Ironic is not asked again whether it is ready; 0s: it always is',
  },
  {
    name: 'ironic-calls-in-flight',
    variable: 'TROUPE_IRONIC_CALLS_IN_FLIGHT',
    value: 'N',
    fallback: '16',
    help: 'calls to Ironic at a time, of all pods that host actors together, and one of each at least',
  },
] as const satisfies readonly Flag[];

type FlagName = (typeof CONNECTION_FLAGS)[number]['name'];

const FOLDER_OF_CREDENTIALS = 'ironic';

/**
 * Reads the options; no file is touched.
 *
 * @throws {TerminalError} names the flag or variable, the rule, and what it got
 */
export function connectionOptions({ flag, variable }: Settings): ConnectionOptions {
  const given = (name: FlagName): FlagValue => flag(name);
  const file = (name: FlagName): string => given(name).value || fallbackOf(name);
  // Read for its rule alone: no client looks at the names in its own certificate.
  truthOf(given('ironic-skip-client-san-verify'));
  return {
    whereabouts: whereaboutsOf(given, variable),
    caFile: file('ironic-ca'),
    clientCertificateFile: file('ironic-client-cert'),
    clientKeyFile: file('ironic-client-key'),
    verify: truthOf(given('ironic-insecure')) ? 'unverified' : 'verified',
    authFolder: `${file('ironic-auth-root').replace(/\/+$/, '')}/${FOLDER_OF_CREDENTIALS}`,
    timeoutMs: durationOf(given('ironic-client-timeout'), fallbackOf('ironic-client-timeout'), 'positive'),
    cacheTtlMs: durationOf(given('ironic-client-cache-ttl'), fallbackOf('ironic-client-cache-ttl'), 'not negative'),
    callsInFlight: wholeNumber(given('ironic-calls-in-flight'), { fallback: 16, least: 1, unit: 'calls' }),
    proxy: proxyIn(variable),
  };
}

/**
 * The URL of Ironic without the version at its end, and without a slash: `/v1/...` comes after it.
 *
 * @throws {TerminalError} `name` must be the URL of an HTTP service, without more; of a URL with a password nothing is quoted
 */
export function endpointOf({ name, value = '' }: FlagValue): string {
  const rule = `${name} must be an http or https URL, such as http://ironic.example.com:6385/v1/`;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    throw new TerminalError(`${name} must be a URL without user and password, which belong to files or a Secret`);
  }
  // An invalid URL may contain a password too.
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new TerminalError(rule);
  if (url.search !== '' || url.hash !== '') throw new TerminalError(`${rule}, without query and fragment`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}

function whereaboutsOf(given: (name: FlagName) => FlagValue, variable: Settings['variable']): Whereabouts | undefined {
  const resource = given('ironic-name');
  if (resource.value) {
    const { name: namespaceName, value: own } = given('ironic-namespace');
    const namespace = own || variable('POD_NAMESPACE') || variable('WATCH_NAMESPACE') || '';
    checkName(resource.name, resource.value);
    if (namespace === '') throw new TerminalError(`${namespaceName} must be set where ${resource.name} is`);
    if (!NAMESPACE.test(namespace)) {
      throw new TerminalError(`${namespaceName} must be one namespace; got '${namespace}'`);
    }
    return { kind: 'resource', namespace, name: resource.value };
  }
  const endpoint = given('ironic-endpoint');
  return endpoint.value ? { kind: 'endpoint', endpoint: endpointOf(endpoint) } : undefined;
}

/** RFC 1123: a label; a resource's name has several with dots between. */
const NAMESPACE = /^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const RESOURCE_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function checkName(variable: string, name: string): void {
  if (!RESOURCE_NAME.test(name)) throw new TerminalError(`${variable} must be the name of a resource; got '${name}'`);
}

function fallbackOf(name: FlagName): string {
  const found: Flag | undefined = CONNECTION_FLAGS.find((each) => each.name === name);
  return found?.fallback ?? '';
}

function truthOf({ name, value }: FlagValue): boolean {
  const text = (value || 'false').toLowerCase();
  if (text !== 'true' && text !== 'false') throw new TerminalError(`${name} must be true or false; got '${value}'`);
  return text === 'true';
}

function durationOf({ name, value }: FlagValue, fallback: string, rule: 'positive' | 'not negative'): number {
  const durationMs = parseGoDuration(value || fallback);
  if (durationMs === undefined || durationMs < 0 || (rule === 'positive' && durationMs === 0)) {
    throw new TerminalError(`${name} must be a Go duration such as 30s, ${rule}; got '${value}'`);
  }
  return durationMs;
}
