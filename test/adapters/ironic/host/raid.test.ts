// RAID: what is wanted, the interface, the steps and the logical disks, row by row.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type HardwareRaidVolume,
  isRaidChanged,
  knownAfterFailure,
  logicalDisks,
  type RaidConfig,
  raidCleanSteps,
  raidInterface,
  raidPlan,
  type SoftwareRaidVolume,
  wantedRaid,
} from '../../../../adapters/ironic/host/raid.ts';

const test = suite('RAID');

const hard: HardwareRaidVolume = { level: '1' };
const other: HardwareRaidVolume = { level: '5', name: 'data' };
const soft: SoftwareRaidVolume = { level: '1' };

const DELETE = 'raid.delete_configuration';
const ERASE = 'deploy.erase_devices_metadata';
const CREATE = 'raid.create_configuration';

const hardware = (...volumes: readonly HardwareRaidVolume[]): RaidConfig => ({ hardwareRAIDVolumes: volumes });
const software = (...volumes: readonly SoftwareRaidVolume[]): RaidConfig => ({ softwareRAIDVolumes: volumes });

const wanted: readonly (readonly [string, unknown, unknown, unknown])[] = [
  ['nothing at all', undefined, undefined, undefined],
  ['nulls', null, null, undefined],
  ['an empty spec without a record', {}, undefined, undefined],
  ['the spec', hardware(hard), undefined, hardware(hard)],
  ['the spec, not the record', hardware(hard), software(soft), hardware(hard)],
  ['an empty list is no empty spec', hardware(), hardware(hard), hardware()],
  ['neither is one of software volumes', software(), hardware(hard), software()],
  [
    'the hardware volumes on record, without software volumes',
    undefined,
    hardware(hard),
    { hardwareRAIDVolumes: [hard], softwareRAIDVolumes: [] },
  ],
  [
    'the same for an empty spec',
    { hardwareRAIDVolumes: null, softwareRAIDVolumes: null },
    hardware(hard),
    { hardwareRAIDVolumes: [hard], softwareRAIDVolumes: [] },
  ],
  [
    'software volumes on record are not kept',
    undefined,
    software(soft),
    { hardwareRAIDVolumes: null, softwareRAIDVolumes: [] },
  ],
  [
    'an empty list of hardware volumes on record is no wish for hardware RAID (33.A3)',
    {},
    hardware(),
    { hardwareRAIDVolumes: null, softwareRAIDVolumes: [] },
  ],
];

for (const [title, spec, status, expected] of wanted) {
  test(`wanted: ${title}`, () => {
    const host = { spec: { raid: spec as RaidConfig }, status: { provisioning: { raid: status as RaidConfig } } };
    assert.equal(wantedRaid(host), expected);
  });
}

test('once recorded, what is wanted is wanted again', () => {
  for (const record of [hardware(hard), hardware(), software(soft), {}]) {
    const first = wantedRaid({ spec: {}, status: { provisioning: { raid: record } } });
    assert.equal(wantedRaid({ spec: {}, status: { provisioning: { raid: first } } }), first);
  }
});

test('a host without spec and status wants nothing', () => {
  assert.is(wantedRaid({}), undefined);
  assert.is(wantedRaid({ spec: null, status: null }), undefined);
  assert.is(wantedRaid({ status: { provisioning: null } }), undefined);
});

