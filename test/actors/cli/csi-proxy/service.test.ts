// The csi-proxy as a service of Windows, on a Windows that is made up: what it reports, what it is told, and its commands.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandLine } from '../../../../actors/cli/csi-proxy/service/command-line.ts';
import {
  install,
  SERVICE_NAME,
  type ServiceCommandDeps,
  status,
  uninstall,
} from '../../../../actors/cli/csi-proxy/service/commands.ts';
import { placed } from '../../../../actors/cli/csi-proxy/service/koffi.ts';
import {
  type InstalledService,
  type NewService,
  type ServiceManager,
  type ServiceReport,
  ServiceState,
  WindowsCode,
  WindowsError,
} from '../../../../actors/cli/csi-proxy/service/ports.ts';
import { WindowsService } from '../../../../actors/cli/csi-proxy/service/windows-service.ts';
import { TerminalError, TransientError } from '../../../../bus/errors.ts';
import { quickClock } from '../../../adapters/csi-proxy/quick-clock.ts';
import { fc } from '../../../world/properties.ts';
import { written } from '../../../world/written.ts';

const test = suite('the csi-proxy as a service');

const DRAIN_MS = 30_000;
const STOP = 1;
const INTERROGATE = 4;
const SHUTDOWN = 5;

/** A service that has begun. */
async function begun() {
  const reports: ServiceReport[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let control: (control: number) => number = () => -1;
  const service = await WindowsService.begin({
    drainMs: DRAIN_MS,
    process: {
      async connect(events) {
        control = events.control;
        return { ended };
      },
      report(report) {
        reports.push(report);
        if (report.state === ServiceState.Stopped) end();
      },
    },
  });
  return {
    service,
    control: (code: number) => control(code),
    reports,
    states: () => reports.map(({ state }) => state),
  };
}

test('each state is reported as soon as it holds, and with when the next one comes (CLI-WINDOWS-SERVICE-1)', async () => {
  const { service, reports, control } = await begun();
  service.running();
  control(STOP);
  await service.stopped(0);
  const plain = { accepted: 0, exitCode: 0, specificCode: 0, withinMs: 0 };
  assert.equal(reports, [
    { ...plain, state: ServiceState.StartPending, withinMs: 60_000 },
    { ...plain, state: ServiceState.Running, accepted: 13 },
    { ...plain, state: ServiceState.StopPending, withinMs: DRAIN_MS + 10_000 },
    { ...plain, state: ServiceState.Stopped },
  ]);
});

test('it is told to stop once, by whichever control, and others change nothing (CLI-WINDOWS-SERVICE-2)', async () => {
  for (const [first, second] of [
    [STOP, SHUTDOWN],
    [SHUTDOWN, STOP],
  ] as const) {
    const { service, control, states } = await begun();
    service.running();
    assert.equal([control(INTERROGATE), control(128)], [0, WindowsCode.NotImplemented]);
    assert.not.ok(service.stop.aborted);
    assert.equal([control(first), control(second)], [0, 0]);
    assert.ok(service.stop.aborted);
    assert.equal(states(), [ServiceState.StartPending, ServiceState.Running, ServiceState.StopPending]);
  }
});

test('what is told to stop while it starts is not running afterwards', async () => {
  const { service, control, states } = await begun();
  control(SHUTDOWN);
  service.running();
  assert.equal(states(), [ServiceState.StartPending, ServiceState.StopPending]);
});

test('an end that nobody asked for is a failure, and is told once, also as the last thing of the process (CLI-WINDOWS-SERVICE-1)', async () => {
  const { service, reports } = await begun();
  service.reportStopped(7);
  await service.stopped(1);
  assert.equal(
    reports.slice(1).map(({ state, exitCode, specificCode }) => [state, exitCode, specificCode]),
    [[ServiceState.Stopped, WindowsCode.ServiceSpecific, 7]],
  );
});

/** The services of a machine. A stop takes some looks, or never comes. */
function machine({ looks = 3 }: { looks?: number } = {}) {
  const services = new Map<string, NewService & { state: ServiceState }>();
  let left = looks;
  const named = (name: string) => {
    const found = services.get(name);
    if (found === undefined) throw new WindowsError(`service ${name}`, WindowsCode.NoSuchService);
    return found;
  };
  const manager: ServiceManager = {
    create: (service) => void services.set(service.name, { ...service, state: ServiceState.Stopped }),
    query(name): InstalledService | undefined {
      const found = services.get(name);
      if (found === undefined) return undefined;
      if (found.state === ServiceState.StopPending && left-- <= 0) found.state = ServiceState.Stopped;
      const { state, command } = found;
      return { state, command, processId: state === ServiceState.Stopped ? 0 : 42 };
    },
    stop(name) {
      const service = named(name);
      if (service.state === ServiceState.Stopped) throw new WindowsError(name, WindowsCode.NotRunning);
      service.state = ServiceState.StopPending;
    },
    remove(name) {
      assert.is(named(name).state, ServiceState.Stopped, 'only what has stopped is removed');
      services.delete(name);
    },
  };
  let printed = '';
  const out = written((text) => {
    printed += text;
  });
  const deps: ServiceCommandDeps = {
    manager,
    clock: quickClock(),
    executable: 'C:\\Program Files\\csi-proxy.exe',
    out,
  };
  return {
    deps,
    services,
    /** What was printed since it was asked for the last time. */
    said: () => {
      const all = printed;
      printed = '';
      return all;
    },
  };
}

async function refusal(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it was not refused');
}

test('it is installed with its flags, told of, and uninstalled when it has stopped', async () => {
  const { deps, services, said } = machine();
  assert.equal([await status(deps), said()], [1, 'csiproxy: not installed\n']);
  assert.is(await install(['-v=4', '-logtostderr=false', '-log_file=C:\\my logs\\a.log'], deps), 0);
  const command =
    '"C:\\Program Files\\csi-proxy.exe" --windows-service -v=4 -logtostderr=false "-log_file=C:\\my logs\\a.log"';
  assert.is(said(), `installed: service csiproxy runs ${command}\nstart it: sc.exe start csiproxy\n`);
  const service = services.get(SERVICE_NAME);
  assert.equal([service?.command, service?.restartAfterMs], [command, 10_000]);
  assert.equal([await status(deps), said()], [1, `csiproxy: stopped\n  ${command}\n`]);
  if (service !== undefined) service.state = ServiceState.Running;
  assert.equal([await status(deps), said()], [0, `csiproxy: running, process 42\n  ${command}\n`]);
  assert.equal([await uninstall(deps), said(), services.size], [0, 'uninstalled: service csiproxy\n', 0]);
});

test('a log that nobody could read is told of; the flag of the original is not given twice', async () => {
  const { deps, services, said } = machine();
  await install(['-windows-service', '-kubelet-path=C:\\k'], deps);
  assert.match(said(), /^its log goes nowhere: /m);
  assert.is(
    services.get(SERVICE_NAME)?.command,
    '"C:\\Program Files\\csi-proxy.exe" -windows-service -kubelet-path=C:\\k',
  );
});

test('what makes no sense is refused before anything is done', async () => {
  const { deps, services } = machine();
  const misspelt = await refusal(install(['-log_fil=x'], deps));
  assert.instance(misspelt, TerminalError);
  assert.match(misspelt.message, /there is no flag --log_fil; did you mean '--log_file'\?$/);
  assert.is(services.size, 0);
  assert.match((await refusal(uninstall(deps))).message, /^there is no service csiproxy$/);
  await install([], deps);
  assert.match((await refusal(install([], deps))).message, /^there is a service csiproxy already: /);
});

test('what Windows refuses is one line; a service that does not stop stays', async () => {
  const denied: ServiceManager = {
    ...machine().deps.manager,
    query() {
      throw new WindowsError('cannot open the service control manager', 5);
    },
  };
  const error = await refusal(install([], { ...machine().deps, manager: denied }));
  assert.instance(error, TerminalError);
  assert.is(
    error.message,
    'cannot open the service control manager: access is denied: an administrator may do it (error 5)',
  );
  const { deps, services } = machine({ looks: Number.POSITIVE_INFINITY });
  await install([], deps);
  const service = services.get(SERVICE_NAME);
  if (service !== undefined) service.state = ServiceState.Running;
  const late = await refusal(uninstall(deps));
  assert.instance(late, TransientError);
  assert.match(late.message, /^service csiproxy does not stop \(stopping\); it is not removed$/);
  assert.is(services.size, 1);
});

/** As programs of Windows take a command line apart: by the rules of `CommandLineToArgvW`. */
function words(line: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  for (const [, slashes = '', sign = ''] of line.matchAll(/(\\*)([^\\]|$)/g)) {
    if (slashes !== '' || (sign !== '' && (isQuoted || !/\s/.test(sign)))) word ??= '';
    if (sign === '"') {
      word += '\\'.repeat(Math.floor(slashes.length / 2));
      if (slashes.length % 2 === 1) word += '"';
      else isQuoted = !isQuoted;
    } else if (word !== undefined) {
      word += slashes;
      if (sign !== '' && (isQuoted || !/\s/.test(sign))) word += sign;
      else {
        found.push(word);
        word = undefined;
      }
    }
  }
  return found;
}

test('a program gets the very words that a command line was made of', () => {
  for (const [given, line] of [
    [['a', 'b c'], 'a "b c"'],
    [[''], '""'],
    [['C:\\a b\\'], '"C:\\a b\\\\"'],
    [['say "x"'], '"say \\"x\\""'],
    [['a\\"b'], '"a\\\\\\"b"'],
  ] as const) {
    assert.is(commandLine(given), line);
  }
  const word = fc.string({ unit: fc.constantFrom('a', ' ', '\\', '"', '=') });
  fc.assert(fc.property(fc.array(word, { minLength: 1 }), (given) => assert.equal(words(commandLine(given)), given)));
});

test('the native part is put beside the executable, under a name that tells its content, and written once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-native-'));
  try {
    const [first, second] = [Buffer.from('one'), Buffer.from('two')];
    const file = placed(first, folder);
    assert.equal(readFileSync(file), first);
    const other = placed(second, folder);
    assert.not.equal(other, file);
    assert.equal(placed(first, folder), file);
    // What somebody else put there is not loaded.
    writeFileSync(file, 'three');
    assert.equal(readFileSync(placed(first, folder)), first);
    assert.is(readdirSync(folder).length, 2);
    assert.throws(
      () => placed(first, join(folder, 'none')),
      (error: unknown) =>
        error instanceof TerminalError && /a service needs .* it cannot be written: /.test(error.message),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
