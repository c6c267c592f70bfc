// Lookups for HostClaims: hosts and policies of all namespaces. No request is sent to Ironic.
import { HostAnnotation } from '../../../machines/bare-metal-host/host.ts';
import type { OperationRequest, Resource } from '../../../machines/kind.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import {
  type ClaimableHost,
  type HostClaim,
  type HostClaimStep,
  type HostReference,
  hostClaimStep,
  isHeldBy,
} from '../host/host-claim.ts';
import type { HostDeployPolicy } from '../host/host-deploy-policy.ts';
import { mapOf, textOf } from '../json-values.ts';
import { type IronicPorts, metal3Resource } from '../serving.ts';

/** With what they are chosen by. */
export const CLAIMABLE_HOSTS: Resource = {
  ...metal3Resource('BareMetalHost', 'baremetalhosts'),
  retains: { labels: ['*'], annotations: [HostAnnotation.Paused] },
};
export const DEPLOY_POLICIES: Resource = metal3Resource('HostDeployPolicy', 'hostdeploypolicies');
export const NAMESPACES: Resource = {
  realm: 'core',
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
  retains: { labels: ['*'] },
};

/** A host that a step is about, as it was seen. A type, as an interface would be no JSON. */
export type SeenHost = HostReference & {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly status: JsonObject;
};

export type ChosenStep = {
  readonly step: HostClaimStep;
  readonly hosts: readonly SeenHost[];
};

/** A type, as an interface would be no table. */
export type HostClaimOperations = {
  /** Next step for a claim, with the current hosts and policies. */
  choose(request: OperationRequest): Promise<ChosenStep>;
};

export function hostClaimOperations({
  clock,
  readObject,
  listObjects,
}: Pick<IronicPorts, 'clock' | 'readObject' | 'listObjects'>): HostClaimOperations {
  return {
    async choose({ object }) {
      const claim = object as HostClaim;
      const own = object.metadata.namespace ?? '';
      const step = (hosts: readonly KubeObject[], policies: readonly KubeObject[], labels = {}): ChosenStep => {
        const next = hostClaimStep({
          claim,
          namespace: { name: own, labels },
          hosts: hosts as readonly ClaimableHost[],
          policies: policies as readonly HostDeployPolicy[],
          random: clock.random(),
        });
        return { step: next, hosts: hostsOf(next).flatMap((each) => seenAmong(hosts, each)) };
      };
      const bound = await boundHost(object, readObject);
      // A claim with a host needs no other; a deleted claim releases all hosts that it may have.
      const isDeleted = object.metadata.deletionTimestamp !== undefined;
      if (bound !== undefined && !isDeleted && isHeldBy(bound as ClaimableHost, claim)) return step([bound], []);
      const hosts = await listObjects(CLAIMABLE_HOSTS);
      if (isDeleted) return step(hosts, []);
      const [policies, namespace] = await Promise.all([listObjects(DEPLOY_POLICIES), readObject(NAMESPACES, '', own)]);
      return step(hosts, policies, namespace?.metadata.labels);
    },
  };
}

/** That its status names, if it is there. */
async function boundHost(
  { status }: KubeObject,
  readObject: IronicPorts['readObject'],
): Promise<KubeObject | undefined> {
  const { name, namespace } = mapOf(status?.['bareMetalHost']);
  if (textOf(name) === '' || textOf(namespace) === '') return undefined;
  return readObject(CLAIMABLE_HOSTS, textOf(namespace), textOf(name));
}

function hostsOf(step: HostClaimStep): readonly HostReference[] {
  if (step.next === 'release') return step.hosts;
  return step.next === 'bind' || step.next === 'keep' ? [step.host] : [];
}

function seenAmong(hosts: readonly KubeObject[], { name, namespace }: HostReference): readonly SeenHost[] {
  const found = hosts.find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace);
  if (found === undefined) return [];
  const { uid, resourceVersion } = found.metadata;
  const { conditions = [] } = found.status ?? {};
  return [{ name, namespace, uid, resourceVersion, status: { conditions } }];
}
