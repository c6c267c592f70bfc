// Objects as an API server would have them, of the kinds of OpenStack and of one that may refer to itself.
import { ClusterReader } from '../../../actors/diagnosis/cluster-reader.ts';
import { type Registry, registry } from '../../../actors/object/registry.ts';
import type { Resource } from '../../../adapters/kubernetes/mod.ts';
import { GROUP, openStackSessions, openstackKinds, REALM, VERSION } from '../../../adapters/openstack/mod.ts';
import type { Kind, ReferencedKind } from '../../../machines/kind.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import { NO_DOWNLOADS } from '../../adapters/openstack/no-downloads.ts';
import { simulatedClock } from '../../world/clock.ts';

export const NOW = Date.parse('2026-01-01T12:00:00Z');
const clock = simulatedClock();
const sessions = openStackSessions({ clock, version: '0', readSecret: async () => undefined });
const kinds = openstackKinds({ sessions, clock, downloads: NO_DOWNLOADS });
/** A kind whose objects may refer to each other in a circle; those of OpenStack cannot. */
const ring: Kind = {
  ...(kinds[0] as Kind),
  kind: 'Ring',
  plural: 'rings',
  references: ({ spec }) => {
    const { next } = (spec?.['resource'] ?? {}) as { readonly next?: string };
    return next === undefined ? [] : [{ kind: 'Ring', name: next, finalizers: [], neededFor: 'create' }];
  },
};
/** As where servers are somebody else's. */
const followedServer: ReferencedKind = {
  realm: REALM,
  group: GROUP,
  version: VERSION,
  kind: 'Server',
  plural: 'servers',
  publicState: () => ({ ready: false }),
};
export const own = kinds.filter(({ kind }) => kind !== followedServer.kind);
export const known: Registry = registry([...own, ring], [followedServer]);

export const ago = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString().replace('.000Z', 'Z');

export interface Saying {
  readonly resource?: JsonObject;
  readonly spec?: JsonObject;
  /** Of Progressing, and the message. */
  readonly says?: readonly [reason: string, message: string];
  readonly available?: 'True' | 'False';
  readonly id?: string;
  readonly status?: JsonObject;
  readonly generation?: number;
  readonly deleted?: true;
  readonly finalizers?: readonly string[];
}

/** An object of a kind in namespace `ns`; without a word of itself it is available. */
export function object(kind: string, name: string, saying: Saying = {}): KubeObject {
  const { resource, spec, says, id = `id-${name}`, status, generation = 1, deleted, finalizers = [] } = saying;
  const [reason, message] = says ?? ['Success', 'OpenStack resource is up to date'];
  const progressing = reason === 'Progressing' || reason === 'TransientError' ? 'True' : 'False';
  const { available = says === undefined ? 'True' : 'False' } = saying;
  const common = { observedGeneration: 1, lastTransitionTime: ago(40), reason, message };
  const prefix = 'openstack.k-orc.cloud/';
  const isSecret = kind === 'Secret';
  return {
    apiVersion: isSecret ? 'v1' : `${prefix}v1alpha1`,
    kind,
    metadata: {
      name,
      namespace: 'ns',
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation,
      creationTimestamp: ago(300),
      finalizers: finalizers.map((finalizer) => (finalizer.includes('/') ? finalizer : `${prefix}${finalizer}`)),
      ...(deleted && { deletionTimestamp: ago(90) }),
    },
    ...(!isSecret && {
      spec: {
        cloudCredentialsRef: { secretName: 'clouds', cloudName: 'openstack' },
        resource: resource ?? {},
        ...spec,
      },
      status: {
        ...(id !== '' && { id }),
        conditions: [
          { type: 'Available', status: available, ...common },
          { type: 'Progressing', status: progressing, ...common },
        ],
        ...status,
      },
    }),
  };
}

/** What questions read of these objects, where the cluster has these kinds; undefined: it does not say. */
export function readingOf(cluster: readonly KubeObject[], served?: readonly string[]): ClusterReader {
  const isOf =
    ({ kind: of }: Resource) =>
    (item: KubeObject) =>
      item.kind === of;
  const objects = {
    get: async (resource: Resource, _namespace: string, of: string) =>
      cluster.filter(isOf(resource)).find(({ metadata }) => metadata.name === of),
    list: async (resource: Resource) => ({
      items: cluster.filter(isOf(resource)),
      resourceVersion: '1',
      serverTime: NOW,
    }),
  };
  const resources = served?.flatMap((kind) => [
    { name: `${kind.toLowerCase()}s`, kind },
    { name: `${kind.toLowerCase()}s/status`, kind },
  ]);
  const client = { call: async () => ({ body: { resources: resources ?? [] }, serverTime: NOW }) };
  const registry = { kind: () => undefined };
  return new ClusterReader({ objects, registry, ...(resources !== undefined && { client }) });
}
