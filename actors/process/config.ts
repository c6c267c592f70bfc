// Configuration: environment and options, read once at start.
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { TerminalError } from '../../bus/mod.ts';
import { type ListenAddress, parseListenAddress } from '../telling/listen-address.ts';

/** What a process may be asked to do; all in one process unless told. */
export const Role = { Watch: 'watch', Actors: 'actors', Openstack: 'openstack' } as const;
export type Role = (typeof Role)[keyof typeof Role];

export interface Config {
  /** Path of a kubeconfig; undefined: none was named, and no in-cluster credentials are there. */
  readonly kubeconfig: string | undefined;
  /** URL of the API server, as a pod is told it; undefined: this is no pod. */
  readonly inCluster: string | undefined;
  /** Undefined: none was named. */
  readonly natsUrl: string | undefined;
  readonly natsFiles: {
    readonly credentials: string | undefined;
    readonly nkey: string | undefined;
    readonly ca: string | undefined;
    readonly certificate: string | undefined;
    readonly key: string | undefined;
  };
  /** Separates deployments on one NATS server; undefined: `troupe`. */
  readonly natsPrefix: string | undefined;
  /** A nats-server to run for development. */
  readonly natsServer: string | undefined;
  readonly cache: string;
  readonly path: string;
  readonly roles: ReadonlySet<Role>;
  readonly shards: number;
  /** How long a lease lasts without renewal, in milliseconds. */
  readonly leaseMs: number;
  /** Longest time a call to a cloud may take, in milliseconds; always well within a lease. */
  readonly callMs: number;
  readonly logLevel: string;
  /** Kinds to care for, CamelCase or plural; undefined: all, once nobody else cares for them. */
  readonly kinds: readonly string[] | undefined;
  /** Namespaces to care for; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Where `/healthz` and `/readyz` are served; undefined: nowhere. */
  readonly healthAddress: ListenAddress | undefined;
  /** Where `/metrics` is served; undefined: nowhere. */
  readonly metricsAddress: ListenAddress | undefined;
  /** `/metrics` over TLS, and only for whom the cluster allows it. */
  readonly metricsSecure: boolean;
  readonly podName: string | undefined;
  /** Whether Kubernetes Events are written. */
  readonly events: boolean;
  /** A Go duration, as `--default-resync-period` of those who come from there. */
  readonly defaultResyncPeriod: string;
  /** Calls under way to one cloud at a time. */
  readonly callsInFlight: number;
  /** A file in PEM: the CA of clouds whose secret has none. */
  readonly defaultCaFile: string | undefined;
  /** For the clouds, as usual in the environment; this machine is always reached directly. */
  readonly proxy: { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string } | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param options  of the command line; they go before the environment
 * @throws {TerminalError} names the variable or option, the rule, and what it got
 */
export function readConfig(env: Environment, options: Environment = {}): Config {
  const read = (option: string, variable: string): Given => {
    const given = options[option];
    return given === undefined
      ? { name: variable, value: env[variable] || undefined }
      : { name: `--${option}`, value: given };
  };
  const whole = (option: string, variable: string, fallback: number, least: number, unit: string): number => {
    const { name, value } = read(option, variable);
    const number = Number(value ?? fallback);
    if (Number.isInteger(number) && number >= least) return number;
    throw new TerminalError(`${name} must be a whole number of ${unit}, at least ${least}; got '${value}'`);
  };
  const leaseMs = whole('lease-ms', 'TROUPE_LEASE_MS', 15_000, 1_000, 'milliseconds');
  return {
    kubeconfig: read('kubeconfig', 'KUBECONFIG').value,
    inCluster: inCluster(env),
    natsUrl: read('nats-url', 'NATS_URL').value,
    natsFiles: {
      credentials: env['NATS_CREDS'],
      nkey: env['NATS_NKEY'],
      ca: env['NATS_CA'],
      certificate: env['NATS_CERT'],
      key: env['NATS_KEY'],
    },
    natsPrefix: env['TROUPE_NATS_PREFIX'] || undefined,
    natsServer: env['TROUPE_NATS_SERVER'],
    cache: join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'troupe'),
    path: env['PATH'] ?? '',
    roles: roles(read('roles', 'TROUPE_ROLES')),
    shards: whole('shards', 'TROUPE_SHARDS', 64, 1, 'shards'),
    leaseMs,
    callMs: Math.min(whole('call-ms', 'TROUPE_CALL_MS', 10_000, 100, 'milliseconds'), Math.floor(leaseMs * 0.7)),
    logLevel: level(read('log-level', 'TROUPE_LOG_LEVEL')),
    kinds: names(read('kinds', 'TROUPE_KINDS').value),
    namespaces: namespaces(read('namespace', 'TROUPE_NAMESPACES')),
    healthAddress: address(read('health-probe-bind-address', 'TROUPE_HEALTH_PROBE_BIND_ADDRESS')),
    metricsAddress: address(read('metrics-bind-address', 'TROUPE_METRICS_BIND_ADDRESS')),
    metricsSecure: flag(read('metrics-secure', 'TROUPE_METRICS_SECURE'), true),
    podName: read('pod-name', 'POD_NAME').value,
    events: flag(read('events', 'TROUPE_EVENTS'), true),
    defaultResyncPeriod: read('default-resync-period', 'TROUPE_DEFAULT_RESYNC_PERIOD').value ?? '0s',
    callsInFlight: whole('calls-in-flight', 'TROUPE_CALLS_IN_FLIGHT', 16, 1, 'calls'),
    defaultCaFile: read('default-ca-certs', 'TROUPE_DEFAULT_CA_CERTS').value,
    proxy: proxy(env),
  };
}

