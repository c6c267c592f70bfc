// Internal types of the server of iSCSI targets: the union of all versions. Written by hand.
import type { Empty, OpenEnum, text, uint32 } from '../../../codec/scalars.ts';

export interface AddTargetPortalRequest {
  targetPortal: TargetPortal | undefined;
}

export type AddTargetPortalResponse = Empty;

export const AuthenticationType = { NONE: 0, ONE_WAY_CHAP: 1, MUTUAL_CHAP: 2 } as const;
export type AuthenticationType = OpenEnum<(typeof AuthenticationType)[keyof typeof AuthenticationType]>;

export interface ConnectTargetRequest {
  targetPortal: TargetPortal | undefined;
  iqn: text;
  authType: AuthenticationType;
  chapUsername: text;
  chapSecret: text;
}

export type ConnectTargetResponse = Empty;

export interface DisconnectTargetRequest {
  targetPortal: TargetPortal | undefined;
  iqn: text;
}

export type DisconnectTargetResponse = Empty;

export interface DiscoverTargetPortalRequest {
  targetPortal: TargetPortal | undefined;
}

export interface DiscoverTargetPortalResponse {
  iqns: text[];
}

export interface GetTargetDisksRequest {
  targetPortal: TargetPortal | undefined;
  iqn: text;
}

export interface GetTargetDisksResponse {
  /** Decimal numbers. */
  diskIDs: text[];
}

export type ListTargetPortalsRequest = Empty;

export interface ListTargetPortalsResponse {
  targetPortals: TargetPortal[];
}

export interface RemoveTargetPortalRequest {
  targetPortal: TargetPortal | undefined;
}

export type RemoveTargetPortalResponse = Empty;

export interface SetMutualChapSecretRequest {
  MutualChapSecret: text;
}

export type SetMutualChapSecretResponse = Empty;

export interface TargetPortal {
  targetAddress: text;
  /** 0 for 3260. */
  targetPort: uint32;
}
