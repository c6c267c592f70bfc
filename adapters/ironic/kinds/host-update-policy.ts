// HostUpdatePolicy, which hosts read: whose it is already is known by what it says of itself.
import type { ReferencedKind } from '../../../machines/kind.ts';
import { metal3Resource } from '../serving.ts';

export const hostUpdatePolicy: ReferencedKind = {
  ...metal3Resource('HostUpdatePolicy', 'hostupdatepolicies'),
  publicState: ({ metadata: { name, generation = 0, ownerReferences = [] } }) => ({
    ready: true,
    id: name,
    attributes: { generation, owners: ownerReferences.map(({ uid }) => uid) },
  }),
};
