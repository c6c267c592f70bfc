// Connection to the API server: from a kubeconfig, or from a pod's service account.
//
// `@kubernetes/client-node` knows every way to log in. To load it takes 65 MB and most of a second of processor time, so
// it is asked only for what takes more than reading files: plugins, identity providers, impersonation.

import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { TerminalError } from '../../bus/errors.ts';

export interface Access {
  /** URL of the API server, without a slash at its end. */
  readonly server: string;
  /** Namespace of the context. */
  readonly namespace: string;
  /** Files are read, and plugins asked, at each call: what they say changes while a process runs. */
  credentials(): Promise<Credentials>;
}

export interface Credentials {
  /** As `tls.connect` takes them. */
  readonly tls: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields of clusters and users that need no library. */
const PLAIN: ReadonlySet<string> = new Set([
  'server',
  'certificate-authority',
  'certificate-authority-data',
  'insecure-skip-tls-verify',
  'tls-server-name',
  'disable-compression',
  'extensions',
  'token',
  'tokenFile',
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'username',
  'password',
]);

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Fields of clusters and users that name files, relative to the kubeconfig that they are in. */
const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'] as const;

/**
 * @param path  of a kubeconfig, or of several in the form of `KUBECONFIG`: missing files are left out, and of entries
 *   with one name the first is used, as kubectl does
 * @param asked  name of a context; the current one unless given
 * @throws {TerminalError} the kubeconfig cannot be read, or has no such context with a cluster
 */
export function accessByKubeconfig(path: string, asked?: string): Access {
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
  const isPlain = [...Object.keys(cluster), ...Object.keys(user)].every((name) => PLAIN.has(name));
  return {
    server: server.replace(/\/$/, ''),
    namespace: textOf(context['namespace']) ?? 'default',
    credentials: () => (isPlain ? plainCredentials(cluster, user) : libraryCredentials(files, asked)),
  };
}

/**
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
    credentials: () => plainCredentials(cluster, user),
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
    return { ...fields, ...Object.fromEntries(paths) };
  };
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, made(value)]));
}

async function plainCredentials(cluster: Fields, user: Fields): Promise<Credentials> {
  const file = async (name: unknown): Promise<string | undefined> => {
    const path = textOf(name);
    return path === undefined ? undefined : readFile(path, 'utf8');
  };
  /** Content inline, in base64, or in a file. */
  const content = async (fields: Fields, name: string): Promise<string | undefined> => {
    const inline = textOf(fields[`${name}-data`]);
    return inline === undefined ? file(fields[name]) : Buffer.from(inline, 'base64').toString('utf8');
  };
  const [ca, cert, key, tokenFile] = await Promise.all([
    content(cluster, 'certificate-authority'),
    content(user, 'client-certificate'),
    content(user, 'client-key'),
    file(user['tokenFile']),
  ]);
  const token = textOf(user['token']) ?? tokenFile?.trim();
  const { username, password } = user;
  const basic = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
  const authorization =
    token !== undefined ? `Bearer ${token}` : textOf(username) === undefined ? undefined : `Basic ${basic}`;
  const servername = textOf(cluster['tls-server-name']);
  return {
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(servername !== undefined && { servername }),
      ...(cluster['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
    },
    headers: authorization === undefined ? {} : { Authorization: authorization },
  };
}

async function libraryCredentials(files: readonly string[], context: string | undefined): Promise<Credentials> {
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
  return { tls, headers };
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

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function arrayOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
