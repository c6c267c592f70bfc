// The server of group smb.
import { Code, StatusError } from '../../status.ts';
import type { CallContext } from '../runtime.ts';
import type * as internal from './internal/types.ts';
import type { ServerInterface, Version } from './internal/types_generated.ts';

export class Server implements ServerInterface {
  /** Stub. */
  async newSmbGlobalMapping(
    _context: CallContext,
    _request: internal.NewSmbGlobalMappingRequest,
    _version: Version,
  ): Promise<internal.NewSmbGlobalMappingResponse> {
    throw new StatusError(Code.Unimplemented, 'NewSmbGlobalMapping is not implemented');
  }

  /** Stub. */
  async removeSmbGlobalMapping(
    _context: CallContext,
    _request: internal.RemoveSmbGlobalMappingRequest,
    _version: Version,
  ): Promise<internal.RemoveSmbGlobalMappingResponse> {
    throw new StatusError(Code.Unimplemented, 'RemoveSmbGlobalMapping is not implemented');
  }
}
