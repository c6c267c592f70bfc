// All groups, served by another process, through the generated clients.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { AuthenticationType } from '../../../adapters/csi-proxy/api/iscsi/v1alpha2/api_generated.ts';
import { ServiceStatus } from '../../../adapters/csi-proxy/api/system/v1alpha1/api_generated.ts';
import { pipePath } from '../../../adapters/csi-proxy/base/pipes.ts';
import { Code } from '../../../adapters/csi-proxy/base/status.ts';
import { allServices } from '../../../adapters/csi-proxy/client/all_services_generated.ts';
import * as diskV1 from '../../../adapters/csi-proxy/client/disk/v1/client_generated.ts';
import * as diskV1beta2 from '../../../adapters/csi-proxy/client/disk/v1beta2/client_generated.ts';
import * as filesystemV1 from '../../../adapters/csi-proxy/client/filesystem/v1/client_generated.ts';
import * as filesystemV1beta1 from '../../../adapters/csi-proxy/client/filesystem/v1beta1/client_generated.ts';
import * as iscsiV1alpha2 from '../../../adapters/csi-proxy/client/iscsi/v1alpha2/client_generated.ts';
import { openConnection } from '../../../adapters/csi-proxy/client/open-connection.ts';
import { openNewest, servedVersions } from '../../../adapters/csi-proxy/client/open-newest.ts';
import * as smbV1 from '../../../adapters/csi-proxy/client/smb/v1/client_generated.ts';
import * as systemV1alpha1 from '../../../adapters/csi-proxy/client/system/v1alpha1/client_generated.ts';
import * as volumeV1 from '../../../adapters/csi-proxy/client/volume/v1/client_generated.ts';
import * as volumeV1beta2 from '../../../adapters/csi-proxy/client/volume/v1beta2/client_generated.ts';
import * as volumeV2alpha1 from '../../../adapters/csi-proxy/client/volume/v2alpha1/client_generated.ts';
import { clock, echoMethod, failureOf, freshPrefix, until } from './echo-group.ts';

const PROGRAM = fileURLToPath(new URL('./served-groups.ts', import.meta.url));
const KUBELET = 'C:\\var\\lib\\kubelet';

interface World {
  readonly prefix: string;
  /** A client of a version, on its pipe. */
  open<Client extends { close(): void }>(module: {
    readonly groupName: string;
    readonly version: string;
    newClientWithPipePath(path: string, deps: { clock: typeof clock }): Promise<Client>;
  }): Promise<Client>;
  /** Starts a server; `only` a group and its versions, everything unless told. */
  start(...only: string[]): Promise<ChildProcess>;
}

