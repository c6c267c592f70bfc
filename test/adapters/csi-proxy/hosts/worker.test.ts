// The script layer of the Windows host: what is sent to PowerShell, as data. The script itself runs on Windows alone.
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { Code, UnknownEndError } from '../../../../adapters/csi-proxy/base/status.ts';
import { realFiles } from '../../../../adapters/csi-proxy/hosts/real-files.ts';
import type { ArgumentsOf, OperationName } from '../../../../adapters/csi-proxy/hosts/windows/operations.ts';
import { windowsHost } from '../../../../adapters/csi-proxy/hosts/windows/windows-host.ts';
import { PowerShellWorker } from '../../../../adapters/csi-proxy/hosts/windows/worker.ts';
import {
  powerShellCommand,
  startWorkerProcess,
  type WorkerProcess,
} from '../../../../adapters/csi-proxy/hosts/windows/worker-process.ts';
import type { Clock } from '../../../../bus/mod.ts';
import { quickClock } from '../quick-clock.ts';
import { refused } from './files.suite.ts';
import { HOSTILE } from './hostile.ts';

const test = suite('worker of PowerShell');

const log = pino({ level: 'silent' });

/** The other end of the pipe. */
class FakeProcess implements WorkerProcess {
  readonly lines: string[] = [];
  kills = 0;
  isEnded = false;
  #listener: Parameters<WorkerProcess['listen']>[0] | undefined;

  listen(listener: Parameters<WorkerProcess['listen']>[0]): void {
    this.#listener = listener;
  }
  send(line: string): void {
    this.lines.push(line);
  }
  end(): void {
    this.isEnded = true;
  }
  kill(): void {
    this.kills++;
    this.die('SIGKILL');
  }
  say(message: unknown): void {
    this.#listener?.line(typeof message === 'string' ? message : JSON.stringify(message));
  }
  die(how: string): void {
    this.#listener?.ended(how);
  }
  request(index: number): { id: number; operation: string; arguments: Record<string, unknown> } {
    return JSON.parse(this.lines[index] ?? '');
  }
}

function start({ clock = quickClock() }: { clock?: Clock } = {}) {
  const processes: FakeProcess[] = [];
  const worker = new PowerShellWorker({
    start: () => {
      const process = new FakeProcess();
      processes.push(process);
      return process;
    },
    clock,
    log,
  });
  return { worker, processes, clock };
}

/** Every operation that takes text, with `text` in every place for it. */
function operationsWith(text: string): { [Name in OperationName]?: ArgumentsOf<Name> } {
  const portal = { address: text, port: 1 };
  return {
    mountVolumes: { mounts: [{ volumeId: text, path: text }] },
    unmountVolume: { volumeId: text, path: text },
    mountedVolume: { path: text },
    flushVolume: { volumeId: text },
    formatVolume: { volumeId: text },
    partitionSizes: { volumeId: text },
    resizePartition: { volumeId: text, sizeBytes: text },
    smbMapping: { root: text },
    newSmbMapping: { root: text, username: text, password: text, requirePrivacy: true },
    removeSmbMapping: { root: text },
    addPortal: portal,
    removePortal: portal,
    listTargets: portal,
    connectTarget: { ...portal, iqn: text, authentication: 'ONEWAYCHAP', username: text, secret: text },
    disconnectTarget: { ...portal, iqn: text },
    targetDisks: { ...portal, iqn: text },
    setChapSecret: { secret: text },
    getService: { name: text },
    startService: { name: text },
    stopService: { name: text },
    runningDependents: { name: text },
  };
}

for (const text of HOSTILE) {
  test(`carried as data (CSI-WORKER-1): ${JSON.stringify(text.slice(0, 40))}`, async () => {
    const { worker, processes } = start();
    const operations = operationsWith(text);
    const asked = (Object.keys(operations) as OperationName[]).map((name) =>
      worker.ask(name, operations[name] as ArgumentsOf<typeof name>).catch((error: unknown) => error),
    );
    const [process] = processes;
    assert.is(process?.lines.length, Object.keys(operations).length);
    for (const [index, [operation, given]] of Object.entries(operations).entries()) {
      const line = process?.lines[index] ?? '';
      assert.match(line, /^[\x20-\x7e]+$/, 'one line of printable ASCII');
      assert.equal(process?.request(index), { id: index + 1, operation, arguments: given });
    }
    process?.die('exit code 1');
    await Promise.all(asked);
  });
}

