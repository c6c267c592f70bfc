// The credentials for the registry of an OCI image, from a Secret as `docker login` and kubectl make them.
//
// No message holds anything of the Secret's content, nor the user of a URL.
import { type JsonObject, parseJsonObject } from '../../../bus/json.ts';
import { mapOf } from '../json-values.ts';
import type { Image, Maybe } from './host-json.ts';
import { isOci } from './image.ts';

/** A Secret of the host's namespace. */
export interface RegistrySecret {
  readonly name: string;
  readonly type?: Maybe<string>;
  /** Values in base64, as stored. */
  readonly data?: Maybe<Readonly<Record<string, Maybe<string>>>>;
}

/** Reasons of the Warning events. */
export const ImageAuthEvent = {
  FormatUnsupported: 'ImageAuthFormatUnsupported',
  ParseError: 'ImageAuthParseError',
} as const;
export type ImageAuthEvent = (typeof ImageAuthEvent)[keyof typeof ImageAuthEvent];

export type RegistryCredentials =
  /** `user:password` */
  | { readonly kind: 'found'; readonly pullSecret: string }
  /** There is no such Secret, or it knows nothing of the registry. */
  | { readonly kind: 'not-found'; readonly message: string }
  | { readonly kind: 'invalid'; readonly event: ImageAuthEvent; readonly message: string };

/** Key of each type of Secret, and where in its content the entries are. */
const FORMATS: ReadonlyMap<string, { readonly key: string; entries(config: JsonObject): unknown }> = new Map([
  ['kubernetes.io/dockerconfigjson', { key: '.dockerconfigjson', entries: ({ auths }) => auths ?? {} }],
  ['kubernetes.io/dockercfg', { key: '.dockercfg', entries: (config) => config }],
]);

/** Name of Docker Hub in images, and the name that `docker login` stores for it. */
const DOCKER_HUB = { image: 'docker.io', index: 'index.docker.io' } as const;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The name of the Secret that an image needs; undefined: none, as with whatever is no OCI image. */
export function registrySecretName(image: Maybe<Image>): string | undefined {
  return isOci(image) ? image?.ociAuthSecretName || undefined : undefined;
}

/**
 * The credentials for the registry of an image, which is known by the host of the image's URL, with its port. An entry
 * under just that host wins over one under a URL, or with a path.
 *
 * @param of.secret  undefined: there is none of that name
 */
export function registryCredentials({
  image,
  secret,
}: {
  readonly image: Maybe<Image>;
  readonly secret: RegistrySecret | undefined;
}): RegistryCredentials {
  const name = secret?.name ?? image?.ociAuthSecretName ?? '';
  if (secret === undefined) return { kind: 'not-found', message: `registry Secret '${name}' does not exist` };
  const format = FORMATS.get(secret.type ?? '');
  if (format === undefined) {
    const types = [...FORMATS.keys()].join(' or ');
    return invalid(ImageAuthEvent.FormatUnsupported, `registry Secret '${name}' must be of type ${types}`);
  }
  const unreadable = (what: string): RegistryCredentials =>
    invalid(ImageAuthEvent.ParseError, `registry Secret '${name}' ${what}`);

  const { [format.key]: content } = { ...secret.data };
  if (typeof content !== 'string') return unreadable(`has no key '${format.key}'`);
  const config = parseJsonObject(Buffer.from(content, 'base64').toString('utf8'));
  const entries = config === undefined ? undefined : format.entries(config);
  if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) {
    return unreadable('holds no Docker configuration');
  }

  const registry = hostOf(image?.url ?? '');
  const known = Object.entries(entries as JsonObject);
  const [, entry] =
    known.find(([key]) => canonical(key) === registry) ?? known.find(([key]) => hostOf(key) === registry) ?? [];
  if (entry === undefined || registry === '') {
    return { kind: 'not-found', message: `registry Secret '${name}' has no entry for '${registry}'` };
  }
  const pullSecret = pullSecretOf(mapOf(entry));
  return pullSecret === undefined
    ? unreadable(`has no user and password for '${registry}'`)
    : { kind: 'found', pullSecret };
}

/** `auth` wins, as with Docker. */
function pullSecretOf({ auth, username, password }: JsonObject): string | undefined {
  if (typeof auth === 'string' && auth !== '') {
    const base64 = auth.replace(/[\r\n]/g, '');
    const text = BASE64.test(base64) ? Buffer.from(base64, 'base64').toString('utf8') : '';
    return /^[^:]+:/.test(text) ? text : undefined;
  }
  const isComplete = typeof username === 'string' && username !== '' && typeof password === 'string';
  return isComplete ? `${username}:${password}` : undefined;
}

/** Host and port of a URL, or of a key that may lack a scheme. */
function hostOf(text: string): string {
  const [, authority = ''] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)/i.exec(text) ?? [];
  return canonical(authority.slice(authority.lastIndexOf('@') + 1));
}

function canonical(host: string): string {
  const name = host.toLowerCase();
  return name === DOCKER_HUB.image ? DOCKER_HUB.index : name;
}

function invalid(event: ImageAuthEvent, message: string): RegistryCredentials {
  return { kind: 'invalid', event, message };
}
