// The server of group iscsi.
import { Code, StatusError } from '../../status.ts';
import type { CallContext } from '../runtime.ts';
import type * as internal from './internal/types.ts';
import type { ServerInterface, Version } from './internal/types_generated.ts';

export class Server implements ServerInterface {
  /** Stub. */
  async addTargetPortal(
    _context: CallContext,
    _request: internal.AddTargetPortalRequest,
    _version: Version,
  ): Promise<internal.AddTargetPortalResponse> {
    throw new StatusError(Code.Unimplemented, 'AddTargetPortal is not implemented');
  }

  /** Stub. */
  async connectTarget(
    _context: CallContext,
    _request: internal.ConnectTargetRequest,
    _version: Version,
  ): Promise<internal.ConnectTargetResponse> {
    throw new StatusError(Code.Unimplemented, 'ConnectTarget is not implemented');
  }

  /** Stub. */
  async disconnectTarget(
    _context: CallContext,
    _request: internal.DisconnectTargetRequest,
    _version: Version,
  ): Promise<internal.DisconnectTargetResponse> {
    throw new StatusError(Code.Unimplemented, 'DisconnectTarget is not implemented');
  }

  /** Stub. */
  async discoverTargetPortal(
    _context: CallContext,
    _request: internal.DiscoverTargetPortalRequest,
    _version: Version,
  ): Promise<internal.DiscoverTargetPortalResponse> {
    throw new StatusError(Code.Unimplemented, 'DiscoverTargetPortal is not implemented');
  }

  /** Stub. */
  async getTargetDisks(
    _context: CallContext,
    _request: internal.GetTargetDisksRequest,
    _version: Version,
  ): Promise<internal.GetTargetDisksResponse> {
    throw new StatusError(Code.Unimplemented, 'GetTargetDisks is not implemented');
  }

  /** Stub. */
  async listTargetPortals(
    _context: CallContext,
    _request: internal.ListTargetPortalsRequest,
    _version: Version,
  ): Promise<internal.ListTargetPortalsResponse> {
    throw new StatusError(Code.Unimplemented, 'ListTargetPortals is not implemented');
  }

  /** Stub. */
  async removeTargetPortal(
    _context: CallContext,
    _request: internal.RemoveTargetPortalRequest,
    _version: Version,
  ): Promise<internal.RemoveTargetPortalResponse> {
    throw new StatusError(Code.Unimplemented, 'RemoveTargetPortal is not implemented');
  }

  /** Stub. */
  async setMutualChapSecret(
    _context: CallContext,
    _request: internal.SetMutualChapSecretRequest,
    _version: Version,
  ): Promise<internal.SetMutualChapSecretResponse> {
    throw new StatusError(Code.Unimplemented, 'SetMutualChapSecret is not implemented');
  }
}
