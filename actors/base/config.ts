// Configuration: environment and options, read once at start.
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Adapter, FlagValue } from '../../adapters/api/adapter.ts';
import { wholeNumber } from '../../adapters/api/settings.ts';
import { parseGoDuration } from '../../adapters/text/go-duration.ts';
import { type EventLimits, TerminalError } from '../../bus/mod.ts';
import { isLoopback, type ListenAddress, parseListenAddress } from './listen-address.ts';

/** Roles of a process beside those of adapters, which have names of their own. */
export const Role = { Watch: 'watch', Actors: 'actors' } as const;
export type Role = (typeof Role)[keyof typeof Role];

/**
 * Role that serves the page for people. No object needs it: it is played if it has an address, and is not in
 * `rolesWith`.
 */
export const VISUALIZER = 'visualizer';

/** Answers the API server, which asks while it serves objects. It is played where it has an address, too. */
export const WEBHOOKS = 'webhooks';

/** An adapter as far as its role goes. */
export type Player = Pick<Adapter, 'role' | 'route'>;

/** Roles that objects need, in any process; all of them in one process by default. */
export function rolesWith(adapters: readonly Player[]): readonly string[] {
  return [...Object.values(Role), ...adapters.filter(({ route }) => route === undefined).map(({ role }) => role)];
}

/** Roles for a node, in a process of that node: played only if they are named. */
export function rolesOfNodes(adapters: readonly Player[]): readonly string[] {
  return adapters.filter(({ route }) => route !== undefined).map(({ role }) => role);
}

/** All that a process may be asked to do. */
export function knownRoles(adapters: readonly Player[]): readonly string[] {
  return [...Object.values(Role), ...adapters.map(({ role }) => role), VISUALIZER, WEBHOOKS];
}

/** Address of the visualizer's page. */
export interface VisualizerPlace {
  readonly address: ListenAddress;
  /** Whether a later port does as well where that one is taken. */
  readonly port: 'this one' | 'or later';
  /** File with the token that readers must present; undefined: no token is needed. */
  readonly tokenFile: string | undefined;
}

/** Addresses of the webhooks: where they are served, and how they are reached. */
export interface WebhookPlace {
  readonly address: ListenAddress;
  /**
   * Service that leads to the webhooks; Troupe's own certificates are in a Secret of its name. Without a namespace:
   * Troupe's own.
   */
  readonly service: { readonly namespace: string | undefined; readonly name: string };
  /** Files of the certificate; undefined: Troupe makes it. */
  readonly files: { readonly certificate: string; readonly key: string; readonly ca: string | undefined } | undefined;
  /**
   * File of the authorities that sign the API server's client certificates; undefined: no client certificate is needed.
   */
  readonly clientCa: string | undefined;
}

