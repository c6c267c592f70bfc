// Starting and stopping services of Windows, which is asking for it and then looking whether it has come to pass.
import type { Clock } from '../../../bus/mod.ts';
import { Code, StatusError } from '../base/status.ts';
import type { Service, ServiceState, SystemHost } from './host.ts';

const LOOK_AGAIN_MS = 200;
const LONGEST_WAIT_MS = 30_000;

/** Return codes of Win32_Service. */
const SUCCESS = 0;
const DEPENDENTS_RUNNING = 3;
const CANNOT_ACCEPT_CONTROL = 5;
const ALREADY_RUNNING = 10;

/** What Windows itself does. Names are compared without regard to case; an unknown one is `NOT_FOUND`. */
export interface ServiceControl {
  query(name: string): Promise<Service>;
  /** @returns a return code of Win32_Service */
  start(name: string): Promise<number>;
  stop(name: string): Promise<number>;
  /** The names of services that need it and run. */
  runningDependents(name: string): Promise<readonly string[]>;
}

export function services({
  control,
  clock,
}: {
  control: ServiceControl;
  clock: Clock;
}): Omit<SystemHost, 'getBIOSSerialNumber'> {
  const isIn = async (name: string, wanted: ServiceState): Promise<boolean> =>
    (await control.query(name)).status === wanted;

  const waitFor = async (name: string, wanted: ServiceState, what: string): Promise<void> => {
    const givenUpAt = clock.now() + LONGEST_WAIT_MS;
    while (!(await isIn(name, wanted))) {
      if (clock.now() >= givenUpAt) {
        throw new StatusError(Code.DeadlineExceeded, `timed out waiting for service ${name} to ${what}`);
      }
      await clock.sleep(LOOK_AGAIN_MS);
    }
  };

  /**
   * @param above services that wait for this one, each for the next: Windows starts no cycle, but one may be configured
   */
  const stop = async (
    name: string,
    dependents: 'stopped' | 'refused',
    above: readonly string[] = [],
  ): Promise<void> => {
    const line = [...above, name];
    if (above.some((one) => one.toLowerCase() === name.toLowerCase())) {
      const message = `service ${line[0]} is not stopped: services need each other in a circle: ${line.join(', ')}`;
      throw new StatusError(Code.FailedPrecondition, message);
    }
    if (await isIn(name, 'STOPPED')) return;
    let code = await control.stop(name);
    if (code === DEPENDENTS_RUNNING) {
      const running = await control.runningDependents(name);
      if (dependents === 'refused') {
        const names = running.join(', ');
        throw new StatusError(Code.FailedPrecondition, `service ${name} is needed by services that run: ${names}`);
      }
      for (const dependent of running) await stop(dependent, dependents, line);
      code = await control.stop(name);
    }
    if (code !== SUCCESS && code !== CANNOT_ACCEPT_CONTROL) refuse('stop', name, code);
    await waitFor(name, 'STOPPED', 'stop');
  };

  return {
    getService: (name) => control.query(name),
    async startService(name) {
      if (await isIn(name, 'RUNNING')) return;
      const code = await control.start(name);
      if (code !== SUCCESS && code !== ALREADY_RUNNING) refuse('start', name, code);
      await waitFor(name, 'RUNNING', 'become running');
    },
    stopService: (name, { dependents }) => stop(name, dependents),
  };
}

function refuse(verb: string, name: string, returnCode: number): never {
  throw new StatusError(Code.Unknown, `service ${name} did not ${verb}: return code ${returnCode} of Win32_Service`);
}
