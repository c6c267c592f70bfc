// The services of a made-up machine.
import type { Clock } from '../../../../bus/mod.ts';
import { Code, StatusError } from '../../base/status.ts';
import type { ServiceState, StartMode } from '../host.ts';
import type { ServiceControl } from '../services.ts';

export interface MemoryService {
  readonly name: string;
  readonly displayName: string;
  readonly startType: StartMode;
  readonly status: ServiceState;
  /** Names of the services that it needs. */
  readonly needs?: readonly string[];
  /** Time to start or to stop, in milliseconds; `Infinity`: it never ends. */
  readonly takesMs?: number;
}

/** Return codes of Win32_Service. */
const SUCCESS = 0;
const DEPENDENTS_RUNNING = 3;
const CANNOT_ACCEPT_CONTROL = 5;
const ALREADY_RUNNING = 10;
const DISABLED = 14;

export class MemoryServices {
  readonly #clock: Clock;
  readonly #services = new Map<string, MemoryService & { status: ServiceState }>();

  constructor({ clock, services }: { clock: Clock; services: readonly MemoryService[] }) {
    this.#clock = clock;
    for (const service of services) this.add(service);
  }

  add(service: MemoryService): void {
    this.#services.set(service.name.toLowerCase(), { ...service });
  }

  isRunning(name: string): boolean {
    return this.#services.get(name.toLowerCase())?.status === 'RUNNING';
  }

  control(): ServiceControl {
    return {
      query: async (name) => {
        const { displayName, startType, status } = this.#service(name);
        return { displayName, startType, status };
      },
      start: async (name) => this.#start(name, new Set()),
      stop: async (name) => {
        if (this.#runningDependents(name).length > 0) return DEPENDENTS_RUNNING;
        if (this.#service(name).status !== 'RUNNING') return CANNOT_ACCEPT_CONTROL;
        this.#turn(name, 'STOP_PENDING', 'STOPPED');
        return SUCCESS;
      },
      runningDependents: async (name) => this.#runningDependents(name),
    };
  }

  /** @param begun  what is being started already, for its sake: in a circle of services each needs the others */
  #start(name: string, begun: Set<MemoryService>): number {
    const service = this.#service(name);
    if (service.status !== 'STOPPED' || begun.has(service)) return ALREADY_RUNNING;
    if (service.startType === 'DISABLED') return DISABLED;
    begun.add(service);
    for (const needed of service.needs ?? []) this.#start(needed, begun);
    this.#turn(name, 'START_PENDING', 'RUNNING');
    return SUCCESS;
  }

  #turn(name: string, pending: ServiceState, status: ServiceState): void {
    const service = this.#service(name);
    if (service.takesMs === undefined) {
      service.status = status;
      return;
    }
    service.status = pending;
    this.#clock.setTimeout(() => {
      service.status = status;
    }, service.takesMs);
  }

  #runningDependents(name: string): string[] {
    const wanted = this.#service(name).name.toLowerCase();
    return [...this.#services.values()]
      .filter(({ needs = [], status }) => status === 'RUNNING' && needs.some((need) => need.toLowerCase() === wanted))
      .map((service) => service.name);
  }

  #service(name: string): MemoryService & { status: ServiceState } {
    const service = this.#services.get(name.toLowerCase());
    if (service === undefined) throw new StatusError(Code.NotFound, `there is no service ${name}`);
    return service;
  }
}
