// HostUpdatePolicy, which hosts read: whose it is already is known by what it says of itself.
import type { FollowedKind } from '../../../machines/kind.ts';
import { metal3Resource } from '../serving.ts';

export const hostUpdatePolicy: FollowedKind = {
  ...metal3Resource('HostUpdatePolicy', 'hostupdatepolicies'),
  standing: ({ metadata: { name, generation = 0, ownerReferences = [] } }) => ({
    ready: true,
    id: name,
    attributes: { generation, owners: ownerReferences.map(({ uid }) => uid) },
  }),
};
