// `csi-proxy.exe install`, `uninstall` and `status`: the csi-proxy as a service of Windows.
import { readFlags } from '../../../../adapters/csi-proxy/server/flags.ts';
import { TerminalError, TransientError } from '../../../../bus/errors.ts';
import type { Clock } from '../../../../bus/time.ts';
import { commandLine } from './command-line.ts';
import { type ServiceManager, ServiceState, WindowsCode, WindowsError } from './ports.ts';

/** As the original is called. */
export const SERVICE_NAME = 'csiproxy';

const DESCRIPTION =
  'Does the disk, volume, file, SMB and iSCSI work of CSI drivers that run in containers of this node.';
const RESTART_AFTER_MS = 10_000;
const LOOK_AGAIN_MS = 200;
/** Beyond what calls may take that run (`--drain-ms`). */
const STOP_LIMIT_MS = 120_000;
/** The flag that makes `serve` a service. */
const SERVICE_FLAG = '--windows-service';

const STATE_NAMES: Readonly<Record<ServiceState, string>> = {
  1: 'stopped',
  2: 'starting',
  3: 'stopping',
  4: 'running',
  5: 'continuing',
  6: 'pausing',
  7: 'paused',
};

export interface ServiceCommandDeps {
  readonly manager: ServiceManager;
  readonly clock: Clock;
  /** Path of the executable. */
  readonly executable: string;
  readonly out: NodeJS.WritableStream;
}

/**
 * @param flags  those of `serve`, for the service
 * @throws {TerminalError} a flag makes no sense, or Windows refuses
 */
export async function install(flags: readonly string[], deps: ServiceCommandDeps): Promise<number> {
  const { manager, executable, out } = deps;
  const { log, isService } = readFlags(flags, 'win32');
  const command = commandLine([executable, ...(isService ? [] : [SERVICE_FLAG]), ...flags]);
  if (windows(() => manager.query(SERVICE_NAME)) !== undefined) {
    throw new TerminalError(
      `there is a service ${SERVICE_NAME} already: 'status' prints its command line, 'uninstall' removes it`,
    );
  }
  windows(() =>
    manager.create({
      name: SERVICE_NAME,
      displayName: 'CSI Proxy',
      description: DESCRIPTION,
      command,
      restartAfterMs: RESTART_AFTER_MS,
    }),
  );
  out.write(`installed: service ${SERVICE_NAME} runs ${command}\n`);
  if (log.files === undefined) {
    out.write('its log goes nowhere: a service has no standard error; -logtostderr=false -log_file=FILE keeps it\n');
  }
  out.write(`start it: sc.exe start ${SERVICE_NAME}\n`);
  return 0;
}

/** Stops it first, and waits until it has. @throws {TransientError} that takes too long */
export async function uninstall({ manager, clock, out }: ServiceCommandDeps): Promise<number> {
  const look = () => windows(() => manager.query(SERVICE_NAME));
  let found = look();
  if (found === undefined) throw new TerminalError(`there is no service ${SERVICE_NAME}`);
  const givenUpAt = clock.now() + STOP_LIMIT_MS;
  if (found.state !== ServiceState.Stopped && found.state !== ServiceState.StopPending) {
    windows(() => stopIfRunning(manager));
  }
  while (found !== undefined && found.state !== ServiceState.Stopped) {
    if (clock.now() >= givenUpAt) {
      throw new TransientError(
        `service ${SERVICE_NAME} does not stop (${STATE_NAMES[found.state]}); it is not removed`,
      );
    }
    await clock.sleep(LOOK_AGAIN_MS);
    found = look();
  }
  windows(() => manager.remove(SERVICE_NAME));
  out.write(`uninstalled: service ${SERVICE_NAME}\n`);
  return 0;
}

/** @returns 0: it runs, 1: it does not */
export async function status({ manager, out }: ServiceCommandDeps): Promise<number> {
  const found = windows(() => manager.query(SERVICE_NAME));
  if (found === undefined) {
    out.write(`${SERVICE_NAME}: not installed\n`);
    return 1;
  }
  const { state, processId, command } = found;
  const running = processId === 0 ? '' : `, process ${processId}`;
  out.write(`${SERVICE_NAME}: ${STATE_NAMES[state] ?? `in state ${state}`}${running}\n  ${command}\n`);
  return state === ServiceState.Running ? 0 : 1;
}

function stopIfRunning(manager: ServiceManager): void {
  try {
    manager.stop(SERVICE_NAME);
  } catch (error) {
    // It has ended on its own meanwhile.
    if (!(error instanceof WindowsError) || error.code !== WindowsCode.NotRunning) throw error;
  }
}

/** An error of Windows is for the person who typed the command. */
function windows<Result>(ask: () => Result): Result {
  try {
    return ask();
  } catch (error) {
    throw error instanceof WindowsError ? new TerminalError(error.message, { cause: error }) : error;
  }
}
