// Internal types of the server of SMB mappings: the union of all versions. Written by hand.
import type { Empty, text } from '../../../codec/scalars.ts';

export interface NewSmbGlobalMappingRequest {
  remotePath: text;
  /** Empty for no link. */
  localPath: text;
  /** Empty for a share that needs none. */
  username: text;
  password: text;
}

export type NewSmbGlobalMappingResponse = Empty;

export interface RemoveSmbGlobalMappingRequest {
  remotePath: text;
}

export type RemoveSmbGlobalMappingResponse = Empty;
