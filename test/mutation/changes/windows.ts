// Storage of Windows machines: what is never done to a machine, a disk or a password.
import type { Change } from '../change.ts';

export const WINDOWS: readonly Change[] = [
  {
    file: 'adapters/csi-proxy/kinds/operations/wanted.ts',
    breaks: 'T1: what was asked for before an object was deleted is made after it was taken down',
    from: 'if (now?.metadata.uid === uid && now.metadata.deletionTimestamp === undefined) return;',
    to: 'return;',
    tests: ['test/adapters/csi-proxy/kinds/wanted.test.ts', 'test/adapters/csi-proxy/kinds/windows-mount.test.ts'],
  },
  {
    file: 'adapters/csi-proxy/kinds/operations/windows-volume.ts',
    breaks: 'V3: a format that may be under way counts as failed, and is asked for again',
    from: 'if (!(error instanceof StatusError) || error instanceof UnknownEndError) throw error;',
    to: 'if (!(error instanceof StatusError)) throw error;',
    tests: ['test/adapters/csi-proxy/kinds/windows-volume.test.ts'],
  },
  {
    file: 'adapters/csi-proxy/kinds/operations/windows-volume.ts',
    breaks: 'V3: a person is asked to look at a format that nobody has begun',
    from: 'if (isBegun || !isTold) throw error;',
    to: 'throw error;',
    tests: ['test/adapters/csi-proxy/kinds/windows-volume.test.ts'],
  },
  {
    file: 'adapters/csi-proxy/kinds/operations/serving.ts',
    breaks: 'O1: another machine of the name does something for the objects of the one before',
    from: "if (own === '' || known === own) return;",
    to: 'return;',
    tests: ['test/adapters/csi-proxy/kinds/not-what-it-was.test.ts'],
  },
  {
    file: 'adapters/csi-proxy/kinds/operations/serving.ts',
    breaks: 'I1: an error that nobody expected tells a secret',
    from: 'throw new Error(hide(error instanceof Error ? error.message : String(error)));',
    to: 'throw error;',
    tests: ['test/adapters/csi-proxy/kinds/secrecy.test.ts'],
  },
  {
    file: 'adapters/csi-proxy/kinds/operations/smb-mapping.ts',
    breaks: 'R2: a mapping is made anew under a mount that came while it was looked at',
    from: "if (state === 'mapped' && request.unused === true && users > 0) return { users };",
    to: '',
    tests: ['test/adapters/csi-proxy/kinds/connections.test.ts'],
  },
  {
    file: 'adapters/csi-proxy/kinds/operations/smb-mapping.ts',
    breaks: 'S2: what Windows says tells the password of a share',
    from: 'secrets.push(credentials.password);',
    to: '',
    tests: ['test/adapters/csi-proxy/kinds/secrecy.test.ts'],
  },
  {
    file: 'adapters/csi-proxy/kinds/operations/claims.ts',
    breaks: 'N2: two machines that see one disk write to it',
    from: 'if (!claims.has(identity) && !elsewhere.has(identity)) claims.set(identity, holder);',
    to: 'if (!claims.has(identity)) claims.set(identity, holder);',
    tests: ['test/adapters/csi-proxy/kinds/windows-disk.test.ts'],
  },
  {
    file: 'adapters/csi-proxy/kinds/operations/storage-node.ts',
    breaks: 'K1: a disk that comes back is given to another object',
    from: 'disks: [...(await Promise.all(seen)), ...absent(claims, disks)],',
    to: 'disks: [...(await Promise.all(seen))],',
    tests: ['test/adapters/csi-proxy/kinds/windows-disk.test.ts'],
  },
  {
    file: 'adapters/csi-proxy/kinds/operations/iscsi-target.ts',
    breaks: 'I2: the disks of an object are disconnected with another one for the same target',
    from: 'if (!needed.includes(iqn)) await disconnect(portal, iqn);',
    to: 'await disconnect(portal, iqn);',
    tests: ['test/adapters/csi-proxy/kinds/connections.test.ts'],
  },
];
