// The node and its services.

import { Code, StatusError } from '../../base/status.ts';
import type { SystemHost } from '../../hosts/host.ts';
import type { KeyedMutex } from '../../hosts/keyed-mutex.ts';
import type { GroupDeps } from '../group-deps.ts';
import type { CallContext } from '../runtime.ts';
import * as internal from './internal/types.ts';

export class Server {
  readonly #system: SystemHost;
  readonly #lanes: KeyedMutex;
  readonly #services: ReadonlySet<string> | 'all';

  constructor({ host, lanes, services }: GroupDeps) {
    this.#system = host.system;
    this.#lanes = lanes;
    this.#services = services;
  }

  async getBIOSSerialNumber(
    _context: CallContext,
    _request: internal.GetBIOSSerialNumberRequest,
    _version: string,
  ): Promise<internal.GetBIOSSerialNumberResponse> {
    return { serialNumber: await this.#system.getBIOSSerialNumber() };
  }

  async startService(
    { signal }: CallContext,
    { name }: internal.StartServiceRequest,
    _version: string,
  ): Promise<internal.StartServiceResponse> {
    this.#requireAllowed(name);
    await this.#lanes.run(`service ${name.toLowerCase()}`, signal, () => this.#system.startService(name));
    return {};
  }

  async stopService(
    { signal }: CallContext,
    { name, force }: internal.StopServiceRequest,
    _version: string,
  ): Promise<internal.StopServiceResponse> {
    this.#requireAllowed(name);
    const dependents = force ? 'stopped' : 'refused';
    await this.#lanes.run(`service ${name.toLowerCase()}`, signal, () =>
      this.#system.stopService(name, { dependents }),
    );
    return {};
  }

  async getService(
    _context: CallContext,
    { name }: internal.GetServiceRequest,
    _version: string,
  ): Promise<internal.GetServiceResponse> {
    this.#requireAllowed(name);
    const { displayName, startType, status } = await this.#system.getService(name);
    return {
      displayName,
      startType: internal.StartType[startType],
      status: internal.ServiceStatus[status],
    };
  }

  #requireAllowed(name: string): void {
    if (name === '') throw new StatusError(Code.InvalidArgument, 'service name is empty');
    if (this.#services === 'all' || this.#services.has(name.toLowerCase())) return;
    throw new StatusError(
      Code.PermissionDenied,
      `service ${name} is not one that may be asked for: [${[...this.#services].join(' ')}]`,
    );
  }
}