function world(body: (world: World) => Promise<void>): () => Promise<void> {
  return async () => {
    const { prefix, remove } = freshPrefix();
    const children: ChildProcess[] = [];
    const clients: { close(): void }[] = [];
    try {
      await body({
        prefix,
        async open({ groupName, version, newClientWithPipePath }) {
          const client = await newClientWithPipePath(pipePath(groupName, version, prefix), { clock });
          clients.push(client);
          return client;
        },
        async start(...only) {
          const child = fork(PROGRAM, [prefix, ...only]);
          children.push(child);
          assert.equal(await once(child, 'message'), ['serving', undefined]);
          return child;
        },
      });
    } finally {
      for (const client of clients) client.close();
      await Promise.all(children.map(end));
      remove();
    }
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function everyCallIsAnswered({ prefix }: World): Promise<void> {
  const calls = await Promise.all(
    Object.entries(allServices).flatMap(([group, versions]) =>
      Object.entries(versions).map(async ([version, service]) => {
        const connection = await openConnection(pipePath(group, version, prefix), { clock });
        const codes: unknown[] = [];
        for (const method of Object.values(service)) {
          codes.push(
            await connection.call(method, {}, undefined).then(
              () => Code.Ok,
              ({ code }) => code,
            ),
          );
        }
        connection.close();
        return codes;
      }),
    ),
  );
  assert.is(calls.length, 23);
  assert.is(calls.flat().length, 139);
  const sensible: unknown[] = [
    Code.Ok,
    Code.InvalidArgument,
    Code.NotFound,
    Code.FailedPrecondition,
    Code.PermissionDenied,
  ];
  assert.equal(
    calls.flat().filter((code) => !sensible.includes(code)),
    [],
  );
}

async function twoVersionsAtOnce({ open }: World): Promise<void> {
  const [oldDisks, disks] = [await open(diskV1beta2), await open(diskV1)];
  const [oldVolumes, volumes] = [await open(volumeV1beta2), await open(volumeV1)];
  const [oldFiles, files] = [await open(filesystemV1beta1), await open(filesystemV1)];
  await oldDisks.rescan({});
  const { diskIDs } = await disks.listDiskIDs({});
  const [diskNumber = -1] = [...diskIDs].find(([, { page83 }]) => page83 === 'Google  data') ?? [];
  const diskID = String(diskNumber);
  assert.is((await oldDisks.listDiskIDs({})).diskIDs.get(diskID)?.identifiers.get('page83'), 'Google  data');
  await disks.setDiskState({ diskNumber, isOnline: true });
  assert.is((await oldDisks.getAttachState({ diskID })).isOnline, true);
  await oldDisks.partitionDisk({ diskID });
  const [volumeId = ''] = (await volumes.listVolumesOnDisk({ diskNumber })).volumeIds;
  assert.equal((await oldVolumes.listVolumesOnDisk({ diskId: diskID })).volumeIds, [volumeId]);
  await oldVolumes.formatVolume({ volumeId });
  assert.is((await volumes.isVolumeFormatted({ volumeId })).formatted, true);
  const path = `${KUBELET}\\staging`;
  await oldFiles.mkdir({ path });
  await volumes.mountVolume({ volumeId, targetPath: path });
  assert.is((await oldVolumes.getVolumeIDFromMount({ mount: path })).volumeId, volumeId);
  const { totalBytes } = await volumes.getVolumeStats({ volumeId });
  assert.is((await oldVolumes.volumeStats({ volumeId })).volumeSize, totalBytes);
  assert.is((await files.isSymlink({ path })).isSymlink, true);
  // Both at the same time, on the same things.
  const both = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0 ? volumes.getVolumeStats({ volumeId }) : oldVolumes.volumeStats({ volumeId }),
  );
  assert.is((await Promise.all(both)).length, 20);
  await oldVolumes.dismountVolume({ volumeId, path });
  assert.is((await failureOf(volumes.getVolumeIDFromTargetPath({ targetPath: path }))).message.length > 0, true);
  await files.rmdir({ path, force: true });
}

async function smbIscsiAndServices({ open }: World): Promise<void> {
  const [smb, iscsi, system, disks] = [
    await open(smbV1),
    await open(iscsiV1alpha2),
    await open(systemV1alpha1),
    await open(diskV1),
  ];
  const localPath = `${KUBELET}\\share`;
  await (await open(filesystemV1)).mkdir({ path: KUBELET });
  await smb.newSmbGlobalMapping({
    remotePath: '//Files/Data/sub',
    localPath,
    username: 'a\\b',
    password: 'secret',
  });
  assert.is((await (await open(filesystemV1)).pathExists({ path: localPath })).exists, true);
  await smb.removeSmbGlobalMapping({ remotePath: '\\\\files\\data' });
  assert.is((await failureOf(system.startService({ name: 'Spooler' }))).code, Code.PermissionDenied);
  await system.startService({ name: 'MSiSCSI' });
  assert.is((await system.getService({ name: 'MSiSCSI' })).status, ServiceStatus.RUNNING);
  const target = { targetPortal: { targetAddress: '192.0.2.1', targetPort: 0 }, iqn: 'iqn.2026-01.example:data' };
  await iscsi.addTargetPortal({ targetPortal: target.targetPortal });
  assert.equal((await iscsi.discoverTargetPortal({ targetPortal: target.targetPortal })).iqns, [target.iqn]);
  const chap = { authType: AuthenticationType.ONE_WAY_CHAP, chapUsername: 'node', chapSecret: 'of-16-characters' };
  await iscsi.connectTarget({ ...target, ...chap });
  const [diskID] = (await iscsi.getTargetDisks(target)).diskIDs;
  assert.is((await disks.getDiskStats({ diskNumber: Number(diskID) })).totalBytes, 2n ** 30n);
  assert.is((await failureOf(iscsi.connectTarget({ iqn: target.iqn }))).code, Code.InvalidArgument);
}

async function aMegabyte({ prefix }: World): Promise<void> {
  const connection = await openConnection(pipePath('test', 'v1', prefix), { clock });
  const text = 'x'.repeat(2 ** 20);
  assert.ok((await connection.call(echoMethod('v1', 'Echo'), { text }, undefined)).text === text);
  const { code } = await failureOf(connection.call(echoMethod('v1', 'Echo'), { text: text.repeat(4) }, undefined));
  assert.is(code, Code.ResourceExhausted);
  assert.is((await connection.call(echoMethod('v1', 'Echo'), { text: 'alive' }, undefined)).text, 'alive');
  connection.close();
}

export function allGroupsSuite(test: Test): void {
  test(
    'all groups are served, in all versions at once',
    world(async (world) => {
      await world.start();
      await everyCallIsAnswered(world);
      await twoVersionsAtOnce(world);
      await smbIscsiAndServices(world);
      await aMegabyte(world);
    }),
  );

  test(
    'a server that is killed in a call, and one that comes back: the same client goes on',
    world(async ({ prefix, open, start }) => {
      const first = await start();
      const disks = await open(diskV1);
      await disks.rescan({});
      const path = pipePath('test', 'v1', prefix);
      const held = await openConnection(path, { clock });
      const holding = once(first, 'message');
      const cut = failureOf(held.call(echoMethod('v1', 'Echo'), { text: 'hold' }, undefined));
      await holding;
      await end(first);
      assert.is((await cut).code, Code.Unavailable);
      assert.is((await failureOf(disks.rescan({}))).code, Code.Unavailable);
      assert.is((await failureOf(openConnection(path, { clock }))).code, 'absent');

      await start();
      await until(
        async () =>
          disks.rescan({}).then(
            () => true,
            ({ code }) => {
              assert.is(code, Code.Unavailable);
              return false;
            },
          ),
        'the client is connected again',
      );
      assert.is((await held.call(echoMethod('v1', 'Echo'), { text: 'again' }, undefined)).text, 'again');
      held.close();
    }),
  );

  test(
    'the newest version that both know is taken, the compiler knows which; a server that is told to stop takes its pipes with it',
    world(async ({ prefix, start }) => {
      const deps = { clock, pipePrefix: prefix };
      const choice = [volumeV1, volumeV2alpha1, volumeV1beta2] as const;
      const server = await start();
      const newest = await openNewest(choice, deps);
      assert.is(newest.version, 'v2alpha1');
      newest.client.close();
      const exit = once(server, 'exit');
      server.send('stop');
      assert.equal(await exit, [0, null]);
      assert.equal(await servedVersions('volume', ['v1', 'v2alpha1'], deps), []);

      await start('volume', 'v1beta2', 'v1beta1');
      assert.equal(await servedVersions('volume', Object.keys(allServices['volume'] ?? {}), deps), [
        'v1beta2',
        'v1beta1',
      ]);
      const older = await openNewest(choice, deps);
      if (older.version !== 'v1beta2') throw new Error(`${older.version} was opened`);
      assert.equal((await older.client.listVolumesOnDisk({ diskId: '0' })).volumeIds.length, 1);
      older.client.close();
      const { code, message } = await failureOf(openNewest([volumeV1], deps));
      assert.is(code, 'absent');
      assert.match(message, 'serves no version of group volume that is known here (v1)');
    }),
  );
}