test('the process is started with nothing of a caller (CSI-WORKER-1)', () => {
  const command = powerShellCommand('C:\\Windows');
  assert.is(command.program, 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
  assert.equal(command.arguments.slice(-2), ['-Command', '& $env:TROUPE_CSI_PROXY_WORKER']);
  assert.ok(command.arguments.includes('-NoProfile') && command.arguments.includes('-NonInteractive'));
  assert.equal(Object.keys(command.environment), ['TROUPE_CSI_PROXY_WORKER']);
  assert.match(command.environment['TROUPE_CSI_PROXY_WORKER'] ?? '', /windows.worker\.ps1$/);
});

test('answers come in any order, each to who asked', async () => {
  const { worker, processes } = start();
  const serial = worker.ask('biosSerialNumber', {});
  const code = worker.ask('startService', { name: 'x' });
  const volume = worker.ask('mountedVolume', { path: 'C:\\x\\' });
  const [process] = processes;
  process?.say({ ready: true });
  process?.say({ id: 3, value: { volumeId: null } });
  process?.say({ id: 2, value: { code: 10 } });
  process?.say('not JSON');
  process?.say({ id: 99, value: 1 });
  process?.say({ id: 1, value: { serialNumber: 'S' } });
  assert.equal([await serial, await code, await volume], ['S', 10, undefined]);
  assert.is(processes.length, 1);
});

test('what Windows says is told by its kind', async () => {
  const { worker, processes } = start();
  const asked = ['absent', 'state', 'other', 'new'].map((kind, index) => {
    const work = worker.ask('flushVolume', { volumeId: 'x' });
    processes[0]?.say({ id: index + 1, error: { kind, message: `it is ${kind}` } });
    return work;
  });
  const codes = [Code.NotFound, Code.FailedPrecondition, Code.Unknown, Code.Unknown];
  for (const [index, work] of asked.entries()) await refused(work, codes[index] ?? Code.Ok, /^it is /);
});

test('an error that says nothing is one, too', async () => {
  const { worker, processes } = start();
  const asked = worker.ask('flushVolume', { volumeId: 'x' });
  processes[0]?.say({ id: 1, error: null });
  await refused(asked, Code.Unknown, /^the worker answered /);
});

for (const value of [null, {}, { disks: {} }, { disks: [], partitions: [], volumes: [{ id: 1 }] }]) {
  test(`an answer that is none fails: ${JSON.stringify(value)}`, async () => {
    const { worker, processes } = start();
    const asked = worker.ask('listStorage', {});
    processes[0]?.say({ id: 1, value });
    await refused(asked, Code.Unknown, /^listStorage: the worker answered /);
  });
}

test('when it ends, what was asked fails and is not repeated; the next request starts another (CSI-WORKER-2)', async () => {
  const { worker, processes } = start();
  const format = worker.ask('formatVolume', { volumeId: 'x' });
  processes[0]?.die('exit code 3');
  await refused(format, Code.Unknown, 'PowerShell ended (exit code 3); whether the work was done is not known');
  assert.instance(await format.catch((error: unknown) => error), UnknownEndError);
  assert.is(processes.length, 1);
  const serial = worker.ask('biosSerialNumber', {});
  assert.is(processes.length, 2);
  assert.is(processes[1]?.lines.length, 1);
  processes[1]?.say({ id: 2, value: { serialNumber: 'S' } });
  assert.is(await serial, 'S');
});

test('one that does not get ready in a minute is ended', async () => {
  const { worker, processes, clock } = start();
  const asked = worker.ask('biosSerialNumber', {});
  await clock.sleep(59_000);
  assert.is(processes[0]?.kills, 0);
  await clock.sleep(2_000);
  assert.is(processes[0]?.kills, 1);
  await refused(asked, Code.Unknown);
});

test('one that is ready may take as long as it wants', async () => {
  const { worker, processes, clock } = start();
  const format = worker.ask('formatVolume', { volumeId: 'x' });
  processes[0]?.say({ ready: true });
  await clock.sleep(600_000);
  assert.is(processes[0]?.kills, 0);
  processes[0]?.say({ id: 1, value: { disks: [], partitions: [], volumes: [] } });
  await format;
});

test('closing lets it end, and kills it if it does not', async () => {
  const polite = start();
  void polite.worker.ask('flushVolume', { volumeId: 'x' }).catch(() => undefined);
  const closed = polite.worker.close();
  assert.ok(polite.processes[0]?.isEnded);
  polite.processes[0]?.die('exit code 0');
  await closed;
  assert.is(polite.processes[0]?.kills, 0);
  await refused(polite.worker.ask('biosSerialNumber', {}), Code.Unavailable);

  const stubborn = start();
  void stubborn.worker.ask('flushVolume', { volumeId: 'x' }).catch(() => undefined);
  const killed = stubborn.worker.close();
  await stubborn.clock.sleep(6_000);
  await killed;
  assert.is(stubborn.processes[0]?.kills, 1);
});

/** Answers every request with the name that it was given, in UTF-8, as the script does. */
const ECHO = `
  const { createInterface } = require('node:readline');
  console.log('{"ready":true}');
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, arguments: { name } } = JSON.parse(line);
    console.log(JSON.stringify({ id, value: { displayName: name, startMode: String(process.argv.length), state: '' } }));
  });
`;

test('through a real process every text comes back as it went in', async () => {
  const command = { program: process.execPath, arguments: ['-e', ECHO], environment: {} };
  let starts = 0;
  const worker = new PowerShellWorker({
    start: () => {
      starts++;
      return startWorkerProcess(command, { environment: {}, log });
    },
    clock: systemClock(),
    log,
  });
  const names = await Promise.all(HOSTILE.map((name) => worker.ask('getService', { name })));
  assert.equal(
    names.map(({ displayName }) => displayName),
    HOSTILE,
  );
  await worker.close();
  assert.is(starts, 1);
});

test('an answer that never comes ends at its limit, and another worker is asked from then on (CSI-WORKER-3)', async () => {
  const { worker, processes, clock } = start();
  const lost = worker.ask('listStorage', {});
  const format = worker.ask('formatVolume', { volumeId: 'v' });
  processes[0]?.say({ ready: true });
  const ends = refused(lost, Code.DeadlineExceeded, /PowerShell did not answer to listStorage within 60000 ms/);
  await clock.sleep(60_000);
  await ends;
  assert.instance(await lost.catch((error: unknown) => error), UnknownEndError);
  const [old, other] = processes;
  assert.is(old?.kills, 0, 'the format is under way');
  assert.match(worker.ready() ?? '', 'did not answer in time');
  const serial = worker.ask('biosSerialNumber', {});
  other?.say({ ready: true });
  assert.is(worker.ready(), undefined);
  other?.say({ id: other.request(0).id, value: { serialNumber: 'abc' } });
  assert.is(await serial, 'abc');
  old?.say({ id: old.request(1).id, error: { kind: 'other', message: 'no' } });
  await refused(format, Code.Unknown, /no/);
  assert.not.instance(await format.catch((error: unknown) => error), UnknownEndError);
  assert.is(old?.kills, 1, 'nobody waits for the old one any more');
  assert.is(processes.length, 2);
  other?.say({ ready: true });
});

test('whoever waits behind an answer that never comes is answered by the next listing', async () => {
  const { worker, processes, clock } = start();
  const host = windowsHost({ worker, clock, files: realFiles({ drives: 'own' }) });
  const first = refused(host.disk.rescan(), Code.DeadlineExceeded);
  const behind = host.disk.rescan();
  processes[0]?.say({ ready: true });
  await clock.sleep(180_000);
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  const [, other] = processes;
  other?.say({ ready: true });
  other?.say({ id: other.request(0).id, value: {} });
  await behind;
  assert.is(host.ready?.(), undefined);
});

test('a program that is not there is said', async () => {
  const command = { program: '/nowhere/powershell.exe', arguments: [], environment: {} };
  const worker = new PowerShellWorker({
    start: () => startWorkerProcess(command, { environment: {}, log }),
    clock: systemClock(),
    log,
  });
  await refused(worker.ask('biosSerialNumber', {}), Code.Unknown, /PowerShell ended \(spawn .*ENOENT\)/);
  await worker.close();
});

test.run();