/** Title, wanted, recorded, the interface, the steps; with a driver whose interface is `redfish`. */
const changes: readonly (readonly [string, unknown, unknown, string, readonly string[]])[] = [
  ['nothing', undefined, undefined, 'redfish', []],
  ['null hardware leaves what is there', { hardwareRAIDVolumes: null }, hardware(hard), 'redfish', []],
  ['no hardware list does too', {}, hardware(hard), 'redfish', []],
  ['new hardware volumes', hardware(hard), undefined, 'redfish', [DELETE, CREATE]],
  ['other hardware volumes', hardware(other), hardware(hard), 'redfish', [DELETE, CREATE]],
  ['the same hardware volumes', hardware(hard), hardware(hard), 'redfish', []],
  ['more of them', hardware(hard, other), hardware(hard), 'redfish', [DELETE, CREATE]],
  ['another order of them', hardware(other, hard), hardware(hard, other), 'redfish', [DELETE, CREATE]],
  ['[] deletes hardware volumes', hardware(), hardware(hard), 'redfish', [DELETE]],
  ['[] deletes what nobody recorded', hardware(), undefined, 'redfish', [DELETE]],
  ['[] once', hardware(), hardware(), 'redfish', []],
  ['new software volumes', software(soft), undefined, 'agent', [DELETE, ERASE, CREATE]],
  ['the same software volumes', software(soft), software(soft), 'agent', []],
  ['other software volumes', software(soft, { level: '0' }), software(soft), 'agent', [DELETE, ERASE, CREATE]],
  ['[] clears software volumes', software(), software(soft), 'agent', [DELETE, ERASE]],
  ['[] of software clears nothing where no software volumes are on record', software(), undefined, 'redfish', []],
  ['[] of software once', software(), software(), 'redfish', []],
  ['software volumes wanted no more', {}, software(soft), 'agent', [DELETE, ERASE]],
  ['nothing wanted, software on record', undefined, software(soft), 'agent', [DELETE, ERASE]],
  [
    'hardware kept, no software on record',
    { hardwareRAIDVolumes: [hard], softwareRAIDVolumes: [] },
    hardware(hard),
    'redfish',
    [],
  ],
  ['hardware in place of software', hardware(hard), software(soft), 'redfish', [DELETE, CREATE]],
  ['software in place of hardware', software(soft), hardware(hard), 'agent', [DELETE, ERASE, CREATE]],
  [
    'both: hardware wins',
    { hardwareRAIDVolumes: [hard], softwareRAIDVolumes: [soft] },
    undefined,
    'redfish',
    [DELETE, CREATE],
  ],
  [
    'an empty hardware list beside software volumes is not acted on',
    { hardwareRAIDVolumes: [], softwareRAIDVolumes: [soft] },
    undefined,
    'agent',
    [DELETE, ERASE, CREATE],
  ],
  [
    'both empty, nothing on record: the hardware goes',
    { hardwareRAIDVolumes: [], softwareRAIDVolumes: [] },
    undefined,
    'redfish',
    [DELETE],
  ],
  [
    'both empty, software on record: the software goes',
    { hardwareRAIDVolumes: [], softwareRAIDVolumes: [] },
    software(soft),
    'agent',
    [DELETE, ERASE],
  ],
];

const spelled = (steps: ReturnType<typeof raidCleanSteps>): readonly string[] =>
  steps.map((step) => {
    assert.equal(Object.keys(step), ['interface', 'step']);
    return `${step.interface}.${step.step}`;
  });

for (const [title, target, record, expected, steps] of changes) {
  test(`change: ${title}`, () => {
    const change = {
      driverInterface: 'redfish',
      wanted: target as RaidConfig | undefined,
      recorded: record as RaidConfig | undefined,
    };
    assert.equal(raidInterface(change), { raidInterface: expected });
    assert.equal(spelled(raidCleanSteps(change)), steps);
  });
}

test('a driver without RAID refuses hardware volumes, and nothing else', () => {
  const none = { driverInterface: 'no-raid', recorded: undefined };
  const refused = { problem: "RAID settings are defined, but the node's driver no-raid does not support RAID" };
  assert.equal(raidInterface({ ...none, wanted: hardware(hard) }), refused);
  assert.equal(raidPlan({ ...none, wanted: hardware(hard), hints: undefined }), refused);
  assert.equal(raidCleanSteps({ ...none, wanted: hardware(hard) }), []);
  assert.equal(raidInterface({ ...none, wanted: hardware() }), { raidInterface: 'no-raid' });
  assert.equal(raidCleanSteps({ ...none, wanted: hardware() }), []);
  assert.equal(raidInterface({ ...none, wanted: software(soft) }), { raidInterface: 'agent' });
  const both = { ...none, wanted: { hardwareRAIDVolumes: [], softwareRAIDVolumes: [] } };
  assert.equal(spelled(raidCleanSteps(both)), []);
  assert.equal(spelled(raidCleanSteps({ ...both, recorded: software(soft) })), [DELETE, ERASE]);
});

/** The ways to spell nothing, an empty list and a list of volumes, as columns or rows of the table below. */
const SPELLINGS = {
  none: [undefined, null],
  empty: [[]],
  some: [[{ level: '1' }]],
} as const;
type Meaning = keyof typeof SPELLINGS;