export interface Config {
  /** Path of a kubeconfig, or of several in the form of `KUBECONFIG`; undefined: none was named, and no in-cluster credentials are there. */
  readonly kubeconfig: string | undefined;
  /** Origin of the path: an option of this command, or the variable `KUBECONFIG`, which other programs use too. */
  readonly kubeconfigOrigin: 'option' | 'variable' | undefined;
  /** Context of the kubeconfig; undefined: the current one. */
  readonly context: string | undefined;
  /** URL of the API server, from a pod's environment; undefined outside of a pod. */
  readonly inCluster: string | undefined;
  /** Variables for programs that are started, such as exec plugins of a kubeconfig, and of proxies. May have secrets. */
  readonly env: Environment;
  /** Undefined: none was named. */
  readonly natsUrl: string | undefined;
  readonly natsFiles: {
    readonly credentials: string | undefined;
    readonly nkey: string | undefined;
    readonly ca: string | undefined;
    readonly certificate: string | undefined;
    readonly key: string | undefined;
  };
  /** Name in the certificate of the NATS server, if it differs from its address. */
  readonly natsServerName: string | undefined;
  /** Separates deployments on one NATS server; undefined: `troupe`. */
  readonly natsPrefix: string | undefined;
  /** Limits of the event history on the bus; `none`: this process does not configure its stream. */
  readonly keptEvents: EventLimits | 'none';
  /** A nats-server to run for development. */
  readonly natsServer: string | undefined;
  readonly cache: string;
  readonly path: string;
  /** Names of roles, those of adapters among them. */
  readonly roles: ReadonlySet<string>;
  readonly shards: number;
  /** Time to live of a lease without renewal, in milliseconds. */
  readonly leaseMs: number;
  /** Longest time a call to a cloud may take, in milliseconds; always well within a lease. */
  readonly callMs: number;
  readonly logLevel: string;
  /** Managed kinds, CamelCase or plural; undefined: all, while no legacy controller leads. */
  readonly kinds: readonly string[] | undefined;
  /** Managed namespaces; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Where `/healthz` and `/readyz` are served; undefined: nowhere. */
  readonly healthAddress: ListenAddress | undefined;
  /** Where `/metrics` is served; undefined: nowhere. */
  readonly metricsAddress: ListenAddress | undefined;
  /** `/metrics` over TLS, and only for whom the cluster allows it. */
  readonly metricsSecure: boolean;
  /** For which the tokens of its readers must have been made; undefined: for the API server. */
  readonly metricsAudience: string | undefined;
  readonly podName: string | undefined;
  /** The node that the process runs on, for adapters that are served for one. */
  readonly nodeName: string | undefined;
  /** Whether Kubernetes Events are written. */
  readonly events: boolean;
  /** Undefined: nowhere. */
  readonly visualizer: VisualizerPlace | undefined;
  /** Undefined: nowhere. */
  readonly webhooks: WebhookPlace | undefined;
}

/** Name of the Service in the manifests. */
const WEBHOOK_SERVICE = 'troupe-webhooks';

/** Where `troupe dev` serves the visualizer. */
const DEVELOPMENT_ADDRESS = '127.0.0.1:8090';

/** The node that `troupe dev` is. */
const DEVELOPMENT_NODE = 'node-1';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Configuration of the process, without the options of its adapters.
 *
 * @param options of the command line; they take precedence over the environment
 * @param adapters  whose roles there are
 * @param purpose  `development`: all is on this machine, as with `troupe dev`
 * @throws {TerminalError} names the variable or option, the rule, and what it got
 */
export function readConfig(
  env: Environment,
  options: Environment = {},
  adapters: readonly Player[] = [],
  purpose?: 'development',
): Config {
  const read = (option: string, variable: string): FlagValue => {
    const given = options[option];
    return given === undefined
      ? { name: variable, value: env[variable] || undefined }
      : { name: `--${option}`, value: given };
  };
  const whole = (option: string, variable: string, fallback: number, least: number, unit: string): number =>
    wholeNumber(read(option, variable), { fallback, least, unit });
  const place = visualizerPlace(
    read('visualizer-bind-address', 'TROUPE_VISUALIZER_BIND_ADDRESS'),
    read('visualizer-token-file', 'TROUPE_VISUALIZER_TOKEN_FILE').value,
    purpose,
  );
  const webhooks = webhookPlace(read);
  const places = { [VISUALIZER]: place, [WEBHOOKS]: webhooks };
  const played = roles(read('roles', 'TROUPE_ROLES'), adapters, places, purpose);
  const leaseMs = whole('lease-ms', 'TROUPE_LEASE_MS', 15_000, 1_000, 'milliseconds');
  const kubeconfig = read('kubeconfig', 'KUBECONFIG');
  return {
    kubeconfig: kubeconfig.value,
    kubeconfigOrigin:
      kubeconfig.value === undefined ? undefined : kubeconfig.name === 'KUBECONFIG' ? 'variable' : 'option',
    context: options['context'],
    inCluster: inCluster(env),
    env,
    natsUrl: read('nats-url', 'NATS_URL').value,
    natsFiles: {
      credentials: env['NATS_CREDS'],
      nkey: env['NATS_NKEY'],
      ca: env['NATS_CA'],
      certificate: env['NATS_CERT'],
      key: env['NATS_KEY'],
    },
    natsServerName: env['NATS_SERVER_NAME'] || undefined,
    natsPrefix: env['TROUPE_NATS_PREFIX'] || undefined,
    keptEvents: keptEvents(
      read('event-max-age', 'TROUPE_EVENT_MAX_AGE'),
      whole('event-max-bytes', 'TROUPE_EVENT_MAX_BYTES', 268_435_456, 0, 'bytes'),
    ),
    natsServer: env['TROUPE_NATS_SERVER'],
    cache: join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'troupe'),
    path: env['PATH'] ?? '',
    roles: played,
    shards: whole('shards', 'TROUPE_SHARDS', 64, 1, 'shards'),
    leaseMs,
    callMs: Math.min(whole('call-ms', 'TROUPE_CALL_MS', 10_000, 100, 'milliseconds'), Math.floor(leaseMs * 0.7)),
    logLevel: level(read('log-level', 'TROUPE_LOG_LEVEL')),
    kinds: names(read('kinds', 'TROUPE_KINDS').value),
    namespaces: namespaces(givenOf(read('namespace', 'TROUPE_NAMESPACES'), env, 'WATCH_NAMESPACE')),
    healthAddress: address(read('health-probe-bind-address', 'TROUPE_HEALTH_PROBE_BIND_ADDRESS')),
    metricsAddress: address(read('metrics-bind-address', 'TROUPE_METRICS_BIND_ADDRESS')),
    metricsAudience: read('metrics-audience', 'TROUPE_METRICS_AUDIENCE').value || undefined,
    metricsSecure: flag(read('metrics-secure', 'TROUPE_METRICS_SECURE'), true),
    podName: read('pod-name', 'POD_NAME').value,
    nodeName: read('node-name', 'NODE_NAME').value ?? (purpose && DEVELOPMENT_NODE),
    events: flag(read('events', 'TROUPE_EVENTS'), true),
    visualizer: played.has(VISUALIZER) ? guarded(place) : undefined,
    webhooks: played.has(WEBHOOKS) ? webhooks : undefined,
  };
}

