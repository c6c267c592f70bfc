// The verdict on Windows storage notices what is wrong: each rule is broken by one story.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { DIRECTORY, estate as estateWith, type Thing } from './estate.ts';
import { leftovers, WindowsJudge } from './invariants.ts';
import type { MachineEntry, MachineSight } from './served-machine.ts';
import { Wishes } from './wishes.ts';

const test = suite('chaos: the verdict on Windows storage');

const estate = estateWith((secret) => `password of ${secret}`);
const thing = (key: string): Thing => {
  const found = estate.things.find((each) => each.key === key);
  if (found === undefined) throw new Error(`there is no ${key}`);
  return found;
};
const DATA = 'page83:naa.win1-data';
const PATH = `${DIRECTORY}\\win1-data`;
const BARE: MachineSight = { node: 'win1', disks: [], mapped: [], portals: 0, connected: [], paths: [] };

/** A status by which there is something of each on its machine. */
const BUILT: JsonObject = {
  connection: 'Connected',
  identity: DATA,
  volumeID: 'v',
  origin: 'Made',
  path: PATH,
};

interface Scene {
  readonly wishes: Wishes;
  readonly judge: WindowsJudge;
  /** What somebody does, each a moment after the one before. */
  wish(...keys: readonly string[]): void;
  unwish(...keys: readonly string[]): void;
  done(call: string, entry?: Partial<MachineEntry>): void;
  later(ms: number): void;
  readonly violations: readonly string[];
}

function scene(): Scene {
  let now = 0;
  const violations: string[] = [];
  const wishes = new Wishes(() => ++now);
  const uidOf = (name: string): string => `uid of ${name} ${wishes.lifeAt(thingOf(name).key)?.from}`;
  const thingOf = (name: string): Thing => estate.things.find((each) => each.name === name) as Thing;
  const get = (kind: string, name: string): KubeObject =>
    ({ kind, metadata: { name, uid: uidOf(name) }, status: BUILT }) as unknown as KubeObject;
  const judge = new WindowsJudge({ estate, wishes, get, slowness: 1, violate: (what) => void violations.push(what) });
  return {
    wishes,
    judge,
    violations,
    wish(...keys) {
      for (const key of keys) {
        const { spec, name } = thing(key);
        wishes.created(key, spec);
        wishes.known(key, uidOf(name));
      }
    },
    unwish(...keys) {
      for (const key of keys) wishes.deleted(key);
    },
    later(ms) {
      now += ms;
    },
    done(call, entry = {}) {
      for (const step of ['begun', 'ended'] as const)
        judge.hear({ at: ++now, node: 'win1', call, step, what: '', ...entry });
    },
  };
}

const FORMAT = { what: 'v', identity: DATA, was: 'none' };
const UNMOUNT = { what: PATH, identity: DATA };
const DISK = ['windowsdisks/win1-data', 'windowsvolumes/win1-data', 'windowsmounts/win1-data'] as const;

function up(stage: Scene): void {
  stage.wish(...DISK);
  stage.done('disk.setDiskState', { what: 'disk 1 online', identity: DATA });
  stage.done('disk.initializeDisk', { what: 'disk 1', identity: DATA, was: 'RAW' });
  stage.done('volume.formatVolume', FORMAT);
  stage.done('volume.mountVolume', UNMOUNT);
}

test('what comes and goes as it was asked to is none', () => {
  const stage = scene();
  up(stage);
  stage.unwish(...DISK);
  stage.done('volume.unmountVolume', UNMOUNT);
  stage.done('filesystem.rmdir', { what: PATH });
  stage.done('disk.setDiskState', { what: 'disk 1 offline', identity: DATA });
  for (const key of DISK) stage.judge.judgeEnd(thing(key), [BARE]);
  assert.equal(stage.violations, []);
});

