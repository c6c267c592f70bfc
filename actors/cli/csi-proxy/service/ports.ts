// What Windows is asked about services. Numbers are those of its API.

export const ServiceState = {
  Stopped: 1,
  StartPending: 2,
  StopPending: 3,
  Running: 4,
  ContinuePending: 5,
  PausePending: 6,
  Paused: 7,
} as const;
export type ServiceState = (typeof ServiceState)[keyof typeof ServiceState];

/** Reports to Windows of a process that is a service. */
export interface ServiceReport {
  readonly state: ServiceState;
  /** Controls that it takes, as bits. */
  readonly accepted: number;
  /** A code of Windows; `SERVICE_SPECIFIC_ERROR`: the next one counts. */
  readonly exitCode: number;
  readonly specificCode: number;
  /** Within which the next report comes, of a state that is passed through. */
  readonly withinMs: number;
}

/** The process as a service. */
export interface ServiceProcess {
  /**
   * Connects the process with Windows, once.
   *
   * @param events.control  answers with a code of Windows, and soon: Windows waits for it
   * @returns a promise that resolves when Windows has taken the report that the service is stopped
   * @throws {WindowsError} `NOT_A_SERVICE`: somebody else than Windows started the process
   */
  connect(events: { control(control: number): number }): Promise<{ readonly ended: Promise<void> }>;
  report(report: ServiceReport): void;
}

export interface NewService {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** The whole command line. */
  readonly command: string;
  /** Time after a failure until it is started again. */
  readonly restartAfterMs: number;
}

export interface InstalledService {
  readonly state: ServiceState;
  /** 0: it does not run. */
  readonly processId: number;
  readonly command: string;
}

/** The services of the machine. What it throws is a `WindowsError`. */
export interface ServiceManager {
  /** Started with Windows, by LocalSystem. */
  create(service: NewService): void;
  /** undefined: there is none. */
  query(name: string): InstalledService | undefined;
  /** Asks it to stop, and does not wait for that. */
  stop(name: string): void;
  /** It is removed when it has stopped and no handle to it is open any more. */
  remove(name: string): void;
}

/** Error codes of Windows that decide what is done. */
export const WindowsCode = {
  NotImplemented: 120,
  NotAService: 1_063,
  NoSuchService: 1_060,
  NotRunning: 1_062,
  ServiceSpecific: 1_066,
} as const;

/** Meanings of error codes of Windows, for the person who installs a service. */
const MEANINGS: Readonly<Record<number, string>> = {
  5: 'access is denied: an administrator may do it',
  [WindowsCode.NoSuchService]: 'there is no such service',
  1061: 'the service takes no commands at the moment; try again',
  [WindowsCode.NotRunning]: 'the service does not run',
  [WindowsCode.NotAService]: 'Windows did not start this process as a service',
  1072: 'the service is being removed: close whatever shows services, and try again',
  1073: 'there is such a service already',
  1078: 'another service has its display name',
};

export class WindowsError extends Error {
  override name = 'WindowsError';
  readonly code: number;
  constructor(what: string, code: number) {
    super(`${what}: ${MEANINGS[code] ?? 'Windows refuses it'} (error ${code})`);
    this.code = code;
  }
}
