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
    kind: 'Port',
    path: 'spec.resource.hostID.id',
    rule: ContractRule.References,
    why: 'hosts have no objects to refer to',
  },
  {
    kind: 'Port',
    path: 'spec.resource.portSecurity',
    rule: ContractRule.Verbatim,
    why: 'Neutron has no constants for it: it takes true, false or nothing',
  },
  {
    kind: 'RouterInterface',
    path: 'spec.type',
    rule: ContractRule.Implemented,
    why: 'there is one type so far, and clients state it',
  },
  {
    kind: 'SecurityGroup',
    path: 'status.resource.revisionNumber',
    rule: ContractRule.Implemented,
    why: NEVER_ANSWERED,
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