function inCluster({
  KUBERNETES_SERVICE_HOST: host,
  KUBERNETES_SERVICE_PORT: port = '443',
}: Environment): string | undefined {
  if (host === undefined) return undefined;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Comma-separated names; undefined for none. */
function names(text: string | undefined): readonly string[] | undefined {
  const given = (text ?? '').split(',').flatMap((name) => name.trim() || []);
  return given.length === 0 ? undefined : [...new Set(given)];
}

/** The variable of other operators, if Troupe's own is not set. */
function givenOf(own: FlagValue, env: Environment, variable: string): FlagValue {
  const value = env[variable] || undefined;
  return own.value === undefined && value !== undefined ? { name: variable, value } : own;
}

function namespaces({ name, value }: FlagValue): readonly string[] | undefined {
  const given = names(value);
  // Without a name all namespaces would be meant, and a variable of a script that is empty asks for one.
  if (value !== undefined && given === undefined)
    throw new TerminalError(`${name} must be the name of a namespace, or several separated by commas; got '${value}'`);
  const wrong = given?.find((namespace) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace));
  if (wrong === undefined) return given;
  throw new TerminalError(`${name} must be the name of a namespace, or several separated by commas; got '${wrong}'`);
}

/** Nothing is kept for no time, and nothing in no space. */
function keptEvents({ name, value = '24h' }: FlagValue, maxBytes: number): EventLimits | 'none' {
  const maxAgeMs = /^\d+$/.test(value) ? Number(value) : parseGoDuration(value);
  if (maxAgeMs === 0 || maxBytes === 0) return 'none';
  // nats-server takes no less than 100 ms.
  if (maxAgeMs !== undefined && maxAgeMs >= 100) return { maxAgeMs, maxBytes };
  throw new TerminalError(`${name} must be a Go duration such as 24h, at least 100ms, or 0 for none; got '${value}'`);
}

function address({ name, value = '0' }: FlagValue): ListenAddress | undefined {
  try {
    return parseListenAddress(value);
  } catch (error) {
    throw new TerminalError(`${name} must be ${(error as Error).message}; got '${value}'`);
  }
}

function flag({ name, value }: FlagValue, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new TerminalError(`${name} must be true or false; got '${value}'`);
}

/** Options of a role that is played if it has an address. */
const ADDRESSES = {
  [VISUALIZER]: '--visualizer-bind-address, such as 127.0.0.1:8090',
  [WEBHOOKS]: '--webhook-address, such as 127.0.0.1:9443',
} as const;