function inCluster({
  KUBERNETES_SERVICE_HOST: host,
  KUBERNETES_SERVICE_PORT: port = '443',
}: Environment): string | undefined {
  if (host === undefined) return undefined;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Names with commas between; undefined for none. */
function names(text: string | undefined): readonly string[] | undefined {
  const given = (text ?? '').split(',').flatMap((name) => name.trim() || []);
  return given.length === 0 ? undefined : [...new Set(given)];
}

function namespaces({ name, value }: Given): readonly string[] | undefined {
  const given = names(value);
  const wrong = given?.find((namespace) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace));
  if (wrong === undefined) return given;
  throw new TerminalError(`${name} must be the name of a namespace, or several with commas between; got '${wrong}'`);
}

interface Given {
  readonly name: string;
  readonly value: string | undefined;
}

function address({ name, value = '0' }: Given): ListenAddress | undefined {
  try {
    return parseListenAddress(value);
  } catch (error) {
    throw new TerminalError(`${name} must be ${(error as Error).message}; got '${value}'`);
  }
}

function flag({ name, value }: Given, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new TerminalError(`${name} must be true or false; got '${value}'`);
}

const DIRECT = 'localhost,127.0.0.1,::1';

/** The proxy settings that programs share, in either spelling; undefined without any. */
function proxy(env: Environment): Config['proxy'] {
  const either = (name: string): string | undefined => env[name] || env[name.toLowerCase()] || undefined;
  const [httpProxy, httpsProxy, noProxy] = [either('HTTP_PROXY'), either('HTTPS_PROXY'), either('NO_PROXY')];
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  return {
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
    noProxy: noProxy === undefined ? DIRECT : `${noProxy},${DIRECT}`,
  };
}

function roles({ name, value }: Given): ReadonlySet<Role> {
  const all = Object.values(Role);
  if (value === undefined) return new Set(all);
  const named = value.split(',').map((role) => role.trim());
  const unknown = named.find((role) => !all.some((known) => known === role));
  if (unknown === undefined) return new Set(all.filter((role) => named.includes(role)));
  throw new TerminalError(`${name} must be a comma-separated list of ${all.join(', ')}; got '${unknown}'`);
}

function level({ name, value = 'info' }: Given): string {
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
  if (levels.includes(value)) return value;
  throw new TerminalError(`${name} must be one of ${levels.join(', ')}; got '${value}'`);
}
