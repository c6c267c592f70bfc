// A host as what is done with its node reads it.
import type { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import type { BareMetalHost, HostSpec } from '../../../machines/bare-metal-host/host.ts';

type Maybe<Value> = Value | null | undefined;

export interface Host extends BareMetalHost {
  readonly spec?: Maybe<
    HostSpec & {
      readonly bootMACAddress?: Maybe<string>;
      readonly automatedCleaningMode?: Maybe<string>;
    }
  >;
}

/** The host's error is of this type: the failed operation is restarted. */
export function hasErrorOf({ status }: Host, errorType: ErrorType): boolean {
  return status?.errorType === errorType;
}

/** Name of the host's node. */
export function nodeNameOf({ metadata }: Host): string {
  return `${metadata?.namespace ?? ''}~${metadata?.name ?? ''}`;
}

/** As it is spelt; empty: there is none. */
export function bootMacOf({ spec }: Host): string {
  return spec?.bootMACAddress ?? '';
}

export function bootModeOf({ status }: Host): string {
  return status?.provisioning?.bootMode || 'UEFI';
}

/** Whether disks are cleaned before the first deployment and after each. */
export function isCleaningWanted({ spec }: Host): boolean {
  return spec?.automatedCleaningMode !== 'disabled';
}

export function isFastInspection({ spec }: Host): boolean {
  return spec?.inspectionMode === 'fast';
}
