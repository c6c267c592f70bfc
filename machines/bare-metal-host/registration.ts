// Status of a host that is registered in Ironic for the first time, or again.
import { clearErrorOf, ErrorType } from './errors.ts';
import {
  type BareMetalHost,
  type CredentialsStatus,
  type HostStatus,
  OperationalStatus,
  ProvisioningState,
  provisioningStateOf,
} from './host.ts';
import { forgottenSettings, isEqual, patchStatus } from './status.ts';

/** Prefix of the message about a missing Secret of the credentials. */
export const SECRET_MISSING = "BMC CredentialsName secret doesn't exist";

/** The node is there and as the spec says: no failure of that is left, and what was only discovered is under control. */
export function registeredStatus(status: HostStatus): HostStatus {
  const cleared = clearErrorOf(status, ErrorType.Registration);
  const { operationalStatus } = cleared;
  const isNew = (operationalStatus ?? '') === '' || operationalStatus === OperationalStatus.Discovered;
  return isNew ? patchStatus(cleared, { operationalStatus: OperationalStatus.OK }) : cleared;
}

/** The host is this node in Ironic. What was being applied to another one is to be applied again. */
export function nodeStatus(host: BareMetalHost, id: string): HostStatus {
  const { status } = host;
  const isAnother = (status?.provisioning?.ID ?? '') !== id;
  const isPreparing = provisioningStateOf(host) === ProvisioningState.Preparing;
  return patchStatus(status, {
    provisioning: { ID: id, ...(isAnother && isPreparing && forgottenSettings(status)) },
  });
}

/**
 * Whether a host that is registered within another state than `registering` begins a new run of that.
 *
 * @param used  the Secret that it is registered with now; undefined: it is not known
 */
export function isRegistrationAnew(host: BareMetalHost, used: CredentialsStatus | undefined): boolean {
  if (provisioningStateOf(host) === ProvisioningState.Registering) return false;
  if (host.status?.errorType === ErrorType.Registration) return true;
  return used !== undefined && !isSameCredentials(used, host.status?.goodCredentials);
}

/** Compares the name of the Secret and its `resourceVersion`. */
export function isSameCredentials(
  left: CredentialsStatus | null | undefined,
  right: CredentialsStatus | null | undefined,
): boolean {
  return isEqual(plain(left), plain(right));
}

function plain(credentials: CredentialsStatus | null | undefined): readonly string[] {
  const { credentials: secret, credentialsVersion } = credentials ?? {};
  return [secret?.namespace ?? '', secret?.name ?? '', credentialsVersion ?? ''];
}
