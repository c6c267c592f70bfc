// The machine itself, and what connects disks to it.
import { immutable, integer, list, object, ref, required, string } from '../../api/contract/contract.ts';
import { REMOTE_PATH_PATTERN } from '../../csi-proxy/hosts/remote-path.ts';
import { DEFAULT_PORT, LAST_PORT, LONGEST_IQN, WORD_PATTERN } from '../../csi-proxy/hosts/rules.ts';
import { nodeRef, windowsContract } from './common.ts';

const seenFileSystem = object('a file system that was seen.', {
  volumeID: string('volumeID is the volume that had it.', { maxLength: 128 }),
  seenAt: string('seenAt is when it was seen first, or made last.', { format: 'date-time' }),
});

/** File systems of a disk. */
export const fileSystems = list(
  'fileSystems are those that were ever seen on the disk: nothing is made over them unless somebody says that they may be lost.',
  seenFileSystem,
  { type: 'atomic', maxItems: 128 },
);

/** Fingerprint by which a user gives up one of them. */
export const discardFileSystemSeen = string(
  'discardFileSystemSeen says that a file system that was seen may be lost: it is the time that the condition tells, seenAt of the latest in status. It is used up by what is made then.',
  { format: 'date-time' },
);

const seenDisk = object('a disk of the machine.', {
  number: integer('number is what Windows calls the disk now. It may be that of another disk tomorrow.'),
  identity: string('identity is what the disk is known by: its page 83 identifier, or else its serial number.', {
    maxLength: 1024,
  }),
  page83: string('page83 is the page 83 identifier.', { maxLength: 512 }),
  serialNumber: string('serialNumber is what the disk calls itself.', { maxLength: 512 }),
  location: string('location is where the disk is attached, in the words of Windows.', { maxLength: 512 }),
  sizeBytes: integer('sizeBytes is how large the disk is.', { format: 'int64' }),
  claimedBy: string('claimedBy is the name of the WindowsDisk that has the disk.', { maxLength: 253 }),
  claimedByUID: string('claimedByUID is its uid: another one of its name does not have the disk.', { maxLength: 64 }),
  claimedOn: string('claimedOn is the WindowsStorageNode on which another object has the disk.', { maxLength: 253 }),
  fileSystems,
});

const GROUPS = ['disk', 'filesystem', 'iscsi', 'smb', 'system', 'volume'] as const;
/** `\\.\pipe` with what names begin with, or a directory that leaves room for a name in the path of a socket. */
const ENDPOINT = String.raw`^(\\\\\.\\pipe(\\[^\\/:]{0,64})?|/[^\\]{0,68})$`;
const VERSION_NAME = '^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$';

const versionName = string('a version, such as v1beta3.', { minLength: 2, maxLength: 32, pattern: VERSION_NAME });

const preference = object('the versions of one group.', {
  group: required(string('group is the group of csi-proxy that they are of.', { enum: GROUPS })),
  versions: required(
    list('versions are those that may be used, the one that is preferred first.', versionName, {
      type: 'set',
      maxItems: 16,
    }),
  ),
});

const servedGroup = object('a group.', {
  group: string('group is a group of csi-proxy.', { maxLength: 32 }),
  served: list('served are the versions that are there, the newest first.', string('a version.', { maxLength: 32 }), {
    type: 'atomic',
    maxItems: 32,
  }),
  used: string('used is the version that is used; left out where none may be.', { maxLength: 32 }),
});

export const windowsStorageNodeContract = windowsContract({
  kind: 'WindowsStorageNode',
  plural: 'windowsstoragenodes',
  description: 'WindowsStorageNode is a Windows machine whose storage is declared by objects.',
  columns: [{ name: 'Node', description: 'Kubernetes node', jsonPath: '.spec.nodeName' }],
  spec: object('spec of a machine.', {
    nodeName: required(
      string(
        'nodeName is the Kubernetes node that the machine is. A machine that was renamed gets its new name here.',
        {
          minLength: 1,
          maxLength: 253,
        },
      ),
    ),
    endpoint: string(
      'endpoint is where a csi-proxy on the machine serves, through which all is done: the folder of its pipes, \\\\.\\pipe, or, where there are none, of its sockets. Left out: the machine itself is asked.',
      { minLength: 1, maxLength: 80, pattern: ENDPOINT },
    ),
    apiVersions: list(
      'apiVersions say which versions of the API of csi-proxy may be used. Of a group that is not among them the newest is used that is served and can do what is needed.',
      preference,
      { type: 'map', keys: ['group'], maxItems: 6 },
    ),
    limits: object('limits are those of calls to csi-proxy.', {
      callsInFlight: integer(
        'callsInFlight is how many calls are made at a time; formatting and growing volumes, which take long, are not among them.',
        { minimum: 1, maximum: 64, default: 8 },
      ),
      callSeconds: integer(
        'callSeconds is how long a call may take; formatting and growing volumes have limits of their own. Left out: 35 for what looks, and 125 for what changes something.',
        { minimum: 1, maximum: 600 },
      ),
    }),
    services: list(
      'services are the Windows services that may be started where storage needs them.',
      string('the name of a service.', { minLength: 1, maxLength: 256 }),
      { type: 'set', maxItems: 32 },
    ),
    mutualChapSecretRef: ref(
      'Secret',
      "mutualChapSecretRef is the Secret with which iSCSI targets prove who they are, under the key 'password': 12 to 16 bytes.",
    ),
  }),
  status: {
    nodeTakenAt: string(
      'nodeTakenAt is since when it stands for the node that nodeName says: of several objects the first has it.',
      { format: 'date-time' },
    ),
    apiVersions: list('apiVersions are what csi-proxy serves, where all is done through one.', servedGroup, {
      type: 'atomic',
      maxItems: 16,
    }),
    disks: list(
      'disks are those that the machine sees, and, without a number, those that objects have, or on which a file system was seen.',
      seenDisk,
      {
        type: 'atomic',
        maxItems: 1024,
      },
    ),
  },
});