/** All objects that have these meanings; without any volumes mentioned also no object at all. */
function spellingsOf(hardwareMeaning: Meaning, softwareMeaning: Meaning): readonly (RaidConfig | null | undefined)[] {
  const objects = SPELLINGS[hardwareMeaning].flatMap((hardwareRAIDVolumes) =>
    SPELLINGS[softwareMeaning].map((softwareRAIDVolumes) => ({
      ...(hardwareRAIDVolumes !== undefined && { hardwareRAIDVolumes }),
      ...(softwareRAIDVolumes !== undefined && { softwareRAIDVolumes }),
    })),
  );
  return hardwareMeaning === 'none' && softwareMeaning === 'none' ? [undefined, null, ...objects] : objects;
}

const RECORDS = ['none', 'empty', 'some'].flatMap((one) =>
  ['none', 'empty', 'some'].map((two) => [one, two] as readonly [Meaning, Meaning]),
);
const STEPS: Readonly<Record<string, readonly string[]>> = {
  '-': [],
  D: [DELETE],
  DC: [DELETE, CREATE],
  DE: [DELETE, ERASE],
  DEC: [DELETE, ERASE, CREATE],
};

/**
 * Hardware and software volumes in the spec; then the steps by what is on record, hardware before software:
 * none none, none empty, none some, empty none, empty empty, empty some, some none, some empty, some some.
 * The last column: the same after a failed preparation.
 */
const ALL: readonly (readonly [Meaning, Meaning, string, string])[] = [
  ['none', 'none', '- - DE - - DE - - -', '- - DE - - DE - - -'],
  ['none', 'empty', '- - DE - - DE - - DE', '- - DE - - DE - - DE'],
  ['none', 'some', 'DEC DEC - DEC DEC - DEC DEC -', 'DEC DEC DEC DEC DEC DEC DEC DEC DEC'],
  ['empty', 'none', 'D D DE - - DE D D DE', 'D D DE D D DE D D DE'],
  ['empty', 'empty', 'D D DE - - DE D D DE', 'D D DE D D DE D D DE'],
  ['empty', 'some', 'DEC DEC - DEC DEC - DEC DEC -', 'DEC DEC DEC DEC DEC DEC DEC DEC DEC'],
  ['some', 'none', 'DC DC DC DC DC DC - - -', 'DC DC DC DC DC DC DC DC DC'],
  ['some', 'empty', 'DC DC DC DC DC DC - - -', 'DC DC DC DC DC DC DC DC DC'],
  ['some', 'some', 'DC DC DC DC DC DC - - -', 'DC DC DC DC DC DC DC DC DC'],
];

for (const [hardwareMeaning, softwareMeaning, ...rows] of ALL) {
  for (const [nth, row] of rows.entries()) {
    const when = nth === 0 ? '' : ', after a failed preparation';
    test(`steps with hardware ${hardwareMeaning}, software ${softwareMeaning} in the spec${when}: only what the spec asks for, or software on record (33.A3)`, () => {
      const expected = row.split(' ');
      assert.is(expected.length, RECORDS.length);
      for (const [index, record] of RECORDS.entries()) {
        for (const spec of spellingsOf(hardwareMeaning, softwareMeaning)) {
          for (const recorded of spellingsOf(...record)) {
            const host = { spec: { raid: spec }, status: { provisioning: { raid: recorded } } };
            const change = { wanted: wantedRaid(host), recorded: nth === 0 ? recorded : knownAfterFailure(host) };
            const title = JSON.stringify({ spec, recorded });
            const letters = expected[index] ?? '';
            assert.equal(spelled(raidCleanSteps({ ...change, driverInterface: 'redfish' })), STEPS[letters], title);
            // A driver without RAID does nothing about hardware volumes.
            const soft = letters.startsWith('DE') ? STEPS[letters] : [];
            assert.equal(spelled(raidCleanSteps({ ...change, driverInterface: 'no-raid' })), soft, title);
            if (nth === 0 && letters !== '-') assert.ok(isRaidChanged(change.wanted, recorded), title);
          }
        }
      }
    });
  }
}

