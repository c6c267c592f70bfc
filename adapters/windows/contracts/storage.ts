// Disks, volumes and mounts.
import { boolean, immutable, integer, list, object, ref, required, string } from '../../api/contract/contract.ts';
import { SUB_PATH_PATTERN } from '../../csi-proxy/hosts/remote-path.ts';
import { PATH_PATTERN } from '../../csi-proxy/server/path-rules.ts';
import { nodeRef, windowsContract } from './common.ts';
import { discardFileSystemSeen, fileSystems } from './machine.ts';

export const windowsDiskContract = windowsContract({
  kind: 'WindowsDisk',
  plural: 'windowsdisks',
  description: 'WindowsDisk is a disk of a machine. It is never wiped.',
  columns: [{ name: 'Number', description: 'What Windows calls it now', jsonPath: '.status.number' }],
  spec: object(
    'spec of a disk.',
    {
      nodeRef: required(immutable(nodeRef)),
      selector: immutable(
        object('selector says which disk of the machine it is. All that is said has to be so.', {
          page83: string('page83 is the page 83 identifier.', { minLength: 1, maxLength: 512 }),
          serialNumber: string('serialNumber is what the disk calls itself.', { minLength: 1, maxLength: 512 }),
          lun: integer('lun is the logical unit number in the location of the disk.', { minimum: 0 }),
        }),
      ),
      iscsiTargetRef: immutable(
        ref('IscsiTarget', 'iscsiTargetRef is the target whose disk it is.', { guarded: true }),
      ),
      index: immutable(
        integer('index is which of the disks of the target it is, by their identities, from 0.', { minimum: 0 }),
      ),
      online: boolean('online says whether the disk is to be online.', { default: true }),
      discardFileSystemSeen,
      partition: boolean('partition asks for one partition over all of the disk, if it has none.', { default: false }),
      offlineOnDelete: boolean('offlineOnDelete says whether the disk is set offline when the object is deleted.', {
        default: true,
      }),
    },
    {
      rules: [
        {
          rule: 'has(self.selector) || has(self.iscsiTargetRef)',
          message: 'selector or iscsiTargetRef says which disk it is',
        },
      ],
    },
  ),
  status: {
    number: integer('number is what Windows calls the disk now.'),
    identity: string('identity is what the disk is known by from when it was found.', { maxLength: 1024 }),
    sizeBytes: integer('sizeBytes is how large the disk is.', { format: 'int64' }),
    state: string('state is Online or Offline.', { maxLength: 16 }),
    seenRaw: string(
      'seenRaw is when the disk was seen without a partition table, before it was given one; left out once it was seen with a file system, or with a partition in another table than partitionTable.',
      {
        format: 'date-time',
      },
    ),
    partitionTable: string(
      'partitionTable is the GUID of the partition table that the disk was given since, as it was seen without a partition.',
      { maxLength: 64 },
    ),
    fileSystems,
    volumeIDs: list('volumeIDs are the volumes on the disk.', string('an id.', { maxLength: 128 }), {
      type: 'atomic',
      maxItems: 128,
    }),
  },
});

