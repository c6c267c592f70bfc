// The config drive of a host: what its instance finds on it, from the host and the Secrets that it names.
//
// Invariants:
//   IRONIC-CONFIG-DRIVE-1. No message holds anything that a Secret holds.
//   IRONIC-CONFIG-DRIVE-2. Secrets are those of the host's namespace.
import type { JsonObject } from '../../../bus/bus.ts';
import type { Host, HostSpec, Maybe, SecretReference } from './host-json.ts';
import { isLiveIso } from './image.ts';
import { readObject } from './yaml-object.ts';

/** Purpose of a Secret: the values of the metric's label `host_data_type`, and the keys of Secrets. */
export const HostDataType = { UserData: 'userData', NetworkData: 'networkData', MetaData: 'metaData' } as const;
export type HostDataType = (typeof HostDataType)[keyof typeof HostDataType];

/** Key of the content if it is not under the key of its type. */
const COMMON_KEY = 'value';

/** `data` of a Secret, in base64 as stored; undefined: there is no such Secret. */
export type SecretData = Readonly<Record<string, Maybe<string>>> | undefined;

/** As Ironic takes it with a request to deploy; what is empty is left out. */
export interface ConfigDrive {
  readonly meta_data: JsonObject;
  readonly network_data?: JsonObject;
  readonly user_data?: string;
}

export type ConfigDriveError = {
  readonly kind: 'error';
  readonly hostDataType: HostDataType;
  readonly message: string;
};
/** Undefined: the host gets none. */
export type ConfigDriveOutcome =
  | { readonly kind: 'made'; readonly configDrive: ConfigDrive | undefined }
  | ConfigDriveError;

/** The Secrets that a host's config drive is made of, by name, all in the host's namespace. */
export function configDriveSecrets({ spec }: Pick<Host, 'spec'>): { readonly [Type in HostDataType]?: string } {
  if (isLiveIso(spec?.image)) return {};
  const names = Object.values(HostDataType).map((type) => [type, referenceTo(type, spec)?.name]);
  return Object.fromEntries(names.filter(([, name]) => name));
}

/**
 * Makes the config drive of a host, whose image is no live ISO.
 *
 * @param secrets  of each that `configDriveSecrets` names the content
 * @returns an error for a Secret that is missing, lacks its key, or cannot be read: users can correct it at any time
 */
export function configDrive(
  { metadata, spec }: Pick<Host, 'metadata' | 'spec'>,
  secrets: { readonly [Type in HostDataType]?: SecretData },
): ConfigDriveOutcome {
  if (isLiveIso(spec?.image)) return { kind: 'made', configDrive: undefined };
  const namespace = metadata?.namespace ?? '';
  const name = metadata?.name ?? '';
  const read = (type: HostDataType): Content => contentOf(type, referenceTo(type, spec), namespace, secrets[type]);

  const userData = read(HostDataType.UserData);
  if (userData.kind === 'error') return userData;
  if (userData.kind === 'no key') return keyMissing(userData, HostDataType.UserData);
  // A Secret of network data may be there for other things alone.
  const networkData = objectIn(read(HostDataType.NetworkData), HostDataType.NetworkData);
  if (networkData.kind === 'error') return networkData;
  const metaData = read(HostDataType.MetaData);
  if (metaData.kind === 'no key') return keyMissing(metaData, HostDataType.MetaData);
  const overlay = objectIn(metaData, HostDataType.MetaData);
  if (overlay.kind === 'error') return overlay;

  return {
    kind: 'made',
    configDrive: {
      meta_data: {
        uuid: metadata?.uid ?? '',
        'metal3-namespace': namespace,
        'metal3-name': name,
        'local-hostname': name,
        local_hostname: name,
        name,
        ...overlay.value,
      },
      ...(Object.keys(networkData.value).length > 0 && { network_data: networkData.value }),
      ...(userData.kind === 'text' && userData.text !== '' && { user_data: userData.text }),
    },
  };
}

/**
 * The network data in a Secret, of an instance or of the ramdisk; empty if it holds none.
 *
 * @param secret.name  for messages
 */
export function networkDataIn(secret: {
  readonly name: string;
  readonly data: SecretData;
}): { readonly kind: 'object'; readonly value: JsonObject } | ConfigDriveError {
  const { name, data } = secret;
  return objectIn(contentOf(HostDataType.NetworkData, { name }, '', data), HostDataType.NetworkData);
}

type Content =
  | { readonly kind: 'unreferenced' }
  | { readonly kind: 'no key'; readonly secretName: string }
  | { readonly kind: 'text'; readonly secretName: string; readonly text: string }
  | ConfigDriveError;

function referenceTo(type: HostDataType, spec: Maybe<HostSpec>): SecretReference | undefined {
  const reference = spec?.[type];
  if (reference?.name) return reference;
  const fallback = type === HostDataType.NetworkData ? spec?.preprovisioningNetworkDataName : undefined;
  return fallback ? { name: fallback } : undefined;
}

function contentOf(
  type: HostDataType,
  reference: SecretReference | undefined,
  hostNamespace: string,
  data: SecretData,
): Content {
  const secretName = reference?.name;
  if (!secretName) return { kind: 'unreferenced' };
  if (reference.namespace && reference.namespace !== hostNamespace) {
    return failure(type, `spec.${type}: cross-namespace Secret references are not allowed`);
  }
  if (data === undefined) return failure(type, `Secret '${secretName}' for ${type} does not exist`);
  const key = [type, COMMON_KEY].find((each) => Object.hasOwn(data, each));
  if (key === undefined) return { kind: 'no key', secretName };
  return { kind: 'text', secretName, text: Buffer.from(data[key] ?? '', 'base64').toString('utf8') };
}

function objectIn(
  content: Content,
  type: HostDataType,
): { readonly kind: 'object'; readonly value: JsonObject } | ConfigDriveError {
  if (content.kind === 'error') return content;
  if (content.kind !== 'text') return { kind: 'object', value: {} };
  const read = readObject(content.text);
  return read.kind === 'object' ? read : failure(type, `${type} of Secret '${content.secretName}' ${read.reason}`);
}

function keyMissing({ secretName }: Extract<Content, { kind: 'no key' }>, type: HostDataType): ConfigDriveError {
  return failure(type, `Secret '${secretName}' has neither key '${type}' nor '${COMMON_KEY}'`);
}

function failure(hostDataType: HostDataType, message: string): ConfigDriveError {
  return { kind: 'error', hostDataType, message };
}
