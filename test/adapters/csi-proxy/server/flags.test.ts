// The flags of the original mean what they mean there; those of this server say what is wrong with them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFlags } from '../../../../adapters/csi-proxy/server/flags.ts';
import { groupLogLevel } from '../../../../adapters/csi-proxy/server/log-flags.ts';

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
    log: { level: 'info', groupLevels: [], standardErrorFrom: 'INFO', files: undefined },
    selection: undefined,
    pipePrefix: undefined,
    host: 'windows',
    files: undefined,
    machine: undefined,
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
    const { groups, log } = readFlags(args, 'win32');
    assert.equal(groups.allowedDirectories, ['C:\\a', 'C:\\b', 'D:\\k']);
    assert.is(log.level, 'debug');
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
  assert.equal(flags.log.files?.place, { file: log });
  assert.is(flags.metricsAddress, ':8888');
});

test('flags of klog say where the log goes, and from which severity on', () => {
  const log = (...args: string[]) => readFlags(args, 'win32').log;
  assert.is(log('-log_file=C:\\log', '-alsologtostderr', '-stderrthreshold=3').files, undefined, 'stderr by default');
  assert.equal(log('-logtostderr=false'), {
    level: 'info',
    groupLevels: [],
    standardErrorFrom: 'ERROR',
    files: { place: { folder: undefined }, maxBytes: 1_800 * 2 ** 20, isOneOutput: false },
  });
  const folder = log('-logtostderr=false', '-log_dir', 'C:\\logs', '-one_output', '-log_file_max_size=5').files;
  assert.equal(folder, { place: { folder: 'C:\\logs' }, maxBytes: 5 * 2 ** 20, isOneOutput: true });
  const endless = log('-logtostderr=false', '-log_dir=C:\\logs', '-log_file=C:\\l', '-log_file_max_size=0').files;
  assert.equal(endless, { place: { file: 'C:\\l' }, maxBytes: Number.POSITIVE_INFINITY, isOneOutput: false });
  for (const [args, from] of [
    [['-alsologtostderr'], 'INFO'],
    [['-alsologtostderr', '-alsologtostderrthreshold=warning'], 'WARNING'],
    [['-stderrthreshold=FATAL'], 'FATAL'],
    [['-stderrthreshold=1', '-alsologtostderr=false'], 'WARNING'],
    [['-logtostderr', '-stderrthreshold=2'], 'INFO'],
    [['-logtostderr', '-stderrthreshold=2', '-legacy_stderr_threshold_behavior=false'], 'ERROR'],
  ] as const) {
    assert.is(log('-logtostderr=false', ...args).standardErrorFrom, from, args.join(' '));
  }
  // What shapes the original's lines is accepted.
  log('-add_dir_header', '-skip_headers', '-skip_log_headers=true', '-log_backtrace_at', 'server.go:12');
});

test('-vmodule says more of groups, never less; the first pattern that fits counts', () => {
  const { log } = readFlags(['-v=4', '-vmodule=disk=6,s?b=0,*i*=6,filesystem=9'], 'win32');
  const levels = ['disk', 'smb', 'iscsi', 'volume'].map((group) => groupLogLevel(log, group));
  assert.equal(levels, ['trace', 'debug', 'trace', 'debug']);
  assert.is(groupLogLevel(readFlags(['-vmodule=dis=4,di.k=4'], 'win32').log, 'disk'), 'info');
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
    [['-stderrthreshold=loud'], '--stderrthreshold must be one of INFO, WARNING, ERROR, FATAL or its number'],
    [['-log_file_max_size=-1'], "--log_file_max_size must be a whole number, at least 0; got '-1'"],
    [['-vmodule=disk'], "--vmodule must be like disk=4,smb=6; got 'disk'"],
    [['--host', 'linux'], "--host must be windows or memory; got 'linux'"],
    [['--host=windows', '--machine=m.yaml'], '--machine needs --host memory'],
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
