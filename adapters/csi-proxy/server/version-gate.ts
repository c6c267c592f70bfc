// A call is for the versions that have it.
import { Code, StatusError } from '../base/status.ts';
import { compareVersionNames } from '../base/version-name.ts';

/** @throws {StatusError} `INVALID_ARGUMENT`: the call came by a version that is older than `since` */
export function requireVersion(rpc: string, since: string, version: string): void {
  if (compareVersionNames(version, since) >= 0) return;
  throw new StatusError(Code.InvalidArgument, `${rpc} requires CSI-Proxy API version ${since} or greater`);
}
