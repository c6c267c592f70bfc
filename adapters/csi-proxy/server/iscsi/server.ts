// iSCSI targets, for all versions of the group.

import { Code, StatusError } from '../../base/status.ts';
import type { ChapLogin, IscsiHost, Portal } from '../../hosts/host.ts';
import type { KeyedMutex } from '../../hosts/keyed-mutex.ts';
import { portalOf, requireIqn } from '../../hosts/rules.ts';
import type { GroupDeps } from '../group-deps.ts';
import type { CallContext } from '../runtime.ts';
import { requireVersion } from '../version-gate.ts';
import * as internal from './internal/types.ts';

const AUTHENTICATION: ReadonlyMap<number, ChapLogin['authentication']> = new Map([
  [internal.AuthenticationType.NONE, 'NONE'],
  [internal.AuthenticationType.ONE_WAY_CHAP, 'ONEWAYCHAP'],
  [internal.AuthenticationType.MUTUAL_CHAP, 'MUTUALCHAP'],
]);

/** Portals, sessions and the secret of the node hang together, so that they are changed one at a time. */
const LANE = 'iscsi';

export class Server {
  readonly #iscsi: IscsiHost;
  readonly #lanes: KeyedMutex;

  constructor({ host, lanes }: GroupDeps) {
    this.#iscsi = host.iscsi;
    this.#lanes = lanes;
  }

  async addTargetPortal(
    { signal }: CallContext,
    { targetPortal }: internal.AddTargetPortalRequest,
    _version: string,
  ): Promise<internal.AddTargetPortalResponse> {
    const portal = portalIn(targetPortal);
    await this.#lanes.run(LANE, signal, () => this.#iscsi.addTargetPortal(portal));
    return {};
  }

  async discoverTargetPortal(
    _context: CallContext,
    { targetPortal }: internal.DiscoverTargetPortalRequest,
    _version: string,
  ): Promise<internal.DiscoverTargetPortalResponse> {
    return { iqns: [...(await this.#iscsi.discoverTargetPortal(portalIn(targetPortal)))] };
  }

  async listTargetPortals(
    _context: CallContext,
    _request: internal.ListTargetPortalsRequest,
    _version: string,
  ): Promise<internal.ListTargetPortalsResponse> {
    const portals = await this.#iscsi.listTargetPortals();
    return { targetPortals: portals.map(({ address, port }) => ({ targetAddress: address, targetPort: port })) };
  }

  async removeTargetPortal(
    { signal }: CallContext,
    { targetPortal }: internal.RemoveTargetPortalRequest,
    _version: string,
  ): Promise<internal.RemoveTargetPortalResponse> {
    const portal = portalIn(targetPortal);
    await this.#lanes.run(LANE, signal, () => this.#iscsi.removeTargetPortal(portal));
    return {};
  }

  async connectTarget(
    { signal }: CallContext,
    { targetPortal, iqn, authType, chapUsername, chapSecret }: internal.ConnectTargetRequest,
    _version: string,
  ): Promise<internal.ConnectTargetResponse> {
    const portal = portalIn(targetPortal);
    const authentication = AUTHENTICATION.get(authType);
    if (authentication === undefined) {
      throw new StatusError(Code.InvalidArgument, `invalid authentication type authType=${authType}`);
    }
    requireIqn(iqn);
    const login = { authentication, username: chapUsername, secret: chapSecret };
    await this.#lanes.run(LANE, signal, () => this.#iscsi.connectTarget(portal, iqn, login));
    return {};
  }

  async disconnectTarget(
    { signal }: CallContext,
    { targetPortal, iqn }: internal.DisconnectTargetRequest,
    _version: string,
  ): Promise<internal.DisconnectTargetResponse> {
    const portal = portalIn(targetPortal);
    requireIqn(iqn);
    await this.#lanes.run(LANE, signal, () => this.#iscsi.disconnectTarget(portal, iqn));
    return {};
  }

  async getTargetDisks(
    _context: CallContext,
    { targetPortal, iqn }: internal.GetTargetDisksRequest,
    _version: string,
  ): Promise<internal.GetTargetDisksResponse> {
    const portal = portalIn(targetPortal);
    requireIqn(iqn);
    return { diskIDs: (await this.#iscsi.getTargetDisks(portal, iqn)).map(String) };
  }

  async setMutualChapSecret(
    { signal }: CallContext,
    { MutualChapSecret }: internal.SetMutualChapSecretRequest,
    version: string,
  ): Promise<internal.SetMutualChapSecretResponse> {
    requireVersion('SetMutualChapSecret', 'v1alpha2', version);
    await this.#lanes.run(LANE, signal, () => this.#iscsi.setMutualChapSecret(MutualChapSecret));
    return {};
  }
}

/** @throws {StatusError} `INVALID_ARGUMENT` */
function portalIn(portal: internal.TargetPortal | undefined): Portal {
  if (portal === undefined) throw new StatusError(Code.InvalidArgument, 'target portal is missing');
  return portalOf(portal.targetAddress, portal.targetPort);
}
