// Where the contracts of OpenStack kinds break a rule, and why.
import type { Exemption } from '../kubernetes/contract-check/check.ts';
import { ContractRule } from '../kubernetes/contract-check/fields.ts';

const NEVER_ANSWERED = 'existing clients know the field, and have never seen it';

export const EXEMPTIONS: readonly Exemption[] = [
  {
    kind: '*',
    path: 'spec.cloudCredentialsRef',
    rule: ContractRule.References,
    why: 'a Secret holds the credentials of several clouds, so that it takes two names to refer to one',
  },
  {
    kind: '*',
    path: 'spec.resyncPeriod',
    rule: ContractRule.Bounded,
    why: 'existing manifests may write a duration of any length',
  },
  {
    kind: 'Subnet',
    path: 'spec.resource.routerRef',
    rule: ContractRule.Implemented,
    why: 'the subnet waits for its router and guards it; what connects the two is a RouterInterface, a kind of its own',
  },
  {
    kind: 'Subnet',
    path: 'spec.resource.gateway.type',
    rule: ContractRule.Verbatim,
    why: 'Neutron has no constants for it: it takes an address, null or nothing',
  },
  { kind: 'Subnet', path: 'status.resource.subnetPoolID', rule: ContractRule.Implemented, why: NEVER_ANSWERED },
  { kind: 'Subnet', path: 'status.resource.createdAt', rule: ContractRule.Implemented, why: NEVER_ANSWERED },
  { kind: 'Subnet', path: 'status.resource.updatedAt', rule: ContractRule.Implemented, why: NEVER_ANSWERED },
];
