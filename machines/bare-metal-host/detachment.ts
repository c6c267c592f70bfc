// Taking a host out of Ironic as it runs, and back: what the annotation asks for.
import { clearError, ErrorType } from './errors.ts';
import {
  annotationOf,
  type BareMetalHost,
  HostAnnotation,
  type HostStatus,
  isAvailableState,
  isGiven,
  isProvisionedState,
  OperationalStatus,
  ProvisioningState,
  provisioningStateOf,
} from './host.ts';
import { patchStatus } from './status.ts';

export interface DetachedArguments {
  /** Effect of a deletion while the host is detached; `delay`: none until it is attached again. */
  readonly deleteAction: 'delay' | 'delete';
  /** Whatever is under way is interrupted for it. */
  readonly force: boolean;
}

/** Value of the annotation; undefined if it is absent. Invalid JSON means the default. */
export function detachedArguments(host: BareMetalHost): DetachedArguments | undefined {
  const text = annotationOf(host, HostAnnotation.Detached);
  if (text === undefined) return undefined;
  const { deleteAction, force } = membersOf(text);
  return { deleteAction: deleteAction === 'delay' ? 'delay' : 'delete', force: force === true };
}

export type Detachment =
  /** It is not requested, or is ignored in this state. */
  | { readonly kind: 'none' }
  /** It is asked for, and what the host is at is to end first. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'detach'; readonly force: boolean }
  /** It is out of Ironic, and is to stay there. */
  | { readonly kind: 'detached' }
  /** It is no longer requested: the host continues with this status, and is registered again. */
  | { readonly kind: 'attach'; readonly status: HostStatus };

/** Action about the annotation. */
export function detachment(host: BareMetalHost): Detachment {
  const wanted = detachedArguments(host);
  const state = provisioningStateOf(host);
  if (wanted === undefined) {
    const status = attachedStatus(host.status ?? {});
    return status === undefined ? { kind: 'none' } : { kind: 'attach', status };
  }
  if (state === ProvisioningState.Deleting) return { kind: 'none' };
  if (host.status?.operationalStatus === OperationalStatus.Detached) return { kind: 'detached' };
  if (isAvailableState(state) || isProvisionedState(state)) return { kind: 'detach', force: false };
  return wanted.force ? { kind: 'detach', force: true } : { kind: 'wait' };
}

/**
 * It is out of Ironic, or is being taken out. What the annotation asks of a host that has to end first what it is at is still to
 * come: it may need others for that, who leave a detached host alone.
 */
export function isDetached(host: BareMetalHost): boolean {
  return host.status?.operationalStatus === OperationalStatus.Detached || detachment(host).kind === 'detach';
}

/** The node is removed from Ironic; the state stays as it is. */
export function detachedStatus(status: HostStatus): HostStatus {
  const hadFailed = status.errorType === ErrorType.Detach;
  return patchStatus(hadFailed ? { ...clearError(status), errorCount: 0 } : status, {
    operationalStatus: OperationalStatus.Detached,
  });
}

function attachedStatus(status: HostStatus): HostStatus | undefined {
  const hadFailed = status.errorType === ErrorType.Detach;
  if (!hadFailed && status.operationalStatus !== OperationalStatus.Detached) return undefined;
  const cleared = hadFailed ? { ...clearError(status), errorCount: 0 } : status;
  const operationalStatus = isGiven(cleared.errorType) ? OperationalStatus.Error : OperationalStatus.OK;
  return patchStatus(cleared, { operationalStatus });
}

/** Own members of the object that the text is, one by one: what is wrong about one does not spoil the others. */
function membersOf(text: string): { readonly deleteAction?: unknown; readonly force?: unknown } {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return {};
  const read = (key: string): unknown =>
    Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  return { deleteAction: read('deleteAction'), force: read('force') };
}

/** Undefined for what is no JSON: any text is allowed there. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
