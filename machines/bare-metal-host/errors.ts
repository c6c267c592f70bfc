// Errors in the status of a host: their names, their recording, and their removal.
import { type HostChange, type HostStatus, isGiven, OperationalStatus } from './host.ts';
import { patchStatus } from './status.ts';

/** `status.errorType`. */
export const ErrorType = {
  ProvisionedRegistration: 'provisioned registration error',
  Registration: 'registration error',
  Inspection: 'inspection error',
  Preparation: 'preparation error',
  Provisioning: 'provisioning error',
  PowerManagement: 'power management error',
  Servicing: 'servicing error',
  Detach: 'detach error',
} as const;
export type ErrorType = (typeof ErrorType)[keyof typeof ErrorType];

/** Event that reports it, and the label by which it is counted. */
export const ERROR_EVENTS: Readonly<Record<ErrorType, string>> = {
  [ErrorType.ProvisionedRegistration]: 'ProvisionedRegistrationError',
  [ErrorType.Registration]: 'RegistrationError',
  [ErrorType.Inspection]: 'InspectionError',
  [ErrorType.Preparation]: 'PreparationError',
  [ErrorType.Provisioning]: 'ProvisioningError',
  [ErrorType.PowerManagement]: 'PowerManagementError',
  [ErrorType.Servicing]: 'ServicingError',
  [ErrorType.Detach]: 'DetachError',
};

/** Records an error in the status, counts it, and emits an Event. @param message  no secret */
export function recordError(status: HostStatus | null | undefined, errorType: ErrorType, message: string): HostChange {
  const event = ERROR_EVENTS[errorType];
  return {
    status: patchStatus(status, {
      operationalStatus: OperationalStatus.Error,
      errorType,
      errorMessage: message,
      errorCount: (status?.errorCount ?? 0) + 1,
    }),
    events: [{ reason: event, message }],
    measures: [{ name: 'metal3_host_error_total', labels: { error_type: event } }],
  };
}

/** Nothing is wrong any more; how often something was stays known. */
export function clearError(status: HostStatus | null | undefined): HostStatus {
  return patchStatus(status, { operationalStatus: OperationalStatus.OK, errorType: undefined, errorMessage: '' });
}

/** An error of this type is over; of any other the status tells on. */
export function clearErrorOf(status: HostStatus | null | undefined, errorType: ErrorType): HostStatus {
  return status?.errorType === errorType ? clearError(status) : (status ?? {});
}

export function hasError(status: HostStatus | null | undefined): boolean {
  return isGiven(status?.errorType);
}

/** The next attempt restarts such a failed operation, instead of reporting the same failure once more. */
export function isRestartOnFailure(status: HostStatus | null | undefined, errorType: ErrorType): boolean {
  return status?.errorType === errorType;
}
