// The rules of the storage of Windows machines switched off one by one: what histories of it are there to notice.
import type { Mutation } from './mutations.ts';

const KINDS = 'adapters/csi-proxy/kinds';
const OPERATIONS = `${KINDS}/operations`;

export const WINDOWS_MUTATIONS: readonly Mutation[] = [
  {
    name: 'win-holder',
    without: 'a disk is changed before its node says whose it is',
    matter: 'windows',
    edits: [
      {
        file: `${KINDS}/windows-disk.ts`,
        from: 'const isSame = holder?.uid === object.metadata.uid;',
        to: 'const isSame = holder?.uid !== object.metadata.name;',
      },
    ],
  },
  {
    name: 'win-life',
    without: 'what a node says of an object is taken for what it says of another one of that name',
    matter: 'windows',
    edits: [
      {
        file: `${KINDS}/windows-disk.ts`,
        from: 'const isSame = holder?.uid === object.metadata.uid;',
        to: 'const isSame = holder?.name === object.metadata.name;',
      },
    ],
  },
  {
    name: 'win-claims',
    without: 'a node that has lost its mail takes disks from their objects',
    matter: 'windows',
    edits: [
      {
        file: `${OPERATIONS}/claims.ts`,
        from: 'if (!isClaimed && !isThere) continue;',
        to: 'if (!isClaimed) continue;',
      },
    ],
  },
  {
    name: 'win-raw',
    without: 'a disk is partitioned before it is on record that it was raw',
    matter: 'windows',
    edits: [
      {
        file: `${KINDS}/windows-disk.ts`,
        from: '    await note(said({ ...found, ...origin }));\n',
        to: '',
      },
    ],
  },
  {
    name: 'win-policy',
    without: 'under IfRaw what was not seen raw is formatted',
    matter: 'windows',
    edits: [
      {
        file: `${KINDS}/windows-volume.ts`,
        from: "(policy === 'IfRaw' && isSeenRaw)",
        to: "(policy === 'IfRaw' && !!policy)",
      },
    ],
  },
  {
    name: 'win-intent',
    without: 'a format is asked for that is not on record',
    matter: 'windows',
    edits: [
      {
        file: `${KINDS}/windows-volume.ts`,
        from: 'await note(said({ ...status, format: { volumeID, startedAt } }));',
        to: 'void startedAt;',
      },
    ],
  },
  {
    name: 'win-unknown',
    without: 'a format of which the end is not known is asked for again',
    matter: 'windows',
    edits: [
      {
        file: `${KINDS}/windows-volume.ts`,
        from: "if (intent['volumeID'] !== undefined || volume['isFormatting'] === true) {",
        to: "if (volume['isFormatting'] === true) {",
      },
      {
        file: `${OPERATIONS}/windows-volume.ts`,
        from: 'if (await host.volume.isVolumeFormatted(volumeID))',
        to: 'if (volumeID === identity)',
      },
    ],
  },
  {
    name: 'win-users',
    without: 'what others use is taken down',
    matter: 'windows',
    edits: [{ file: `${KINDS}/windows-kind.ts`, from: 'if (heldBy.length > 0) {', to: 'if (heldBy.length > 9) {' }],
  },
  {
    name: 'win-release',
    without: 'a disk stays online when its object goes',
    matter: 'windows',
    edits: [
      {
        file: `${KINDS}/windows-disk.ts`,
        from: 'hasAny: (object) => identityOf(object) !== undefined,',
        to: 'hasAny: () => false,',
      },
    ],
  },
  {
    name: 'win-services',
    without: 'a connection that was refused its service never hears that it is allowed',
    matter: 'windows',
    edits: [
      {
        file: `${KINDS}/windows-storage-node.ts`,
        from: "said({ services: object.spec?.['services'], mutualChapSecretRef",
        to: 'said({ mutualChapSecretRef',
      },
    ],
  },
  {
    name: 'win-path',
    without: 'what is at a path already is taken for the own',
    matter: 'windows',
    edits: [
      { file: `${KINDS}/windows-mount.ts`, from: "if (!isOwn && seen['kind'] !== 'absent') return taken;", to: '' },
      {
        file: `${OPERATIONS}/windows-mount.ts`,
        from: "if (place.kind !== 'absent' && !isHalf) return { taken: true };",
        to: "if (place.kind !== 'absent') return { taken: isHalf };",
      },
    ],
  },
  {
    name: 'win-mapping',
    without: 'a share is mapped before that is on record',
    matter: 'windows',
    edits: [
      {
        file: `${KINDS}/smb-mapping.ts`,
        from: 'await note(said({ ...own, ...(known !== undefined && { credentialHash: known }) }));',
        to: '',
      },
    ],
  },
  {
    name: 'win-mount',
    without: 'a mount of which the disk is away is never taken away',
    matter: 'windows',
    edits: [
      {
        file: `${OPERATIONS}/windows-mount.ts`,
        from: 'if (!(error instanceof StatusError && error.code === Code.NotFound)) throw error;',
        to: 'throw error;',
      },
    ],
  },
  {
    name: 'win-secret',
    without: 'a password is told with what it was used for',
    matter: 'windows',
    edits: [
      {
        file: `${OPERATIONS}/smb-mapping.ts`,
        from: 'hash: await hashOf(ports, credentials, request.object),',
        to: 'hash: credentials.password,',
      },
    ],
  },
];
