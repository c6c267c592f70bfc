// Connection to the API server: from a kubeconfig, or from a pod's service account.
//
// `@kubernetes/client-node` takes 65 MB and most of a second of processor time to load. It is used for identity providers
// (`auth-provider`) only.

import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { TerminalError } from '../../bus/errors.ts';
import { type Environment, type PluginCredential, runPlugin } from './exec-plugin.ts';
import { arrayOf, type Fields, fieldsOf, textOf } from './fields.ts';
import { proxyOf } from './proxy.ts';

export interface Access {
  /** URL of the API server, without a slash at its end. */
  readonly server: string;
  /** Namespace of the context. */
  readonly namespace: string;
  /** URL of the proxy in front of the API server. Undefined if the API server is reached directly. */
  readonly proxy: string | undefined;
  /**
   * Credentials for the API server. Files are read at each call, so that a rotated token or certificate is used.
   *
   * @param now  time, in milliseconds since the epoch: what a plugin printed is used again until it expires. Without a
   *   time the plugin runs at each call.
   */
  credentials(now?: number): Promise<Credentials>;
  /** Forgets what plugins and identity providers returned: the next call of `credentials` requests it again. */
  forget(): void;
}

export interface Credentials {
  /** As `tls.connect` takes them. */
  readonly tls: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Instant at which they expire, in milliseconds since the epoch. Undefined if that is unknown. */
  readonly expiresAt?: number;
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Fields of clusters and users that name files, relative to the kubeconfig that they are in. */
const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'] as const;

/**
 * @param path  of a kubeconfig, or of several in the form of `KUBECONFIG`: missing files are left out, and of entries
 *   with one name the first is used, as kubectl does
 * @param asked  name of a context; the current one unless given
 * @param env  environment of plugins, and of HTTPS_PROXY, HTTP_PROXY and NO_PROXY
 * @throws {TerminalError} the kubeconfig cannot be read, has no such context with a cluster, or names a proxy of a kind
 *   that is not supported
 */
export function accessByKubeconfig(path: string, asked?: string, env: Environment = {}): Access {
  const files = filesOf(path);
  const configs = files.map((file) => ({ folder: dirname(file), fields: fieldsOf(read(file)) }));
  const named = (list: string, name: unknown): Fields | undefined => {
    if (typeof name !== 'string') return undefined;
    for (const { folder, fields } of configs) {
      const entry = arrayOf(fields[list]).find((each) => each['name'] === name);
      if (entry !== undefined) return withPaths(entry, folder);
    }
    return undefined;
  };
  const current = configs.map(({ fields }) => textOf(fields['current-context'])).find((name) => name !== undefined);
  // mutant: context-asked-for ?? -> $2
  const context = fieldsOf(named('contexts', asked ?? current)?.['context']);
  const cluster = fieldsOf(named('clusters', context['cluster'])?.['cluster']);
  const user = fieldsOf(named('users', context['user'])?.['user']);
  const { server } = cluster;
  if (typeof server !== 'string') {
    const which = asked === undefined ? 'current context' : `context '${asked}'`;
    throw new TerminalError(`kubeconfig '${path}' has no ${which} with a cluster`);
  }
  const exec = user['exec'] ? fieldsOf(user['exec']) : undefined;
  let issued: PluginCredential | undefined;
  let config: KubeConfig | undefined;
  return {
    server: server.replace(/\/$/, ''),
    namespace: textOf(context['namespace']) ?? 'default',
    proxy: proxyOf(server, textOf(cluster['proxy-url']), env),
    async credentials(now = Number.POSITIVE_INFINITY) {
      if (user['auth-provider']) {
        config ??= await loadConfig(files, asked);
        return libraryCredentials(config);
      }
      return plainCredentials(cluster, user, async (ca) => {
        if (exec === undefined) return undefined;
        // mutant: plugin-run-each-minute if -> true
        if (issued === undefined || issued.expiresAt <= now) issued = await runPlugin(exec, { cluster, ca, env });
        return issued;
      });
    },
    forget() {
      issued = undefined;
      config = undefined;
    },
  };
}

/**
 * The API server of a pod's own cluster is always reached directly: proxies in the environment of a pod lead out of it.
 *
 * @param server  URL of the API server, as the pod's environment names it
 * @param account  folder of the service account
 */
export function accessByPod(server: string, account: string = ACCOUNT): Access {
  let namespace: string | undefined;
  try {
    namespace = readFileSync(`${account}/namespace`, 'utf8').trim();
  } catch (error) {
    // An account without a mounted namespace may still read and write other namespaces.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const cluster = { 'certificate-authority': `${account}/ca.crt` };
  const user = { tokenFile: `${account}/token` };
  return {
    server,
    namespace: namespace ?? 'default',
    proxy: undefined,
    credentials: () => plainCredentials(cluster, user),
    forget: () => undefined,
  };
}

/** @throws {TerminalError} none of several files exists */
function filesOf(path: string): readonly string[] {
  const parts = path.split(delimiter).filter((part) => part !== '');
  // A single path is read even if it does not exist: the error names it. A path may have a delimiter in its name.
  if (parts.length < 2 || existsSync(path)) return [parts.length === 1 ? (parts[0] ?? path) : path];
  const files = parts.filter((part) => existsSync(part));
  if (files.length > 0) return files;
  throw new TerminalError(`kubeconfig '${path}' cannot be used: none of its files exists`);
}

/** The entry of a list of a kubeconfig, with absolute paths. */
function withPaths(entry: Fields, folder: string): Fields {
  const made = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const fields = value as Fields;
    const paths = PATHS.flatMap((name) => {
      const path = textOf(fields[name]);
      return path === undefined ? [] : [[name, resolve(folder, path)] as const];
    });
    const exec = fieldsOf(fields['exec']);
    const command = textOf(exec['command']);
    // A command with a slash is a path, as for kubectl.
    // mutant: plugin-beside-kubeconfig && -> false
    const isPath = command !== undefined && /[/\\]/.test(command);
    return {
      ...fields,
      ...Object.fromEntries(paths),
      ...(isPath && { exec: { ...exec, command: resolve(folder, command) } }),
    };
  };
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, made(value)]));
}

