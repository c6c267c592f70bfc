// Internal types of the server of the node and its services: the union of all versions. Written by hand.
import type { bool, Empty, OpenEnum, text } from '../../../codec/scalars.ts';

export type GetBIOSSerialNumberRequest = Empty;

export interface GetBIOSSerialNumberResponse {
  serialNumber: text;
}

export interface GetServiceRequest {
  name: text;
}

export interface GetServiceResponse {
  displayName: text;
  startType: StartType;
  status: ServiceStatus;
}

export const ServiceStatus = {
  UNKNOWN: 0,
  STOPPED: 1,
  START_PENDING: 2,
  STOP_PENDING: 3,
  RUNNING: 4,
  CONTINUE_PENDING: 5,
  PAUSE_PENDING: 6,
  PAUSED: 7,
} as const;
export type ServiceStatus = OpenEnum<(typeof ServiceStatus)[keyof typeof ServiceStatus]>;

export interface StartServiceRequest {
  name: text;
}

export type StartServiceResponse = Empty;

export const StartType = { BOOT: 0, SYSTEM: 1, AUTOMATIC: 2, MANUAL: 3, DISABLED: 4 } as const;
export type StartType = OpenEnum<(typeof StartType)[keyof typeof StartType]>;

export interface StopServiceRequest {
  name: text;
  /** Stop the services that depend on it, too. */
  force: bool;
}

export type StopServiceResponse = Empty;