test('once recorded, what a spec asks for asks for no steps, and is no change (33.A3)', () => {
  for (const [hardwareMeaning, softwareMeaning] of ALL) {
    for (const spec of spellingsOf(hardwareMeaning, softwareMeaning)) {
      for (const record of RECORDS.flatMap((meanings) => spellingsOf(...meanings))) {
        const recorded = wantedRaid({ spec: { raid: spec }, status: { provisioning: { raid: record } } });
        const wanted = wantedRaid({ spec: { raid: spec }, status: { provisioning: { raid: recorded } } });
        const title = JSON.stringify({ spec, record });
        assert.not(isRaidChanged(wanted, recorded), title);
        assert.equal(raidCleanSteps({ driverInterface: 'redfish', wanted, recorded }), [], title);
      }
    }
  }
});

test('null, [] and absent differ from each other where they mean different things', () => {
  assert.not(isRaidChanged(undefined, null));
  assert.not(isRaidChanged({}, undefined));
  assert.not(isRaidChanged({ hardwareRAIDVolumes: null }, {}));
  assert.ok(isRaidChanged(hardware(), {}));
  assert.ok(isRaidChanged(hardware(), { hardwareRAIDVolumes: null }));
  assert.not(isRaidChanged(software(), {}));
  assert.not(isRaidChanged({ hardwareRAIDVolumes: null, softwareRAIDVolumes: [] }, hardware()));
  assert.ok(isRaidChanged(hardware(), hardware(hard)));
  assert.ok(isRaidChanged(undefined, software(soft)));
});

const hardwareDifferences: readonly Partial<HardwareRaidVolume>[] = [
  { level: '0' },
  { name: 'n' },
  { sizeGibibytes: 5 },
  { rotational: true },
  { rotational: false },
  { controller: 'c' },
  { physicalDisks: ['d'] },
  { numberOfPhysicalDisks: 1 },
];

test('every member of a hardware volume tells', () => {
  for (const difference of hardwareDifferences) {
    assert.ok(isRaidChanged(hardware({ ...hard, ...difference }), hardware(hard)), JSON.stringify(difference));
  }
});

test('every member of a software volume tells', () => {
  const differences: readonly Partial<SoftwareRaidVolume>[] = [
    { level: '0' },
    { sizeGibibytes: 5 },
    { rootVolume: true },
    { physicalDisks: [{ deviceName: '/dev/sda' }, { deviceName: '/dev/sdb' }] },
  ];
  for (const difference of differences) {
    assert.ok(isRaidChanged(software({ ...soft, ...difference }), software(soft)), JSON.stringify(difference));
  }
});

test('another spelling is no change (IRONIC-RAID-4)', () => {
  const spelledOut = { level: '1', name: '', sizeGibibytes: 0, rotational: null, controller: '', physicalDisks: [] };
  assert.not(isRaidChanged(hardware(spelledOut), hardware(hard)));
  assert.not(isRaidChanged(software({ ...soft, rootVolume: false, sizeGibibytes: 0 }), software(soft)));
});

const disksOf = (raid: RaidConfig, hints: object = { deviceName: '/dev/sda' }): unknown => {
  const reported = logicalDisks(raid, hints);
  return 'problem' in reported ? reported.problem : reported.logicalDisks;
};

test('a hardware volume as a logical disk', () => {
  const volume = {
    level: '1+0',
    name: 'root',
    sizeGibibytes: 100,
    rotational: true,
    controller: 'RAID.1',
    physicalDisks: ['d1', 'd2'],
    numberOfPhysicalDisks: 2,
  };
  assert.equal(disksOf(hardware(volume, { level: '0', rotational: false })), [
    {
      size_gb: 100,
      raid_level: '1+0',
      volume_name: 'root',
      controller: 'RAID.1',
      physical_disks: ['d1', 'd2'],
      number_of_physical_disks: 2,
      disk_type: 'hdd',
    },
    { size_gb: 'MAX', raid_level: '0', disk_type: 'ssd' },
  ]);
});

test('no size, null and 0 are all there is (22.4)', () => {
  for (const size of [{}, { sizeGibibytes: null }, { sizeGibibytes: 0 }]) {
    assert.equal(disksOf(hardware({ ...hard, ...size })), [{ size_gb: 'MAX', raid_level: '1' }]);
    assert.equal(disksOf(software({ ...soft, ...size })), [
      { size_gb: 'MAX', raid_level: '1', controller: 'software' },
    ]);
  }
});

