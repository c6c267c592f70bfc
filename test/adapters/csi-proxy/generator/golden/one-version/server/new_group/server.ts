// The server of group new_group.
import { Code, StatusError } from '../../../../../../../../adapters/csi-proxy/base/status.ts';
import type { CallContext } from '../../../../../../../../adapters/csi-proxy/server/runtime.ts';
import type * as internal from './internal/types.ts';
import type { ServerInterface, Version } from './internal/types_generated.ts';

export class Server implements ServerInterface {
  /** Stub. */
  async rescan(_context: CallContext, _request: internal.Empty, _version: Version): Promise<internal.Empty> {
    throw new StatusError(Code.Unimplemented, 'Rescan is not implemented');
  }

  /** Stub. */
  async storeThing(
    _context: CallContext,
    _request: internal.StoreThingRequest,
    _version: Version,
  ): Promise<internal.StoreThingResponse> {
    throw new StatusError(Code.Unimplemented, 'StoreThing is not implemented');
  }
}