/**
 * @param places  of the roles that need one
 * @param purpose  in development, what is done for a node is done for this one, too
 */
function roles(
  { name, value }: FlagValue,
  adapters: readonly Player[],
  places: Readonly<Record<keyof typeof ADDRESSES, object | undefined>>,
  purpose: 'development' | undefined,
): ReadonlySet<string> {
  const all = knownRoles(adapters);
  const needs = (role: string): role is keyof typeof ADDRESSES => Object.hasOwn(ADDRESSES, role);
  const isPlaceless = (role: string): boolean => needs(role) && places[role] === undefined;
  if (value === undefined) {
    const unasked = purpose === 'development' ? [] : rolesOfNodes(adapters);
    return new Set(all.filter((role) => !isPlaceless(role) && !unasked.includes(role)));
  }
  const named = value.split(',').map((role) => role.trim());
  const unknown = named.find((role) => !all.includes(role));
  if (unknown !== undefined)
    throw new TerminalError(`${name} must be a comma-separated list of ${all.join(', ')}; got '${unknown}'`);
  const placeless = named.filter(needs).find(isPlaceless);
  if (placeless !== undefined)
    throw new TerminalError(`${name}: the role '${placeless}' needs ${ADDRESSES[placeless]}`);
  return new Set(all.filter((role) => named.includes(role)));
}

/** @throws {TerminalError} its options are inconsistent */
function webhookPlace(read: (option: string, variable: string) => FlagValue): WebhookPlace | undefined {
  const at = address(read('webhook-address', 'TROUPE_WEBHOOK_ADDRESS'));
  const service = read('webhook-service', 'TROUPE_WEBHOOK_SERVICE');
  const [, namespace, name = ''] = /^(?:([^/]+)\/)?([^/]+)$/.exec(service.value ?? WEBHOOK_SERVICE) ?? [];
  if ([namespace ?? 'x', name].some((part) => !/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(part))) {
    throw new TerminalError(`${service.name} must be the name of a Service, or NAMESPACE/NAME; got '${service.value}'`);
  }
  const certificate = read('webhook-cert', 'TROUPE_WEBHOOK_CERT').value;
  const key = read('webhook-key', 'TROUPE_WEBHOOK_KEY').value;
  const ca = read('webhook-ca', 'TROUPE_WEBHOOK_CA').value;
  if ((certificate === undefined) !== (key === undefined) || (ca !== undefined && certificate === undefined)) {
    throw new TerminalError('--webhook-cert and --webhook-key go together, and --webhook-ca goes with them');
  }
  const clientCa = read('webhook-client-ca', 'TROUPE_WEBHOOK_CLIENT_CA').value;
  if (at === undefined) return undefined;
  const files = certificate === undefined || key === undefined ? undefined : { certificate, key, ca };
  return { address: at, service: { namespace, name }, files, clientCa };
}

/** In development there is one by default. */
function visualizerPlace(
  given: FlagValue,
  tokenFile: string | undefined,
  purpose: 'development' | undefined,
): VisualizerPlace | undefined {
  const isMeant = given.value === undefined && purpose === 'development';
  const at = address(isMeant ? { ...given, value: DEVELOPMENT_ADDRESS } : given);
  return at && { address: at, port: isMeant ? 'or later' : 'this one', tokenFile: tokenFile || undefined };
}

/** @throws {TerminalError} users of other machines can reach it, and no token is required */
function guarded(place: VisualizerPlace | undefined): VisualizerPlace | undefined {
  if (place === undefined || place.tokenFile !== undefined || isLoopback(place.address.host)) return place;
  const { host, port } = place.address;
  throw new TerminalError(
    `--visualizer-bind-address: '${host}:${port}' is reached from elsewhere, and shows all objects: name a file with a token, --visualizer-token-file, or serve it on 127.0.0.1`,
  );
}

function level({ name, value = 'info' }: FlagValue): string {
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
  if (levels.includes(value)) return value;
  throw new TerminalError(`${name} must be one of ${levels.join(', ')}; got '${value}'`);
}
