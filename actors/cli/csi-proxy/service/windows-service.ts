// The lifecycle of a process as a service of Windows: its reports, and its reactions to control codes.
//
// Invariants:
//   CLI-WINDOWS-SERVICE-1. Each state is reported as soon as it holds; the last report is that the service has stopped, whatever ended it.
//   CLI-WINDOWS-SERVICE-2. A control is answered at once: Windows, and with it every service, waits for the answer.
import { type ServiceProcess, type ServiceReport, ServiceState, WindowsCode } from './ports.ts';

const Control = { Stop: 1, Interrogate: 4, Shutdown: 5, ParamChange: 6 } as const;
/** Accepted controls, as in the original: stop, shutdown and change of parameters. */
const ACCEPTED = 0x1 | 0x4 | 0x8;
/** Longest time from the start of the process until its pipes are served. */
const START_LIMIT_MS = 60_000;
/** Time for stopping, in addition to that of running calls. */
const STOP_MARGIN_MS = 10_000;

export interface WindowsServiceDeps {
  readonly process: ServiceProcess;
  /** Time for running calls to finish after a stop. */
  readonly drainMs: number;
}

export class WindowsService {
  readonly #process: ServiceProcess;
  readonly #drainMs: number;
  readonly #stop = new AbortController();
  #reported: ServiceState = ServiceState.Stopped;
  #ended: Promise<void> = Promise.resolve();

  private constructor({ process, drainMs }: WindowsServiceDeps) {
    this.#process = process;
    this.#drainMs = drainMs;
  }

  /** @throws {WindowsError} Windows did not start the process as a service */
  static async begin(deps: WindowsServiceDeps): Promise<WindowsService> {
    const service = new WindowsService(deps);
    const { ended } = await deps.process.connect({ control: (control) => service.#control(control) });
    service.#ended = ended;
    service.#report({ state: ServiceState.StartPending, withinMs: START_LIMIT_MS });
    return service;
  }

  /** Aborted when Windows stops the service. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  running(): void {
    // A service that was stopped while it started continues with the stop.
    if (!this.stop.aborted) this.#report({ state: ServiceState.Running, accepted: ACCEPTED });
  }

  /** @param code  the process's own exit code; 0: it was stopped */
  async stopped(code: number): Promise<void> {
    this.reportStopped(code);
    await this.#ended;
  }

  /** The same, synchronously, at the end of the process. */
  reportStopped(code: number): void {
    if (this.#reported === ServiceState.Stopped) return;
    const exitCode = code === 0 ? 0 : WindowsCode.ServiceSpecific;
    this.#report({ state: ServiceState.Stopped, exitCode, specificCode: code });
  }

  #control(control: number): number {
    switch (control) {
      case Control.Stop:
      case Control.Shutdown:
        if (!this.stop.aborted) {
          this.#report({ state: ServiceState.StopPending, withinMs: this.#drainMs + STOP_MARGIN_MS });
          this.#stop.abort();
        }
        return 0;
      case Control.Interrogate: // Windows has the last report.
      case Control.ParamChange:
        return 0;
      default:
        return WindowsCode.NotImplemented;
    }
  }

  #report({
    state,
    accepted = 0,
    exitCode = 0,
    specificCode = 0,
    withinMs = 0,
  }: Pick<ServiceReport, 'state'> & Partial<ServiceReport>): void {
    this.#reported = state;
    this.#process.report({ state, accepted, exitCode, specificCode, withinMs });
  }
}