const madeBy = string(
  'madeBy is the uid of the object that made it, this one or another one for the same: the last of them takes it away. Left out: none of them made it, and none takes it away.',
  { maxLength: 64 },
);

export const iscsiTargetContract = windowsContract({
  kind: 'IscsiTarget',
  plural: 'iscsitargets',
  description: 'IscsiTarget is a connection of a machine to an iSCSI target.',
  columns: [{ name: 'IQN', description: 'Name of the target', jsonPath: '.spec.iqn' }],
  spec: object('spec of a connection.', {
    nodeRef: required(immutable(nodeRef)),
    portal: required(
      immutable(
        object('portal is where targets are offered.', {
          address: required(
            string('address is a name or an IP address.', { minLength: 1, maxLength: 253, pattern: WORD_PATTERN }),
          ),
          port: integer('port is the TCP port.', { minimum: 1, maximum: LAST_PORT, default: DEFAULT_PORT }),
        }),
      ),
    ),
    iqn: required(
      immutable(
        string('iqn is the name of the target.', { minLength: 1, maxLength: LONGEST_IQN, pattern: WORD_PATTERN }),
      ),
    ),
    auth: object('auth is how both sides prove who they are.', {
      type: string('type is None, OneWayCHAP or MutualCHAP.', {
        enum: ['None', 'OneWayCHAP', 'MutualCHAP'],
        default: 'None',
      }),
      secretRef: ref('Secret', "secretRef is the Secret with the keys 'username' and 'password' that CHAP needs."),
    }),
  }),
  status: {
    connection: string('connection is Connecting, from before the target is asked for the first time, or Connected.', {
      maxLength: 32,
    }),
    origin: string('origin is Made, or Found for a connection of somebody else.', { maxLength: 16 }),
    madeBy,
    portalMadeBy: string('portalMadeBy is the same of the portal.', { maxLength: 64 }),
    diskNumbers: list('diskNumbers are what Windows calls the disks of the target now.', integer('a number.'), {
      type: 'atomic',
      maxItems: 256,
    }),
    identities: list(
      'identities are what these disks are known by.',
      string('an identity, as that of a WindowsDisk.', { maxLength: 1024 }),
      { type: 'atomic', maxItems: 256 },
    ),
  },
});

export const smbMappingContract = windowsContract({
  kind: 'SmbMapping',
  plural: 'smbmappings',
  description: 'SmbMapping is a share that all of a machine may use.',
  columns: [{ name: 'Share', description: 'What is mapped', jsonPath: '.status.root' }],
  spec: object('spec of a mapping.', {
    nodeRef: required(immutable(nodeRef)),
    remotePath: required(
      immutable(
        string('remotePath is the share, as \\\\host\\share; a directory behind it is where links lead.', {
          minLength: 5,
          maxLength: 1024,
          pattern: REMOTE_PATH_PATTERN,
        }),
      ),
    ),
    credentialsSecretRef: ref(
      'Secret',
      "credentialsSecretRef is the Secret with the keys 'username' and 'password' that the share asks for.",
    ),
    rotation: string(
      'rotation says when other credentials are used: WhenUnused, once no mount uses the mapping, or Immediate.',
      { enum: ['WhenUnused', 'Immediate'], default: 'WhenUnused' },
    ),
  }),
  status: {
    root: string('root is the share that is mapped, from before it is mapped for the first time.', { maxLength: 1024 }),
    origin: string('origin is Made, or Found for a mapping of somebody else, which is left alone.', { maxLength: 16 }),
    madeBy,
    users: integer('users is how many mounts use the mapping.'),
    credentialHash: string('credentialHash tells credentials apart, and nothing else of them.', { maxLength: 64 }),
  },
});
