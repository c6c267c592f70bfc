// The objects of every namespace (the default service account, the certificate of the authority), and the secrets that hold
// tokens of service accounts.
//
// Invariants:
//   KSIM-ACCOUNTS-1. A token secret has an account for as long as it exists: without one it goes, and it goes with its account.

import { mapOf, same, stringOf } from '../../../text/json.ts';
import { recordUpdate } from '../apply/ownership.ts';
import type { AccountTokens } from '../auth/account-tokens.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { storeKeyOf } from '../base/store-key.ts';
import { type Api, fillSystemFields, timeText } from '../resources/api.ts';
import { NAMESPACES_KEY } from './namespaces.ts';

const ACCOUNTS_KEY = storeKeyOf('', 'serviceaccounts');
const CONFIG_MAPS_KEY = storeKeyOf('', 'configmaps');
const SECRETS_KEY = storeKeyOf('', 'secrets');

const DEFAULT_ACCOUNT = 'default';
const ROOT_CERTIFICATE = 'kube-root-ca.crt';
const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

/** The annotation of the certificate, as the API server's controller writes it. */
const DESCRIPTION = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

export interface AccountsDeps {
  readonly api: Api;
  readonly tokens: AccountTokens;
  /** PEM of the authority that clients must trust. */
  readonly caCertificate: string;
  /** Whether namespaces get a ConfigMap with it. */
  readonly publishesAuthority: boolean;
}

/** Follows the store. Work is done after the write that caused it has returned. */
export function followAccounts({ api, tokens, caCertificate, publishesAuthority }: AccountsDeps): void {
  const namespaces = api.store.collection(NAMESPACES_KEY);
  const accounts = api.store.collection(ACCOUNTS_KEY);
  const configMaps = api.store.collection(CONFIG_MAPS_KEY);
  const secrets = api.store.collection(SECRETS_KEY);

  const isAlive = (namespace: string): boolean => {
    const holder = namespaces.get('', namespace);
    return holder !== undefined && holder.metadata.deletionTimestamp === undefined;
  };
  const put = (plural: string, before: KubeObject | undefined, next: KubeObject): void => {
    const resource = api.registry.find('', 'v1', plural);
    if (resource === undefined) throw new Error(`'${plural}' is not served`);
    if (before === undefined) fillSystemFields(api, next.metadata);
    recordUpdate(before, next, {
      manager: 'kube-controller-manager',
      apiVersion: 'v1',
      subresource: '',
      ignored: [],
      blank: {},
      time: timeText(api.clock.now()),
      schema: resource.schema,
      version: () => undefined,
    });
    api.store.collection(resource.storeKey).put(next);
  };

  const ensureAccount = (namespace: string): void => {
    if (!isAlive(namespace) || accounts.get(namespace, DEFAULT_ACCOUNT) !== undefined) return;
    const metadata = { name: DEFAULT_ACCOUNT, namespace };
    put('serviceaccounts', undefined, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  };
  const ensureCertificate = (namespace: string): void => {
    if (!publishesAuthority || !isAlive(namespace)) return;
    const data = { 'ca.crt': caCertificate };
    const before = configMaps.get(namespace, ROOT_CERTIFICATE)?.object;
    if (before === undefined) {
      const metadata = { name: ROOT_CERTIFICATE, namespace, annotations: DESCRIPTION };
      put('configmaps', undefined, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      return;
    }
    const annotations = { ...before.metadata.annotations, ...DESCRIPTION };
    if (same(before['data'], data) && same(before.metadata.annotations, annotations)) return;
    put('configmaps', before, { ...before, metadata: { ...before.metadata, annotations }, data });
  };

  /** KSIM-ACCOUNTS-1. */
  const settleSecret = (namespace: string, name: string): void => {
    const secret = secrets.get(namespace, name)?.object;
    if (secret === undefined || secret['type'] !== TOKEN_TYPE) return;
    const { [ACCOUNT_NAME]: owner = '', [ACCOUNT_UID]: ownerUid } = secret.metadata.annotations ?? {};
    const account = accounts.get(namespace, owner)?.object;
    if (account === undefined || (ownerUid !== undefined && ownerUid !== account.metadata.uid)) {
      secrets.remove(namespace, name);
      return;
    }
    const before = mapOf(secret['data']);
    const data = {
      ...before,
      'ca.crt': encoded(caCertificate),
      namespace: encoded(namespace),
      token: stringOf(before['token']) || encoded(tokens.issueForSecret(account, name)),
    };
    const annotations = { ...secret.metadata.annotations, [ACCOUNT_UID]: account.metadata.uid ?? '' };
    if (same(before, data) && same(secret.metadata.annotations, annotations)) return;
    put('secrets', secret, { ...secret, metadata: { ...secret.metadata, annotations }, data });
  };

  const welcome = (namespace: string): void => {
    ensureAccount(namespace);
    ensureCertificate(namespace);
  };
  namespaces.follow(({ type, stored: { metadata } }) => {
    if (type === 'ADDED') queueMicrotask(() => welcome(metadata.name ?? ''));
  });
  accounts.follow(({ type, stored: { metadata } }) => {
    const { name = '', namespace = '' } = metadata;
    if (type !== 'DELETED') return;
    queueMicrotask(() => {
      if (name === DEFAULT_ACCOUNT) ensureAccount(namespace);
      for (const { text, metadata: secret } of secrets.list(namespace, '')) {
        if (text.includes(TOKEN_TYPE)) settleSecret(namespace, secret.name ?? '');
      }
    });
  });
  configMaps.follow(({ stored: { metadata } }) => {
    const { name, namespace = '' } = metadata;
    if (name === ROOT_CERTIFICATE) queueMicrotask(() => ensureCertificate(namespace));
  });
  secrets.follow(({ type, stored: { metadata, text } }) => {
    const { name = '', namespace = '' } = metadata;
    if (type !== 'DELETED' && text.includes(TOKEN_TYPE)) queueMicrotask(() => settleSecret(namespace, name));
  });
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');
