// What a host is to have, and the steps that bring it there.
import { type Change, noticedBy } from '../change.ts';

export const IRONIC_HOSTS: readonly Change[] = [
  ...noticedBy(['URLs at every entrance'], {
    'data-image-url': 'Ironic is given the URL of a DataImage that admission would refuse',
  }),
  ...noticedBy(['RAID'], {
    'raid-unrecorded-cleared':
      'IRONIC-RAID-2: software RAID is cleared, and disks erased, where no software volumes are on record',
    'raid-empty-record-wanted': 'IRONIC-RAID-5: an empty list on record counts as a wish to delete hardware RAID',
  }),
  ...noticedBy(['finding a node'], {
    'detached-host-removes-namesake':
      'IRONIC-LOOKUP-4: a detached host removes the node that another owner has given its name',
    'host-id-is-name': "IRONIC-LOOKUP-2: the name of another host's node counts as an id",
  }),
  ...noticedBy(['whose a node is'], {
    'host-takes-foreign-node': 'IRONIC-OWNERSHIP-1: a node that another living host has is taken for free',
    'host-takes-named-node': 'IRONIC-OWNERSHIP-1: a node is taken whose host is in a namespace that is not cared for',
  }),
  ...noticedBy(['operations on BMCEventSubscriptions'], {
    'subscription-of-others':
      "IRONIC-BMC-EVENT-SUBSCRIPTIONS-3: another client's subscription that has the recorded id counts as the object's",
    'subscription-removed-unread':
      'IRONIC-BMC-EVENT-SUBSCRIPTIONS-3: a subscription is removed by its id without reading it',
    'subscription-lost-with-node':
      'IRONIC-BMC-EVENT-SUBSCRIPTIONS-4: a subscription counts as removed when Ironic has lost the node',
  }),
  ...noticedBy(['outcomes of passes'], {
    'image-password-told': 'IRONIC-OUTCOME-1: a message has the password of the URL of an image that Ironic quotes',
  }),
  ...noticedBy(['decisions on a data image'], {
    'data-image-of-others':
      'IRONIC-DATA-IMAGE-4: an image that Ironic could not attach is on record since another CD is in',
    'data-image-ejects-all': 'IRONIC-DATA-IMAGE-5: the CDs of other clients are ejected with an image',
  }),
  ...noticedBy(['registration of a node'], {
    'busy-node-counts-configured': 'IRONIC-REGISTRATION-2: a busy node counts as configured without its settings',
  }),
  ...noticedBy(['failures of a living host'], {
    'host-keeps-unconfigured': 'BARE-METAL-HOST-13: a node that was too busy is never configured',
  }),
  ...noticedBy(['provisioning of a node'], {
    'host-wipes-foreign-image': 'IRONIC-PROVISIONING-4: a deployment of another client is removed for the wanted image',
  }),
  ...noticedBy(['deprovisioning of a node'], {
    'host-undeploys-foreign':
      'IRONIC-OWNERSHIP-2: a deployment of another client is removed with a host that made none',
  }),
  ...noticedBy(['a status that is brought along'], {
    'host-believes-status': 'a status that names any node is taken over',
  }),
  ...noticedBy(['life of a host'], {
    'host-stores-over': 'what the conditions tell is stored over the status that is being taken over',
  }),
  ...noticedBy(['addresses that others connect to'], {
    'foreign-bmc': 'HTTP-EGRESS-POLICY-5: the address of a BMC is judged by nobody',
    'foreign-image': 'HTTP-EGRESS-POLICY-5: the URL of an image, or of its checksum, is judged by nobody',
    'foreign-firmware': 'HTTP-EGRESS-POLICY-5: the source of firmware is judged by nobody while a machine is serviced',
    'foreign-names-unresolved': 'HTTP-EGRESS-POLICY-5: a name is not judged by what it leads to',
    'foreign-portal': 'WIN-SHARED-5: the portal of a target is judged by nobody',
    'foreign-share': 'WIN-SHARED-5: the server of a share is judged by nobody',
  }),
  ...noticedBy(['operations on BareMetalSwitches'], {
    'switch-rendered-while-deleted':
      'IRONIC-BARE-METAL-SWITCHES-3: the password of a switch that is being deleted stays in the Secret',
    'switch-foreign-keys': "IRONIC-BARE-METAL-SWITCHES-4: keys of a Secret go that are nobody's switch",
  }),
  ...noticedBy(['preparing'], {
    'firmware-of-lost-node': 'I8: a host waits for ever for the firmware of a node that Ironic lost',
  }),
  ...noticedBy(['RAID', 'preparing'], {
    'raid-kept-unknown':
      'IRONIC-RAID-5: hardware volumes on record are forgotten after a failure, whether the spec mentions them or not',
  }),
];