/** @param issue  returns the credential of the user's plugin, if it has one, for a certificate authority in PEM */
async function plainCredentials(
  cluster: Fields,
  user: Fields,
  issue: (ca: string | undefined) => Promise<PluginCredential | undefined> = async () => undefined,
): Promise<Credentials> {
  const file = async (name: unknown): Promise<string | undefined> => {
    const path = textOf(name);
    return path === undefined ? undefined : readFile(path, 'utf8');
  };
  /** Content inline, in base64, or in a file. */
  const content = async (fields: Fields, name: string): Promise<string | undefined> => {
    const inline = textOf(fields[`${name}-data`]);
    return inline === undefined ? file(fields[name]) : Buffer.from(inline, 'base64').toString('utf8');
  };
  const [ca, ownCert, ownKey, tokenFile] = await Promise.all([
    content(cluster, 'certificate-authority'),
    content(user, 'client-certificate'),
    content(user, 'client-key'),
    file(user['tokenFile']),
  ]);
  const issued = await issue(ca);
  const token = textOf(user['token']) ?? tokenFile?.trim() ?? issued?.token;
  const [cert, key] = issued?.cert === undefined ? [ownCert, ownKey] : [issued.cert, issued.key];
  const { username, password } = user;
  const basic = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
  const authorization =
    token !== undefined ? `Bearer ${token}` : textOf(username) === undefined ? undefined : `Basic ${basic}`;
  const servername = textOf(cluster['tls-server-name']);
  const as = textOf(user['as']);
  return {
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(servername !== undefined && { servername }),
      ...(cluster['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
    },
    headers: {
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(as !== undefined && { 'Impersonate-User': as }),
    },
    ...(issued !== undefined && { expiresAt: issued.expiresAt }),
  };
}

/** The kubeconfig as the library reads it. It keeps the tokens that it requests, and refreshes them when they expire. */
async function loadConfig(files: readonly string[], context: string | undefined): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const configs = files.map((file) => {
    const one = new KubeConfig();
    one.loadFromFile(file);
    return one;
  });
  // The library's own merge throws for names that occur twice, and takes the current context of the last file.
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: firstOfEachName(configs.flatMap(({ clusters }) => clusters)),
    users: firstOfEachName(configs.flatMap(({ users }) => users)),
    contexts: firstOfEachName(configs.flatMap(({ contexts }) => contexts)),
    currentContext: configs.map(({ currentContext }) => currentContext).find(Boolean),
  });
  // mutant: credentials-of-context drop
  if (context !== undefined) config.setCurrentContext(context);
  return config;
}

async function libraryCredentials(config: KubeConfig): Promise<Credentials> {
  const options: Parameters<typeof config.applyToHTTPSOptions>[0] & { headers?: Fields; auth?: unknown } = {};
  await config.applyToHTTPSOptions(options);
  const headers = Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  if (typeof options.auth === 'string')
    headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = options as Fields;
  const tls = Object.fromEntries(
    Object.entries({ ca, cert, key, pfx, passphrase, rejectUnauthorized, servername }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return { tls, headers, ...(await expiryOf(headers['Authorization'])) };
}

/** Expiry of an ID token (JWT); none of an opaque token. */
async function expiryOf(authorization = ''): Promise<Pick<Credentials, 'expiresAt'>> {
  const { decodeJwt, errors } = await import('jose');
  try {
    const { exp } = decodeJwt(authorization.replace('Bearer ', ''));
    return exp === undefined ? {} : { expiresAt: exp * 1_000 };
  } catch (error) {
    if (error instanceof errors.JWTInvalid) return {};
    throw error;
  }
}

function firstOfEachName<Each extends { readonly name: string }>(all: readonly Each[]): Each[] {
  return [...new Map(all.toReversed().map((each) => [each.name, each])).values()];
}

function read(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new TerminalError(`kubeconfig '${path}' cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
