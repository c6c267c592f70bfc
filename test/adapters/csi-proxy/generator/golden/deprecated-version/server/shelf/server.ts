// The server of group shelf.
import { Code, StatusError } from '../../../../../../../../adapters/csi-proxy/base/status.ts';
import type { CallContext } from '../../../../../../../../adapters/csi-proxy/server/runtime.ts';
import type * as internal from './internal/types.ts';
import type { ServerInterface, Version } from './internal/types_generated.ts';

export class Server implements ServerInterface {
  /** Stub. */
  async listBooks(
    _context: CallContext,
    _request: internal.ListBooksRequest,
    _version: Version,
  ): Promise<internal.ListBooksResponse> {
    throw new StatusError(Code.Unimplemented, 'ListBooks is not implemented');
  }

  /** Stub. */
  async putBook(
    _context: CallContext,
    _request: internal.PutBookRequest,
    _version: Version,
  ): Promise<internal.PutBookResponse> {
    throw new StatusError(Code.Unimplemented, 'PutBook is not implemented');
  }
}
