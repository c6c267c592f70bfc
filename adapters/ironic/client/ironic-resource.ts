// Where Ironic is, of an `Ironic` resource (ironic.metal3.io/v1alpha1): read from it and the Secrets that it names.
import type { JsonObject } from '../../../bus/bus.ts';
import { TerminalError, TransientError, WaitingError } from '../../../bus/errors.ts';
import type { SecretContent } from '../../api/adapter.ts';
import type { Trust } from '../../http/transport.ts';
import { type Connection, checkAuthorities, checkedCredentials } from './connection.ts';
import { isObject } from './node.ts';

/** The parts of the resource that are read. Whatever else it holds, and of whatever type, does no harm. */
export interface IronicResource {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation?: number };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

/** Names of Secrets in the namespace of the resource. */
export interface SecretNames {
  /** Has `username` and `password`. */
  readonly credentials: string | undefined;
  /** Has `tls.crt`; Ironic speaks TLS if there is one. */
  readonly certificate: string | undefined;
}

export function secretNamesOf({ spec }: IronicResource): SecretNames {
  const tls = spec?.['tls'];
  return {
    credentials: textIn(spec?.['apiCredentialsName']),
    certificate: textIn(isObject(tls) ? tls['certificateName'] : undefined),
  };
}

/**
 * Connection to the Ironic of a resource.
 *
 * @param secrets  those of `secretNamesOf`; undefined: there is none
 * @param trust  what holds without a certificate of the resource, and the own certificate
 * @throws {WaitingError} the resource is not ready as it is now, or a Secret is not there
 * @throws {TransientError} a Secret does not hold what it has to
 */
export function connectionOfResource(
  resource: IronicResource | undefined,
  secrets: Readonly<Record<keyof SecretNames, SecretContent | undefined>>,
  trust: Trust,
): Connection {
  if (resource === undefined) throw new WaitingError('Waiting for the Ironic resource to be created');
  const { name, namespace } = resource.metadata;
  if (!isReady(resource)) throw new WaitingError(`Waiting for Ironic/${name} to be ready`);
  const names = secretNamesOf(resource);
  const endpoint = `${names.certificate === undefined ? 'http' : 'https'}://${name}.${namespace}.svc`;
  return {
    endpoint,
    trust: names.certificate === undefined ? trust : { ...trust, ca: caIn(secrets.certificate, names.certificate) },
    credentials: names.credentials === undefined ? undefined : credentialsIn(secrets.credentials, names.credentials),
  };
}

/** Its condition Ready is true, and was written for what the spec says now. */
function isReady({ metadata: { generation }, status }: IronicResource): boolean {
  const conditions = status?.['conditions'];
  const ready = (Array.isArray(conditions) ? conditions : []).filter(isObject).find(({ type }) => type === 'Ready');
  // mutant: ironic-ready-before-spec return -> $1
  return ready?.['status'] === 'True' && ready['observedGeneration'] === generation;
}

function caIn(secret: SecretContent | undefined, name: string): string {
  const ca = valueIn(secret, name, 'tls.crt');
  checked(() => checkAuthorities(ca, `tls.crt of Secret/${name}`));
  return ca;
}

function credentialsIn(secret: SecretContent | undefined, name: string): Connection['credentials'] {
  const [username, password] = [valueIn(secret, name, 'username'), valueIn(secret, name, 'password')];
  return checked(() => checkedCredentials(username, password, `Secret/${name}`));
}

function valueIn(secret: SecretContent | undefined, name: string, key: string): string {
  if (secret === undefined) throw new WaitingError(`Waiting for Secret/${name} to be created`);
  const value = Object.hasOwn(secret.data, key) ? secret.data[key] : undefined;
  if (value === undefined) throw new TransientError(`Secret/${name} has no key ${key}`);
  return Buffer.from(value, 'base64').toString('utf8');
}

/** A Secret may be corrected at any time, without a start. */
function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof TerminalError) throw new TransientError(error.message);
    throw error;
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
