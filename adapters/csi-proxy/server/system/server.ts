// The server of group system.
import { Code, StatusError } from '../../status.ts';
import type { CallContext } from '../runtime.ts';
import type * as internal from './internal/types.ts';
import type { ServerInterface, Version } from './internal/types_generated.ts';

export class Server implements ServerInterface {
  /** Stub. */
  async getBIOSSerialNumber(
    _context: CallContext,
    _request: internal.GetBIOSSerialNumberRequest,
    _version: Version,
  ): Promise<internal.GetBIOSSerialNumberResponse> {
    throw new StatusError(Code.Unimplemented, 'GetBIOSSerialNumber is not implemented');
  }

  /** Stub. */
  async getService(
    _context: CallContext,
    _request: internal.GetServiceRequest,
    _version: Version,
  ): Promise<internal.GetServiceResponse> {
    throw new StatusError(Code.Unimplemented, 'GetService is not implemented');
  }

  /** Stub. */
  async startService(
    _context: CallContext,
    _request: internal.StartServiceRequest,
    _version: Version,
  ): Promise<internal.StartServiceResponse> {
    throw new StatusError(Code.Unimplemented, 'StartService is not implemented');
  }

  /** Stub. */
  async stopService(
    _context: CallContext,
    _request: internal.StopServiceRequest,
    _version: Version,
  ): Promise<internal.StopServiceResponse> {
    throw new StatusError(Code.Unimplemented, 'StopService is not implemented');
  }
}