test('a software volume as a logical disk, its disks by hints', () => {
  const disks = [
    { deviceName: '/dev/sda', minSizeGigabytes: 10 },
    { serialNumber: 's', rotational: false },
  ];
  const volumes = software({ level: '1', sizeGibibytes: 10, physicalDisks: disks }, { level: '0', rootVolume: false });
  assert.equal(disksOf(volumes), [
    {
      size_gb: 10,
      raid_level: '1',
      controller: 'software',
      physical_disks: [
        { name: 's== /dev/sda', size: '>= 10' },
        { serial: 's== s', rotational: 'false' },
      ],
    },
    { size_gb: 'MAX', raid_level: '0', controller: 'software' },
  ]);
});

test('without hints the first disk is the root device, also with an empty set (22.6)', () => {
  for (const hints of [undefined, null, {}, { deviceName: '' }, { minSizeGigabytes: 0 }]) {
    assert.equal(logicalDisks(hardware(hard, other), hints), {
      logicalDisks: [
        { size_gb: 'MAX', raid_level: '1', is_root_volume: true },
        { size_gb: 'MAX', raid_level: '5', volume_name: 'data' },
      ],
    });
  }
  assert.equal(logicalDisks(software(soft), undefined), {
    logicalDisks: [{ size_gb: 'MAX', raid_level: '1', controller: 'software', is_root_volume: true }],
  });
});

test('a root volume is the root device, the first disk is not', () => {
  assert.equal(logicalDisks(software(soft, { level: '1', rootVolume: true }), undefined), {
    logicalDisks: [
      { size_gb: 'MAX', raid_level: '1', controller: 'software' },
      { size_gb: 'MAX', raid_level: '1', controller: 'software', is_root_volume: true },
    ],
  });
});

test('no volumes, no logical disks', () => {
  for (const raid of [undefined, null, {}, hardware(), software()]) {
    assert.equal(logicalDisks(raid, undefined), { logicalDisks: [] });
  }
});

const problems: readonly (readonly [string, RaidConfig, string])[] = [
  ['a repeated name', hardware(other, hard, other), "hardware RAID volumes 0 and 2 have the same name 'data'"],
  [
    'disks without a controller',
    hardware(hard, { ...hard, physicalDisks: ['d'] }),
    "'physicalDisks' specified without 'controller' for volume 1",
  ],
  [
    'another number of disks',
    hardware({ ...hard, controller: 'c', physicalDisks: ['d', 'e'], numberOfPhysicalDisks: 3 }),
    "'numberOfPhysicalDisks' is not same for volume 0 as the number of its 'physicalDisks'",
  ],
  [
    'a first software volume of another level',
    software({ level: '0' }, soft),
    'the first software RAID volume must use RAID level 1, not 0',
  ],
];

for (const [title, raid, problem] of problems) {
  test(`a problem: ${title}`, () => {
    assert.equal(logicalDisks(raid, undefined), { problem });
    assert.equal(raidPlan({ driverInterface: 'redfish', wanted: raid, recorded: undefined, hints: undefined }), {
      problem,
    });
  });
}

test('no problem: volumes without a name, a number of disks alone, a second software volume of another level', () => {
  assert.is(Array.isArray(disksOf(hardware(hard, hard))), true);
  assert.is(Array.isArray(disksOf(hardware({ ...hard, name: '' }, { ...hard, name: '' }))), true);
  assert.is(Array.isArray(disksOf(hardware({ ...hard, numberOfPhysicalDisks: 3 }))), true);
  assert.is(Array.isArray(disksOf(software(soft, { level: '1+0' }))), true);
  assert.is(Array.isArray(disksOf(hardware({ ...hard, name: '__proto__' }, { ...hard, name: 'constructor' }))), true);
});

test('the plan has all of it', () => {
  const plan = raidPlan({
    driverInterface: 'redfish',
    wanted: software(soft),
    recorded: undefined,
    hints: { wwn: 'w' },
  });
  assert.equal(plan, {
    raidInterface: 'agent',
    logicalDisks: [{ size_gb: 'MAX', raid_level: '1', controller: 'software' }],
    steps: [
      { interface: 'raid', step: 'delete_configuration' },
      { interface: 'deploy', step: 'erase_devices_metadata' },
      { interface: 'raid', step: 'create_configuration' },
    ],
  });
});

test.run();