const WRONG: Readonly<Record<string, (stage: Scene) => void>> = {
  'a volume with a file system is formatted': (stage) => {
    stage.unwish('windowsvolumes/win1-data');
    stage.wish('windowsvolumes/win1-data');
    stage.done('volume.formatVolume', { ...FORMAT, was: 'NTFS' });
  },
  'a volume is formatted twice for one object': (stage) => stage.done('volume.formatVolume', FORMAT),
  'a volume is asked to be formatted while it is': (stage) =>
    stage.done('volume.formatVolume', { ...FORMAT, was: 'being formatted', error: 'the volume is in use' }),
  'a volume is formatted against its policy': (stage) => {
    stage.wish('windowsdisks/win1-data');
    stage.wishes.created('windowsvolumes/win1-data', { formatPolicy: 'Never' });
    stage.done('volume.formatVolume', FORMAT);
  },
  'what others have put on a disk is formatted': (stage) => {
    stage.wish('windowsdisks/win1-old', 'windowsvolumes/win1-old');
    stage.done('volume.formatVolume', { ...FORMAT, identity: 'page83:naa.win1-old', was: 'foreign' });
  },
  'a partition table is made where there is one': (stage) =>
    stage.done('disk.initializeDisk', { what: 'disk 1', identity: DATA, was: 'GPT' }),
  'a disk is changed on a machine where nobody has it': (stage) =>
    stage.done('disk.setDiskState', { node: 'win2', what: 'disk 1 online', identity: DATA }),
  'a volume is unmounted that nobody has asked for': (stage) => stage.done('volume.unmountVolume', UNMOUNT),
  'a link is removed of an object that is there anew': (stage) => {
    stage.wish('windowsmounts/win1-team');
    stage.unwish('windowsmounts/win1-team');
    stage.wish('windowsmounts/win1-team');
    stage.done('filesystem.rmdir', { what: `${DIRECTORY}\\win1-team` });
  },
  'a disk goes offline while its volume is wanted': (stage) => {
    stage.unwish('windowsdisks/win1-data');
    stage.done('disk.setDiskState', { what: 'disk 1 offline', identity: DATA });
  },
  'what nobody has is removed': (stage) => stage.done('filesystem.rmdir', { what: `${DIRECTORY}\\other` }),
  'a target is disconnected while its disk is wanted': (stage) => {
    stage.wish('iscsitargets/win1-chap', 'windowsdisks/win1-chap');
    stage.unwish('iscsitargets/win1-chap');
    stage.done('iscsi.disconnectTarget', { what: 'iqn.2030-01.test:win1-chap' });
  },
  'a portal is removed while somebody is connected through it': (stage) => {
    stage.wish('iscsitargets/win1-open');
    stage.done('iscsi.removeTargetPortal');
  },
  'a mapping in use is made anew though it is to wait': (stage) => {
    stage.wish('smbmappings/win1-docs', 'windowsmounts/win1-docs');
    stage.later(10_000);
    stage.done('smb.removeSmbGlobalMapping', { what: '\\\\srv2\\docs', was: 'sound' });
  },
  'all in a directory is removed': (stage) => stage.done('filesystem.rmdirContents', { what: PATH }),
  'an object is gone, and its disk is online': ({ judge }) =>
    judge.judgeEnd(thing('windowsdisks/win1-data'), [{ ...BARE, disks: [{ identity: DATA, state: 'online' }] }]),
  'an object is gone, and its share is mapped': ({ judge }) =>
    judge.judgeEnd(thing('smbmappings/win1-team'), [{ ...BARE, mapped: ['\\\\srv1\\team'] }]),
  'an object is gone, and its target is connected': ({ judge }) =>
    judge.judgeEnd(thing('iscsitargets/win1-chap'), [{ ...BARE, connected: ['iqn.2030-01.test:win1-chap'] }]),
  'an object is gone, and something is at its path': ({ judge }) =>
    judge.judgeEnd(thing('windowsmounts/win1-data'), [{ ...BARE, paths: [PATH] }]),
};
for (const [what, play] of Object.entries(WRONG)) {
  test(`${what}: one violation`, () => {
    const stage = scene();
    up(stage);
    assert.equal(stage.violations, []);
    play(stage);
    assert.is(stage.violations.length, 1, stage.violations.join('\n'));
  });
}

test('a mapping is made anew at once, when it is broken, and when nobody is known to use it', () => {
  const stage = scene();
  stage.wish('smbmappings/win1-team', 'windowsmounts/win1-team', 'smbmappings/win1-docs', 'windowsmounts/win1-docs');
  const anew = (what: string, was: string): void => stage.done('smb.removeSmbGlobalMapping', { what, was });
  anew('\\\\srv2\\docs', 'sound');
  stage.later(10_000);
  anew('\\\\srv1\\team', 'sound');
  anew('\\\\srv2\\docs', 'broken');
  stage.unwish('windowsmounts/win1-docs');
  anew('\\\\srv2\\docs', 'sound');
  assert.equal(stage.violations, []);
});

test('a mapping that is deleted while it is made anew is none that was taken down', () => {
  const stage = scene();
  stage.wish('smbmappings/win1-team', 'windowsmounts/win1-team');
  stage.later(10_000);
  stage.unwish('smbmappings/win1-team');
  for (const was of ['broken', 'sound']) stage.done('smb.removeSmbGlobalMapping', { what: '\\\\srv1\\team', was });
  assert.equal(stage.violations, []);
  stage.later(10_000);
  stage.done('smb.removeSmbGlobalMapping', { what: '\\\\srv1\\team', was: 'sound' });
  assert.is(stage.violations.length, 1);
});

test('a format that is known to have failed may be asked for again', () => {
  const stage = scene();
  stage.wish(...DISK);
  stage.done('volume.formatVolume', { ...FORMAT, error: 'the disk is busy' });
  stage.done('volume.formatVolume', FORMAT);
  assert.equal(stage.violations, []);
});

test('a disk that is to stay online may, and so may what nobody has had', () => {
  const sight = { ...BARE, disks: [{ identity: 'page83:naa.win1-kept', state: 'online' }] };
  assert.equal(leftovers(estate, [sight]), []);
  const left = { ...BARE, portals: 1, paths: [`${DIRECTORY}\\other`] };
  assert.equal(leftovers(estate, [left]), ['the portal is left on win1', `${DIRECTORY}\\other is left on win1`]);
});

test('a run in which nothing was seen says so', () => {
  const stage = scene();
  stage.judge.figures();
  assert.ok(stage.violations.includes('nothing was seen of volume.formatVolume'));
});

test.run();
