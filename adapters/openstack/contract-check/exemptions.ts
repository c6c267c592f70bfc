// Exemptions of the contracts of OpenStack kinds from rules, with reasons.
import type { Exemption } from '../../api/contract/check/check.ts';
import { ContractRule } from '../../api/contract/check/fields.ts';

const ONE_WRITER = 'existing clients apply the list as a whole';
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
  { kind: 'ApplicationCredential', path: 'spec.resource.roleRefs', rule: ContractRule.Lists, why: ONE_WRITER },
  {
    kind: 'Endpoint',
    path: 'status.resource.description',
    rule: ContractRule.Status,
    why: 'existing definitions judge it, and an empty one is left out',
  },
  {
    kind: 'Flavor',
    path: 'spec.resource.id',
    rule: ContractRule.References,
    why: 'it is the id of the flavor itself, which the user may choose',
  },
  {
    kind: 'Image',
    path: 'spec.resource.content.download.decompress',
    rule: ContractRule.Verbatim,
    why: 'it is no field of a request: Troupe decompresses the content during the upload',
  },
  {
    kind: 'Image',
    path: 'spec.resource.content.download.hash.algorithm',
    rule: ContractRule.Verbatim,
    why: 'it is no field of a request: Troupe checks the content during the upload',
  },
  {
    kind: 'Image',
    path: 'spec.resource.properties.hardware.scsiModel',
    rule: ContractRule.Verbatim,
    why: 'there is one model so far, so that none is another',
  },
  ...['algorithm', 'value'].flatMap((field): Exemption[] => [
    {
      kind: 'Image',
      path: `status.resource.hash.${field}`,
      rule: ContractRule.Status,
      why: 'existing definitions judge it; of a checksum of which one part does not fit, neither is written',
    },
    {
      kind: 'Image',
      path: `status.resource.hash.${field}`,
      rule: ContractRule.Implemented,
      why: 'it is written, of answers that fit: made-up ones hardly ever do',
    },
  ]),
  { kind: 'Image', path: 'status.resource.virtualSizeB', rule: ContractRule.Implemented, why: NEVER_ANSWERED },
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
    kind: 'Server',
    path: 'spec.resource.metadata',
    rule: ContractRule.Lists,
    why: 'existing manifests are merged as a whole',
  },
  {
    kind: 'Server',
    path: 'spec.resource.schedulerHints.additionalProperties',
    rule: ContractRule.Bounded,
    why: 'existing manifests may write any number of hints',
  },
  {
    kind: 'Server',
    path: 'spec.resource.schedulerHints.additionalProperties{}',
    rule: ContractRule.Bounded,
    why: 'existing manifests may write hints of any length',
  },
  {
    kind: 'ServerGroup',
    path: 'spec.resource.rules.maxServerPerHost',
    rule: ContractRule.Sized,
    why: 'existing manifests may write any number',
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
  { kind: 'Volume', path: 'spec.resource.metadata', rule: ContractRule.Lists, why: ONE_WRITER },
  { kind: 'VolumeType', path: 'spec.resource.extraSpecs', rule: ContractRule.Lists, why: ONE_WRITER },
  {
    kind: 'User',
    path: 'status.resource.appliedPasswordRef',
    rule: ContractRule.Implemented,
    why: 'no answer tells it: it is recorded when a password is set',
  },
];
