// Exec plugins: programs named in a kubeconfig that print credentials for the API server.
//
// The protocol is `client.authentication.k8s.io`: the plugin reads KUBERNETES_EXEC_INFO and prints an ExecCredential.
// Troupe runs plugins itself: `@kubernetes/client-node` neither sets that variable nor reports when a credential expires.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { arrayOf, type Fields, fieldsOf, textOf } from './fields.ts';

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A credential that a plugin printed: a token, a client certificate, or both. */
export interface PluginCredential {
  readonly token: string | undefined;
  /** Client certificate, in PEM. */
  readonly cert: string | undefined;
  /** Private key of the client certificate, in PEM. */
  readonly key: string | undefined;
  /** Instant from which the plugin must run again, in milliseconds since the epoch. Infinity if it named none. */
  readonly expiresAt: number;
}

const run = promisify(execFile);

/** Longest run of a plugin, in milliseconds: all requests wait for it. */
const PLUGIN_MS = 60_000;

/** Extension of a cluster whose content plugins receive as `spec.cluster.config`. */
const EXTENSION = 'client.authentication.k8s.io/exec';

/**
 * Runs the plugin of a user and returns the credential that it prints.
 *
 * @param exec  field `exec` of the user
 * @param cluster  fields of the cluster, for a plugin with `provideClusterInfo`
 * @param ca  certificate authority of the cluster, in PEM
 * @param timeoutMs  after which the plugin is ended
 * @throws {Error} the plugin cannot be started, fails, prints no credential, or takes too long; the message has no secret
 */
export async function runPlugin(
  exec: Fields,
  { cluster, ca, env }: { readonly cluster: Fields; readonly ca: string | undefined; readonly env: Environment },
  timeoutMs = PLUGIN_MS,
): Promise<PluginCredential> {
  const command = textOf(exec['command']);
  if (command === undefined) throw new Error("the user's field 'exec' has no command");
  const { apiVersion, args, provideClusterInfo } = exec;
  const known = provideClusterInfo === true ? clusterInfo(cluster, ca) : undefined;
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false, cluster: known } };
  const own = arrayOf(exec['env']).map(({ name, value }) => [name, value]);
  const running = run(command, Array.isArray(args) ? args.map(String) : [], {
    env: { ...env, ...Object.fromEntries(own), KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    timeout: timeoutMs,
  });
  // A plugin that asks for a password fails. Otherwise it would wait forever, and all requests with it.
  // mutant: plugin-waits-for-input drop
  running.child.stdin?.end();
  const { stdout } = await running.catch(({ code, stderr, killed }) => {
    // The original message has the arguments, which may be secret.
    const why = killed === true ? `it took longer than ${timeoutMs / 1_000} s` : String(stderr ?? '').trim() || code;
    throw new Error(`the plugin '${command}' failed: ${why}`);
  });
  const status = fieldsOf(parsed(stdout)['status']);
  const [token, cert, key] = ['token', 'clientCertificateData', 'clientKeyData'].map((name) => textOf(status[name]));
  if (token === undefined && cert === undefined) throw new Error(`the plugin '${command}' printed no credential`);
  const expiresAt = Date.parse(String(status['expirationTimestamp'])) || Number.POSITIVE_INFINITY;
  return { token, cert, key, expiresAt };
}

/** The cluster as `spec.cluster` of an ExecCredential describes it. */
function clusterInfo(cluster: Fields, ca: string | undefined): Fields {
  const extension = arrayOf(cluster['extensions']).find(({ name }) => name === EXTENSION);
  return {
    server: cluster['server'],
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': ca === undefined ? undefined : Buffer.from(ca).toString('base64'),
    'proxy-url': cluster['proxy-url'],
    'disable-compression': cluster['disable-compression'],
    config: extension?.['extension'],
  };
}

function parsed(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch (error) {
    // The caller reports that there is no credential. The parser's message would quote a part of it.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
