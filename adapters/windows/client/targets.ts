// iSCSI and services by csi-proxy.
import { AuthenticationType } from '../../csi-proxy/api/iscsi/v1alpha2/api_generated.ts';
import { ServiceStatus } from '../../csi-proxy/api/system/v1alpha1/api_generated.ts';
import { Code } from '../../csi-proxy/base/status.ts';
import * as v1alpha1 from '../../csi-proxy/client/iscsi/v1alpha1/client_generated.ts';
import * as v1alpha2 from '../../csi-proxy/client/iscsi/v1alpha2/client_generated.ts';
import * as systemV1alpha1 from '../../csi-proxy/client/system/v1alpha1/client_generated.ts';
import type { IscsiHost, Portal } from '../../csi-proxy/hosts/host.ts';
import type { Storage } from '../operations/storage.ts';
import { type Groups, needs } from './groups.ts';
import { done, isAnswered, withCode } from './outcome.ts';

export const ISCSI = [v1alpha2, v1alpha1] as const;
export const SYSTEM = [systemV1alpha1] as const;

const AUTHENTICATION = {
  NONE: AuthenticationType.NONE,
  ONEWAYCHAP: AuthenticationType.ONE_WAY_CHAP,
  MUTUALCHAP: AuthenticationType.MUTUAL_CHAP,
} as const;

export function pipeTargets(groups: Groups): IscsiHost {
  const open = () => groups.open(ISCSI);
  const of = ({ address, port }: Portal) => ({ targetPortal: { targetAddress: address, targetPort: port } });
  const portals = async (): Promise<readonly Portal[]> => {
    const { client } = await open();
    const { targetPortals } = await client.listTargetPortals({});
    return targetPortals.map(({ targetAddress, targetPort }) => ({ address: targetAddress, port: targetPort }));
  };
  const isListed = async ({ address, port }: Portal): Promise<boolean> =>
    (await portals()).some((known) => known.address === address && known.port === port);
  const discover = async (portal: Portal): Promise<readonly string[]> => {
    const { client } = await open();
    return (await client.discoverTargetPortal(of(portal))).iqns;
  };
  const isOffered = async (portal: Portal, iqn: string): Promise<boolean> =>
    (await isListed(portal)) && (await discover(portal)).includes(iqn);
  const disks = async (portal: Portal, iqn: string): Promise<readonly number[]> => {
    const { client } = await open();
    return (await client.getTargetDisks({ ...of(portal), iqn })).diskIDs.map(Number);
  };
  /** A target that no portal offers is reported as absent. */
  const reported = async <Result>(portal: Portal, iqn: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      if (isAnswered(error) && !(await isOffered(portal, iqn))) throw withCode(Code.NotFound, error);
      throw error;
    }
  };
  return {
    listTargetPortals: portals,
    discoverTargetPortal: discover,
    async addTargetPortal(portal) {
      const { client } = await open();
      await done(client.addTargetPortal(of(portal)), () => isListed(portal));
    },
    async removeTargetPortal(portal) {
      const { client } = await open();
      await done(client.removeTargetPortal(of(portal)), async () => !(await isListed(portal)));
    },
    async connectTarget(portal, iqn, { authentication, username, secret }) {
      const { client } = await open();
      const login = { authType: AUTHENTICATION[authentication], chapUsername: username, chapSecret: secret };
      const change = client.connectTarget({ ...of(portal), iqn, ...login });
      await done(change, async () => (await disks(portal, iqn)).length > 0);
    },
    async disconnectTarget(portal, iqn) {
      const { client } = await open();
      const change = client.disconnectTarget({ ...of(portal), iqn });
      await reported(portal, iqn, () => done(change, async () => (await disks(portal, iqn)).length === 0));
    },
    getTargetDisks: (portal, iqn) => reported(portal, iqn, () => disks(portal, iqn)),
    async setMutualChapSecret(secret) {
      const opened = await open();
      if (opened.version === 'v1alpha1') throw needs('iscsi', opened.version, 'SetMutualChapSecret', 'v1alpha2');
      await opened.client.setMutualChapSecret({ MutualChapSecret: secret });
    },
  };
}

export function pipeSystem(groups: Groups): Storage['system'] {
  const open = () => groups.open(SYSTEM);
  return {
    async getBIOSSerialNumber() {
      const { client } = await open();
      return (await client.getBIOSSerialNumber({})).serialNumber;
    },
    async startService(name) {
      const { client } = await open();
      const isRunning = async () => (await client.getService({ name })).status === ServiceStatus.RUNNING;
      await done(client.startService({ name }), isRunning);
    },
  };
}