export const windowsVolumeContract = windowsContract({
  kind: 'WindowsVolume',
  plural: 'windowsvolumes',
  description: 'WindowsVolume is a volume of a disk. What is on it is kept.',
  columns: [{ name: 'Volume', description: 'Id of the volume', jsonPath: '.status.volumeID' }],
  spec: object('spec of a volume.', {
    diskRef: required(immutable(ref('WindowsDisk', 'diskRef is the disk that the volume is on.', { guarded: true }))),
    partitionNumber: immutable(
      integer('partitionNumber is the partition that the volume is; left out for a disk with one volume.', {
        minimum: 1,
      }),
    ),
    formatPolicy: string(
      'formatPolicy says when a volume is formatted: Never, IfRaw on a disk that was seen raw, or IfUnknown, if Windows knows no file system on it.',
      { enum: ['Never', 'IfRaw', 'IfUnknown'], default: 'Never' },
    ),
    discardFileSystemSeen,
    sizeBytes: integer('sizeBytes is how large it is to be at least; 0 for all that there is. It never shrinks.', {
      format: 'int64',
      minimum: 0,
    }),
  }),
  status: {
    volumeID: string('volumeID is what Windows calls the volume.', { maxLength: 128 }),
    identity: string('identity is that of the disk on which it was found.', { maxLength: 1024 }),
    fileSystem: object(
      'fileSystem is the one that was seen on it, be it that Windows does not know it at the moment.',
      {
        volumeID: string('volumeID is the volume that had it.', { maxLength: 128 }),
        seenAt: string('seenAt is when it was seen first, or made last.', { format: 'date-time' }),
      },
    ),
    formattedBy: string('formattedBy is the uid of the object that had it formatted, if one had.', { maxLength: 64 }),
    format: object('format is one that was asked for, and did not end yet as far as is known.', {
      volumeID: string('volumeID is the volume that is formatted.', { maxLength: 128 }),
      startedAt: string('startedAt is when it was asked for.', { format: 'date-time' }),
    }),
    grown: object('grown is what came of it when the volume was asked to grow last.', {
      sizeBytes: integer('sizeBytes is what was asked for.', { format: 'int64' }),
      diskBytes: integer('diskBytes is how large the disk was.', { format: 'int64' }),
      capacityBytes: integer('capacityBytes is the size that the file system got.', { format: 'int64' }),
    }),
    capacityBytes: integer('capacityBytes is the size of the file system.', { format: 'int64' }),
    usedBytes: integer('usedBytes is how much of that is used.', { format: 'int64' }),
  },
});

export const windowsMountContract = windowsContract({
  kind: 'WindowsMount',
  plural: 'windowsmounts',
  description: 'WindowsMount is a path of a machine at which something can be used.',
  columns: [{ name: 'Path', description: 'Where it is', jsonPath: '.spec.path' }],
  spec: object(
    'spec of a mount.',
    {
      path: required(
        immutable(
          string('path is where it is, as C:\\var\\lib\\kubelet\\one.', {
            minLength: 4,
            maxLength: 260,
            pattern: PATH_PATTERN,
          }),
        ),
      ),
      source: required(
        immutable(
          object('source is what is used there: one of volumeRef, mountRef, smbMappingRef and nodeRef.', {
            volumeRef: ref('WindowsVolume', 'volumeRef is a volume, which is mounted.', { guarded: true }),
            mountRef: ref('WindowsMount', 'mountRef is another mount, to which a link leads.', {
              guarded: true,
              finalizer: 'windows.troupe.dev/windowsmount-link',
            }),
            smbMappingRef: ref('SmbMapping', 'smbMappingRef is a share, to which a link leads.', { guarded: true }),
            nodeRef,
            subPath: string('subPath is a directory of the share.', {
              minLength: 1,
              maxLength: 512,
              pattern: SUB_PATH_PATTERN,
            }),
          }),
        ),
      ),
      deletionPolicy: string(
        'deletionPolicy says what becomes of a directory that has neither mount nor link: Remove, if it is empty, RemoveContents, with all that is in it, or Keep.',
        { enum: ['Remove', 'RemoveContents', 'Keep'], default: 'Remove' },
      ),
    },
    {
      rules: [
        {
          rule: '[has(self.source.volumeRef), has(self.source.mountRef), has(self.source.smbMappingRef), has(self.source.nodeRef)].filter(each, each).size() == 1',
          message: 'source is one of volumeRef, mountRef, smbMappingRef and nodeRef',
        },
        {
          rule: '!has(self.source.subPath) || has(self.source.smbMappingRef)',
          message: 'subPath is a directory of a share',
        },
      ],
    },
  ),
  status: {
    mounted: boolean('mounted says whether it can be used.'),
    path: string('path is what the object has taken for itself, from before it is made.', { maxLength: 260 }),
    madeFrom: string(
      'madeFrom is the first of the directories that were made on the way to path; those that are empty go with it.',
      { maxLength: 260 },
    ),
    volumeID: string('volumeID is the volume that is used there.', { maxLength: 128 }),
  },
});
