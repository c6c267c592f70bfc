// Storage of Windows machines: what is never done to a machine, a disk or a password.
import { type Change, noticedBy } from '../change.ts';

export const WINDOWS: readonly Change[] = [
  ...noticedBy(['what is wanted still', 'windows mount'], {
    'wanted-after-deletion':
      'WIN-WANTED-1: what was asked for before an object was deleted is made after it was taken down',
  }),
  ...noticedBy(['what is wanted still'], {
    'disk-by-old-spec':
      'WIN-OPERATIONS-WINDOWS-DISK-2: a disk is set online, set offline or partitioned though the spec does not ask for it any more',
    'offline-by-old-spec':
      'WIN-OPERATIONS-WINDOWS-DISK-2: a disk is set offline at the end though the spec says by now that it stays online',
    'ended-undeleted': 'WIN-OPERATIONS-WINDOWS-DISK-2: the disk of an object that is not being deleted is set offline',
    'disk-unheld-changed': 'WIN-CLAIMS-3: a disk is changed for an object that its node does not have it on record for',
    'disk-unseen-changed':
      'WIN-CLAIMS-3: a disk that comes back is set online before other nodes can know that this object has it',
    'disk-of-two-changed': 'WIN-CLAIMS-3: a disk is set online, or formatted, on two machines',
    'unheld-disk-offline':
      'WIN-OPERATIONS-WINDOWS-DISK-2: a disk is set offline at the end that its node does not have on record for the object',
    'elder-claim-yields': 'WIN-OPERATIONS-WINDOWS-DISK-3: the elder one of two objects sets its disk offline',
    'used-disk-yielded':
      'WIN-OPERATIONS-WINDOWS-DISK-3: a disk is set offline that a mount uses, or that the object has not set online',
    'format-by-old-policy': 'WIN-OPERATIONS-WINDOWS-VOLUME-5: a volume is formatted whose policy is Never by now',
    'format-in-another-table':
      'WIN-OPERATIONS-WINDOWS-VOLUME-5: a volume is formatted under IfRaw on a disk that is not on record as raw',
    'volume-grown-by-old-spec':
      'WIN-OPERATIONS-WINDOWS-VOLUME-5: a volume is resized to what the spec does not ask for any more',
    'raw-disk-number-of-before':
      'WIN-DISKS-2: a disk that has got the number of a raw one while that was looked at is given a partition table',
    'partition-number-of-before':
      'WIN-DISKS-2: a disk that has got the number of another one while that was looked at is partitioned',
    'state-number-of-before':
      'WIN-DISKS-2: a disk that has got the number of another one while that was looked at is set online or offline',
  }),
  ...noticedBy(['kinds of Windows storage'], {
    'windows-made-unguarded':
      'WIN-KINDS-WINDOWS-DISK-1: something is made on a machine for an object that is deleted without a look at it',
  }),
  ...noticedBy(['windows volume'], {
    'volume-grown-again': 'a volume is asked at each look to grow to what it has',
    'disk-growth-unseen': 'a disk that has grown is not noticed',
    'format-under-way-failed':
      'WIN-OPERATIONS-WINDOWS-VOLUME-3: a format that may be under way counts as failed, and is asked for again',
    'file-system-seen-once':
      'WIN-KINDS-WINDOWS-VOLUME-3, WIN-OPERATIONS-WINDOWS-VOLUME-4, WIN-OPERATIONS-WINDOWS-DISK-1: what was seen with a file system is formatted without a new order',
    'file-system-of-other-name': 'WIN-FILE-SYSTEMS-2: a volume that is called otherwise by now is formatted',
    'file-system-forgotten': 'WIN-KINDS-WINDOWS-DISK-3: what was seen on a disk is forgotten with its object',
    'format-nobody-begun':
      'WIN-OPERATIONS-WINDOWS-VOLUME-3: a person is asked to look at a format that nobody has begun',
    'partition-of-others':
      'WIN-KINDS-WINDOWS-DISK-2: a partition that somebody else made is taken for the own, and formatted',
  }),
  ...noticedBy(['a machine that is not what it was'], {
    'machine-of-that-name':
      'WIN-SERVING-1: another machine of the name does something for the objects of the one before',
  }),
  ...noticedBy(['secrecy of Windows storage'], {
    'error-tells-secret': 'I1: an error that nobody expected tells a secret',
    'mapping-tells-password': 'WIN-OPERATIONS-SMB-MAPPING-2: what Windows says tells the password of a share',
  }),
  ...noticedBy(['connections'], {
    'mapping-made-anew':
      'WIN-KINDS-SMB-MAPPING-2: a mapping is made anew under a mount that came while it was looked at',
    'mapping-of-others': 'WIN-OPERATIONS-SMB-MAPPING-1: a mapping that somebody else has made is told to be the own',
    'mapping-taken-down': 'WIN-SHARED-1, WIN-SHARED-2: a mapping goes that others use, or have made',
    'target-found-made': 'WIN-KINDS-ISCSI-TARGET-1: a connection that somebody else has made is told to be the own',
    'target-found-taken-down': 'WIN-SHARED-1: a connection that somebody else has made is taken down',
    'portal-maker-forgotten': "WIN-SHARED-2: a portal whose maker has gone meanwhile is nobody's, and stays for ever",
    'target-shared': 'I2: the disks of an object are disconnected with another one for the same target',
  }),
  ...noticedBy(['iSCSI targets that leave'], {
    'target-before-portal-made': 'WIN-SHARED-1: a session that shows only through the portal counts as made',
    'portal-of-others-left': 'WIN-SHARED-4: a portal that was added for a target of another namespace stays for ever',
    'portal-of-other-clients': 'WIN-SHARED-1: a portal is removed through which another client has a target connected',
    'portal-maker-unproved':
      'WIN-SHARED-4: the maker of a portal whose target is not connected is not recorded by the others',
  }),
  ...noticedBy(['makers'], {
    'maker-unproved': 'WIN-SHARED-1: an object that is about to make a resource is recorded as its maker by another',
    'mapping-found-unrecorded': 'WIN-SHARED-4: the maker of a mapping that was just made is not recorded by the others',
    'target-found-unrecorded': 'WIN-SHARED-4: the maker of a target that was just made is not recorded by the others',
    'portal-found-unrecorded': 'WIN-SHARED-4: the maker of a portal that was just made is not recorded by the others',
    'mapping-maker-unranked':
      'WIN-SHARED-5: an elder object of another namespace takes the mapping that was just made for another one',
    'target-maker-unranked':
      'WIN-SHARED-5: an elder object of another namespace takes the connection that was just made for another one',
    'left-to-intent':
      'WIN-SHARED-3: what is left behind is inherited by an object of another namespace that was about to make it',
    'unproved-maker-waits-for-ever':
      'WIN-SHARED-4: after a restart of the node a deleted maker waits for ever for its heirs',
    'unproved-target-waits-for-ever':
      'WIN-SHARED-4: after a restart of the node a deleted maker of a connection waits for ever for its heirs',
    'unknown-end-undone': 'WIN-SHARED-4: what may have been made is recorded as not made, and stays for ever',
    'untaken-stays-recorded': 'WIN-SHARED-1: what no process was asked for is taken for made, and goes with the object',
    'undone-stays-recorded': 'WIN-SHARED-1: what was certainly not made is taken for made, and goes with the object',
    'gone-portal-made': 'WIN-SHARED-1: what another client makes where ours was removed is recorded as ours',
  }),
  ...noticedBy(['shares of others'], {
    'broken-of-others': "WIN-SHARED-1: another client's mapping that does not work is removed and made again",
    'mapping-left-to-nobody':
      'WIN-SHARED-4: a mapping is left to who does not have on record who made it, and stays for ever',
  }),
  ...noticedBy(['iSCSI targets that leave'], {
    'target-left-to-nobody':
      'WIN-SHARED-4: a connection is left to who does not have on record who made it, and stays for ever',
    'portal-left-to-nobody':
      'WIN-SHARED-4: a portal is left to who does not have on record who made it, and stays for ever',
    'target-left-once':
      'WIN-SHARED-4: who uses a portal only when its maker has left never hears who made it, and both stay',
    'portal-unrecorded':
      'WIN-KINDS-ISCSI-TARGET-1: a portal that was removed after it was found is added without a maker, and is never removed',
    'found-of-other-namespace': 'WIN-SHARED-3: a connection that an object of another namespace has made is used',
  }),
  ...noticedBy(['windows storage, together'], {
    'disk-by-serial-twice':
      'WIN-CLAIMS-2: a disk that is known by its serial number alone is given to two objects of one machine',
  }),
  ...noticedBy(['disks that are read-only'], {
    'read-only-disk-tried': 'a disk that Windows lets nobody write to is given a partition table again and again',
  }),
  ...noticedBy(['names of nodes'], {
    'node-of-the-elder': 'WIN-NODE-NAMES-1: an older object that is edited to the name of a node takes the machine',
    'name-given-up-unseen':
      'WIN-NODE-NAMES-1: an object whose name was given up and taken back, unseen, takes the machine of the next',
    'record-forged': 'WIN-NODE-NAMES-1: what somebody writes into a status gives him the machine of another',
  }),
  ...noticedBy(['two machines with one disk'], {
    'online-claim-revoked': 'WIN-CLAIMS-4: a disk is given to an object of another machine while it is online',
    'found-online-unasked': 'WIN-CLAIMS-3: a disk that was online before is ready for objects on two machines',
  }),
  ...noticedBy(['windows disk'], {
    'disk-of-two-machines': 'WIN-CLAIMS-2: two machines that see one disk write to it',
    'disk-given-away': 'WIN-KINDS-WINDOWS-DISK-1: a disk that comes back is given to another object',
  }),
  ...noticedBy(['a machine by way of csi-proxy'], {
    'pipe-mapping-gone': 'a mapping that is gone already is removed for ever, as its share can be reached without it',
    'pipe-failure-unseen': 'WIN-OUTCOME-1: a change that failed by way of csi-proxy counts as done unseen',
  }),
  ...noticedBy(['nodes with a csi-proxy'], {
    'pipe-format-again': 'WIN-KINDS-WINDOWS-VOLUME-1: a format that may be under way in csi-proxy is asked for again',
    'mount-foreign-link':
      'WIN-OPERATIONS-WINDOWS-MOUNT-1: a link of somebody else is taken for nothing, where csi-proxy does not tell what is mounted',
    'mount-tells-password': 'WIN-OPERATIONS-SMB-MAPPING-2: csi-proxy tells the password of a share to which it links',
  }),
  ...noticedBy(['looks by way of csi-proxy'], {
    'change-by-shared-look':
      'WIN-LOOKS-1, WIN-OPERATIONS-WINDOWS-VOLUME-1: a volume is formatted by what another object was told',
    'shared-look-of-before': 'WIN-LOOKS-2: objects are told what was so before the last change',
  }),
  ...noticedBy(['versions of csi-proxy, and its limits'], {
    'pipe-old-version': 'P2: what comes back in another version is asked by the one that is not served any more',
  }),
  ...noticedBy(['paths of others'], {
    'path-of-another-removed': 'WIN-NEIGHBORS-1: what another object has made at the same place is taken away',
    'mount-inside-removed': 'WIN-NEIGHBORS-2: a path is taken away with what another object has mounted in it',
    'foreign-mount-inside':
      'WIN-OPERATIONS-WINDOWS-MOUNT-2: a directory is emptied in which somebody has mounted a volume',
    'parents-of-others': 'WIN-NEIGHBORS-2: a directory that another object has for its path is taken away',
  }),
  ...noticedBy(['long work'], {
    'lane-place-kept': 'whoever gave up before its turn keeps a place that others wait for',
  }),
  ...noticedBy(['last look'], {
    'disk-number-of-before': 'WIN-DISKS-2: a disk that has got the number of another one is changed for its object',
    'format-by-old-listing':
      'WIN-OPERATIONS-WINDOWS-VOLUME-1: a volume is formatted by what Windows said before it looked anew',
    'format-on-another-disk': 'WIN-OPERATIONS-WINDOWS-VOLUME-1: a volume is formatted that is on another disk by now',
    'format-of-formatted':
      'WIN-OPERATIONS-WINDOWS-VOLUME-1: what somebody else has formatted by now is formatted again',
  }),
];
