// The server of group dummy.
import type { CallContext } from '../../../../../../adapters/csi-proxy/server/runtime.ts';
import type * as internal from './internal/types.ts';
import type { ServerInterface } from './internal/types_generated.ts';

export class Server implements ServerInterface {
  async computeDouble(
    _context: CallContext,
    { input }: internal.ComputeDoubleRequest,
  ): Promise<internal.ComputeDoubleResponse> {
    const response = 2n * input;
    const overflow = BigInt.asIntN(64, response) !== response;
    return { response: overflow ? 0n : response, overflow };
  }
}
