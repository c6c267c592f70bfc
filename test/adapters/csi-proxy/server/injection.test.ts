// Hostile texts in every field of every call, on the host of Windows: refused, or handed to the worker letter for letter.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { LONGEST_IQN } from '../../../../adapters/csi-proxy/hosts/rules.ts';
import { windowsHost } from '../../../../adapters/csi-proxy/hosts/windows/windows-host.ts';
import { callContext, formattedDisk, groupServers, KUBELET } from '../../../world/windows-groups.ts';
import { HOSTILE } from '../hosts/hostile.ts';
import { WorkerDouble } from '../hosts/worker-double.ts';
import { quickClock } from '../quick-clock.ts';

const test = suite('injection');

const context = callContext();
/** Of a caller's texts, those that say where and what: they are carried as they are, or the call is refused. */
const REFUSED_AS_A_PATH = /[\p{Cc}"/:?*|<>]|\.\.|[. ](\\|$)|^nul$/iu;

async function open() {
  const clock = quickClock();
  const machine = await memoryMachine({ clock });
  await machine.host.filesystem.mkdir(KUBELET);
  const diskNumber = await formattedDisk(machine);
  const [volumeId = ''] = await machine.host.volume.listVolumesOnDisk(diskNumber, 0);
  const worker = new WorkerDouble(machine);
  const host = windowsHost({ worker, files: machine.files, clock });
  return { machine, worker, volumeId, ...groupServers({ clock, host, services: 'all' }) };
}

/** @returns the refusal, or undefined */
async function outcome(work: Promise<unknown>): Promise<StatusError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    assert.instance(error, StatusError, String(error));
    return error as StatusError;
  }
}

for (const text of HOSTILE) {
  test(JSON.stringify(text.slice(0, 40)), async () => {
    const { machine, worker, volumeId, volume, filesystem, smb, iscsi, system, disk } = await open();
    await system.startService(context, { name: 'MSiSCSI' }, 'v1alpha1');
    const asked = (operation: string): object[] =>
      worker.asked.filter((one) => one.operation === operation).map(({ given }) => given);

    // A path: what is no name of Windows is refused before anybody is asked; any other is made as it is.
    const path = `${KUBELET}\\${text}`;
    const isName = !REFUSED_AS_A_PATH.test(text) && Buffer.byteLength(path) <= 260;
    const made = await outcome(filesystem.mkdir(context, { path }, 'v1'));
    assert.is(made === undefined, isName, made?.message ?? path);
    const mounted = await outcome(volume.mountVolume(context, { volumeId, targetPath: path }, 'v1'));
    assert.is(mounted === undefined, isName, mounted?.message ?? path);
    assert.equal(
      asked('mountVolumes'),
      isName ? [{ mounts: [{ volumeId, path: path.endsWith('\\') ? path : `${path}\\` }] }] : [],
    );
    if (isName)
      assert.ok((await machine.host.filesystem.isSymlink(path)) && (await machine.files.list(KUBELET)).length === 1);
    else assert.equal(await machine.files.list(KUBELET), []);

    // What names something: nothing of that name is there, whoever would read it as a pattern or a script.
    const missing = await Promise.all(
      [
        volume.formatVolume(context, { volumeId: text }, 'v1'),
        volume.isVolumeFormatted(context, { volumeId: text }, 'v1'),
        volume.writeVolumeCache(context, { volumeId: text }, 'v1'),
        disk.getDiskNumberByName(context, { diskName: text }, 'v1alpha1'),
        system.getService(context, { name: text }, 'v1alpha1'),
        system.stopService(context, { name: text, force: true }, 'v1alpha1'),
      ].map(outcome),
    );
    for (const refusal of missing) assert.is(refusal?.code, Code.NotFound);
    assert.equal(asked('formatVolume'), []);
    for (const given of asked('getService').slice(2)) assert.equal(given, { name: text });

    // Credentials are anything; an address and the name of a target have no control characters, and the name has a length.
    const isWord = !/\p{Cc}/u.test(text);
    const isIqn = Buffer.byteLength(text) <= LONGEST_IQN;
    const login = { authType: 1, chapUsername: text, chapSecret: text };
    const targetPortal = { targetAddress: text, targetPort: 1 };
    const added = await outcome(iscsi.addTargetPortal(context, { targetPortal }, 'v1alpha1'));
    assert.is(added?.code, isWord ? undefined : Code.InvalidArgument);
    const connected = await outcome(iscsi.connectTarget(context, { targetPortal, iqn: text, ...login }, 'v1alpha1'));
    assert.is(connected?.code === Code.InvalidArgument, !isWord || !isIqn);
    await outcome(iscsi.setMutualChapSecret(context, { MutualChapSecret: text }, 'v1alpha2'));
    const portal = { address: text, port: 1 };
    const authentication = 'ONEWAYCHAP';
    assert.equal(asked('addPortal'), isWord ? [portal] : []);
    const sent = { ...portal, iqn: text, authentication, username: text, secret: text };
    assert.equal(asked('connectTarget'), isWord && isIqn ? [sent] : []);
    assert.equal(asked('setChapSecret'), [{ secret: text }]);

    const request = { remotePath: '//files/data', localPath: '', username: text, password: text };
    await smb.newSmbGlobalMapping(context, request, 'v1');
    const root = '\\\\files\\data';
    assert.equal(asked('newSmbMapping'), [{ root, username: text, password: text, requirePrivacy: true }]);

    // A share: a name, or refused.
    const before = worker.asked.length;
    const remotePath = `//other/${text}`;
    const share = await outcome(smb.newSmbGlobalMapping(context, { ...request, remotePath }, 'v1'));
    if (share === undefined) {
      const name = text.split(/[\\/]/).find((part) => part !== '');
      assert.is((asked('newSmbMapping')[1] as { root?: string }).root, `\\\\other\\${name}`.toLowerCase());
    } else {
      assert.is(worker.asked.length, before, share.message);
    }
  });
}

test.run();
