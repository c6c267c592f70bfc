// The machine of a node by way of csi-proxy, as its WindowsStorageNode says it now. What leads there is kept for as long as that is so.
//
// Invariant: a machine opened for settings that are no longer in use is closed; running calls end before.
import type { Clock } from '../../../bus/time.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { ServePorts } from '../../api/adapter.ts';
import { holderOf } from '../node-names.ts';
import type { Machine } from '../operations/serving.ts';
import { STORAGE_NODES } from '../resources.ts';
import { textOf } from '../values.ts';
import { Groups } from './groups.ts';
import { pipeMachine } from './looks.ts';
import { pipeSettings } from './settings.ts';
import { USABLE } from './storage.ts';

export interface PipeMachinesDeps extends Pick<ServePorts, 'listObjects'> {
  readonly clock: Clock;
  readonly node: string;
}

/** One machine for each node, and briefly another one while its settings change. */
const MOST_KEPT = 2;

export class PipeMachines {
  readonly #deps: PipeMachinesDeps;
  /** Machines by the settings they were opened for, the most recently used last. */
  readonly #kept = new Map<string, Machine & { close(): void }>();

  constructor(deps: PipeMachinesDeps) {
    this.#deps = deps;
  }

  /**
   * @param endpoint last known endpoint, for when the object that names it does not exist any more
   * @returns undefined: the node names no csi-proxy by now
   * @throws {TerminalError} it is no endpoint
   */
  async of(object: KubeObject, endpoint: string): Promise<Machine | undefined> {
    const { spec = {} } = (await this.#nodeOf(object)) ?? { spec: { endpoint } };
    if (textOf(spec['endpoint']) === '') return undefined;
    const settings = pipeSettings(spec);
    const key = JSON.stringify(settings);
    const machine = this.#kept.get(key) ?? this.#open(settings);
    this.#kept.delete(key);
    this.#kept.set(key, machine);
    for (const [old, { close }] of [...this.#kept].slice(0, -MOST_KEPT)) {
      this.#kept.delete(old);
      close();
    }
    return machine;
  }

  close(): void {
    for (const { close } of this.#kept.values()) close();
    this.#kept.clear();
  }

  /** Object of the namespace that represents the node. */
  async #nodeOf(object: KubeObject): Promise<KubeObject | undefined> {
    if (object.kind === STORAGE_NODES.kind) return object;
    const { listObjects, node } = this.#deps;
    const nodes = await listObjects(STORAGE_NODES);
    return holderOf(
      nodes.filter(({ metadata }) => metadata.namespace === object.metadata.namespace),
      node,
    );
  }

  #open(settings: ReturnType<typeof pipeSettings>): Machine & { close(): void } {
    const groups = new Groups({ clock: this.#deps.clock, settings });
    const { host, looks } = pipeMachine(groups, this.#deps.clock);
    let serial: string | undefined;
    return {
      host,
      looks,
      async machine() {
        serial ??= await host.system.getBIOSSerialNumber();
        return serial;
      },
      served: () => groups.served(USABLE),
      close: () => groups.close(),
    };
  }
}
