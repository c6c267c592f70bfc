// What the server of group dummy works on: all that some version can say. Written by hand.
import type { bool, int64 } from '../../../../../../../adapters/csi-proxy/codec/scalars.ts';

export interface ComputeDoubleRequest {
  input: int64;
}

export interface ComputeDoubleResponse {
  /** Twice the input; 0 when that does not fit 64 bits. */
  response: int64;
  overflow: bool;
}
