// The way into the BMC of a host: its address, and what is in its Secret. No message holds anything of the Secret.
import { toErrorData } from '../../../bus/errors.ts';
import type { CredentialsStatus } from '../../../machines/bare-metal-host/host.ts';
import { type BmcAddress, parseBmcAddress } from './bmc-address.ts';
import { type Driver, driverOf } from './drivers.ts';
import type { Maybe } from './host-json.ts';
import { type SecretData, secretText } from './secret-text.ts';

export interface CredentialedHost {
  readonly metadata?: Maybe<{ readonly namespace?: Maybe<string> }>;
  readonly spec?: Maybe<{
    readonly bmc?: Maybe<{ readonly address?: Maybe<string>; readonly credentialsName?: Maybe<string> }>;
  }>;
}

export interface BmcSecret {
  readonly resourceVersion: string;
  readonly data: SecretData;
}

export interface Access {
  readonly address: BmcAddress;
  readonly driver: Driver;
  readonly username: string;
  readonly password: string;
  /** Of `goodCredentials` and `triedCredentials`. */
  readonly credentials: CredentialsStatus;
}

export type AccessOutcome =
  | ({ readonly kind: 'access' } & Access)
  /** There is no such Secret. */
  | { readonly kind: 'missing'; readonly message: string }
  /** A retry is useless before the host or the Secret changes. */
  | { readonly kind: 'invalid'; readonly message: string };

/** The name of the Secret; empty: the host names none. */
export function credentialsNameOf({ spec }: CredentialedHost): string {
  return spec?.bmc?.credentialsName ?? '';
}

/**
 * Validates the BMC details of a host.
 *
 * @param secret  the one that the host names, as it is now; undefined: there is none
 */
export function bmcAccess(host: CredentialedHost, secret: BmcSecret | undefined): AccessOutcome {
  const name = credentialsNameOf(host);
  const { address: text } = host.spec?.bmc ?? {};
  if (name === '') return invalid('No BMC CredentialsName defined');
  if (secret === undefined) return { kind: 'missing', message: `BMC CredentialsName secret doesn't exist: '${name}'` };
  if (!text) return invalid('Empty BMC address');
  const [username, password] = ['username', 'password'].map((key) => secretText(secret.data, key)?.trim() ?? '');
  if (!username || !password) {
    const lacking = [...(username ? [] : ['username']), ...(password ? [] : ['password'])].join(' and ');
    return invalid(`Validation error with BMC credentials: ${lacking} in Secret '${name}' is missing or empty`);
  }
  try {
    const address = parseBmcAddress(text);
    const credentials = {
      credentials: { name, namespace: host.metadata?.namespace ?? '' },
      // mutant: host-tells-password : -> `${$} ${password}`
      credentialsVersion: secret.resourceVersion,
    };
    return { kind: 'access', address, driver: driverOf(address), username, password, credentials };
  } catch (error) {
    return invalid(toErrorData(error).message);
  }
}

function invalid(message: string): AccessOutcome {
  return { kind: 'invalid', message };
}
