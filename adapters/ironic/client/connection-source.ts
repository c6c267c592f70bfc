// The connection to Ironic as it is now: asked again and again, so that new certificates and passwords need no start.
import { TerminalError } from '../../../bus/errors.ts';
import type { AdapterLog, ServePorts } from '../../api/adapter.ts';
import { type Connection, diskFiles, type Files, readKeys } from './connection.ts';
import { connectionOfResource, type IronicResource, secretNamesOf } from './ironic-resource.ts';
import type { ConnectionOptions } from './options.ts';

export interface ConnectionSourceDeps {
  readonly readSecret: ServePorts['readSecret'];
  /** The resource `ironics.ironic.metal3.io` as it is now; undefined: there is none. */
  readonly readResource: (namespace: string, name: string) => Promise<IronicResource | undefined>;
  readonly log: Pick<AdapterLog, 'warn'>;
  readonly files?: Files;
}

/**
 * Reads the files that the options name, again at each call.
 *
 * @returns rejects with {TerminalError} a file is not what it has to be; with {TransientError} the resource is not ready
 * @throws {TerminalError} no address of Ironic is configured
 */
export function connectionSource(
  options: ConnectionOptions,
  { readSecret, readResource, log, files = diskFiles }: ConnectionSourceDeps,
): () => Promise<Connection> {
  const { whereabouts } = options;
  if (whereabouts === undefined) throw new TerminalError('IRONIC_ENDPOINT or IRONIC_NAME must be set');
  const reported = new Set<string>();
  return async () => {
    const { trust, credentials, warnings } = await readKeys(options, files);
    for (const warning of warnings) {
      if (!reported.has(warning)) log.warn({ warning }, 'files of the connection to Ironic are incomplete');
      reported.add(warning);
    }
    if (whereabouts.kind === 'endpoint') return { endpoint: whereabouts.endpoint, trust, credentials };
    const { namespace, name } = whereabouts;
    const resource = await readResource(namespace, name);
    const read = (secret: string | undefined) => (secret === undefined ? undefined : readSecret(namespace, secret));
    const names = resource === undefined ? undefined : secretNamesOf(resource);
    const [ofApi, certificate] = await Promise.all([read(names?.credentials), read(names?.certificate)]);
    return connectionOfResource(resource, { credentials: ofApi, certificate }, trust);
  };
}
