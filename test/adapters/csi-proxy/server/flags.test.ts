// The flags of the original mean what they mean there; those of this server say what is wrong with them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFlags } from '../../../../adapters/csi-proxy/server/flags.ts';

const test = suite('flags of csi-proxy serve');

test('without flags, the original’s defaults and the hardened ones of this server', () => {
  assert.equal(readFlags([], 'win32'), {
    groups: {
      allowedDirectories: ['C:\\var\\lib\\kubelet'],
      services: ['MSiSCSI'],
      mountPaths: 'checked',
      linkPaths: 'any',
      smbEncryption: 'required',
    },
    isService: false,
    metricsAddress: '',
    healthAddress: '',
    logLevel: 'info',
    logFile: undefined,
    selection: undefined,
    pipePrefix: undefined,
    host: 'windows',
    files: undefined,
    limitsMs: new Map(),
    callsPerGroup: undefined,
    clientLimits: {},
    drainMs: 30_000,
  });
  assert.is(readFlags([], 'linux').host, 'memory');
});

test('one dash is as good as two, a value comes behind = or as the next argument', () => {
  for (const args of [
    ['-kubelet-path=D:\\k', '-working-dir', 'C:\\a', '--working-dir=C:\\b', '-v=5', '-require-privacy=false'],
    ['--working-dir', 'C:\\a', '-working-dir=C:\\b', '--kubelet-path', 'D:\\k', '--v', '5', '--require-privacy=F'],
  ]) {
    const { groups, logLevel } = readFlags(args, 'win32');
    assert.equal(groups.allowedDirectories, ['C:\\a', 'C:\\b', 'D:\\k']);
    assert.is(logLevel, 'debug');
    assert.is(groups.smbEncryption, 'optional');
  }
});

test('what clients may take is told by flags', () => {
  const { clientLimits } = readFlags(['--connections=7', '--idle-ms', '5', '--held-request-mib=2'], 'win32');
  assert.equal(clientLimits, { connections: 7, idleMs: 5, heldBytes: 2 * 2 ** 20 });
});

test('a usual installation of the original starts', () => {
  const log = 'C:\\etc\\kubernetes\\logs\\csi-proxy.log';
  const flags = readFlags(
    ['-windows-service', `-log_file=${log}`, '-logtostderr=false', '-metrics-bind-address=:8888'],
    'win32',
  );
  assert.is(flags.isService, true);
  assert.is(flags.logFile, log);
  assert.is(flags.metricsAddress, ':8888');
});

test('a version is one of the group before it; a group without versions is served whole', () => {
  const { selection } = readFlags(
    [
      '--group',
      'disk',
      '--version',
      'v1',
      '--version=v1beta3',
      '--group',
      'volume',
      '--group=disk',
      '--version',
      'v1beta2',
    ],
    'linux',
  );
  assert.equal(
    selection,
    new Map([
      ['disk', new Set(['v1', 'v1beta3', 'v1beta2'])],
      ['volume', new Set<string>()],
    ]),
  );
});

test('what makes no sense is refused, with the flag and what it got', () => {
  for (const [args, message] of [
    [['--kubelet-csi-plugins-path', 'C:\\x'], 'there is no flag --kubelet-csi-plugins-path'],
    [['disk'], "'serve' takes flags only; got 'disk'"],
    [['--kubelet-path'], '--kubelet-path needs a value'],
    [['--kubelet-path', '/var/lib/kubelet'], "must be absolute Windows paths; got '/var/lib/kubelet'"],
    [['--require-privacy=maybe'], "--require-privacy must be true or false; got 'maybe'"],
    [['-v=high'], "--v must be a whole number, at least 0; got 'high'"],
    [['--version', 'v1'], '--version v1 needs the --group before it'],
    [['--group', 'disk', '--version', 'v01'], 'invalid version name: "v01"'],
    [['-logtostderr=false'], '--logtostderr=false needs --log_file'],
    [['--host', 'linux'], "--host must be windows or memory; got 'linux'"],
    [['--time-limit-ms', 'FormatVolume'], "--time-limit-ms must be like FormatVolume=1200000; got 'FormatVolume'"],
    [
      ['--time-limit-ms', 'FormatVolum=5'],
      "--time-limit-ms: there is no call 'FormatVolum'; did you mean 'FormatVolume'?",
    ],
    [['--time-limit-ms', 'FormatVolume=0'], "--time-limit-ms must be a whole number, at least 1; got '0'"],
    [['--calls-per-group=0'], "--calls-per-group must be a whole number, at least 1; got '0'"],
  ] as const) {
    assert.throws(
      () => readFlags(args, 'linux'),
      (error: Error) => error.message.includes(message) || assert.unreachable(`${error.message} lacks ${message}`),
    );
  }
});

test('limits and services are as told', () => {
  const { limitsMs, groups, drainMs } = readFlags(
    ['--time-limit-ms', 'FormatVolume=5', '--time-limit-ms=Rescan=7', '--allow-service', 'Spooler', '--drain-ms=0'],
    'linux',
  );
  assert.equal(
    [...limitsMs],
    [
      ['FormatVolume', 5],
      ['Rescan', 7],
    ],
  );
  assert.equal(groups.services, ['Spooler']);
  assert.is(drainMs, 0);
  assert.is(readFlags(['--allow-all-services'], 'linux').groups.services, 'all');
});

test.run();
