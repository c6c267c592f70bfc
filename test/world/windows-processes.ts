// The processes of a world: pods that host actors, and one for each machine, on one bus in memory. Each may end, or be gone from
// one moment to the next, with nothing given back. All that is said on the bus and logged can be read.
import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { Role } from '../../actors/base/config.ts';
import { openLog } from '../../actors/base/log.ts';
import { configure } from '../../actors/process/adapters.ts';
import { type Runtime, startRuntime } from '../../actors/process/runtime.ts';
import type { Host } from '../../adapters/csi-proxy/hosts/host.ts';
import type { KubeClient } from '../../adapters/kubernetes/mod.ts';
import { windowsWith } from '../../adapters/windows/adapter.ts';
import type { Derive } from '../../adapters/windows/operations/serving.ts';
import { type Bus, type Clock, type JsonObject, type MemoryBus, memoryBroker, TransientError } from '../../bus/mod.ts';
import { heardBus } from './heard-bus.ts';
import { usedBy } from './windows-machine.ts';

const CALL_MS = 2_000;

/** Hash of credentials in place of the product's, which is slow on purpose, and computed where a simulated clock sees nothing of it. */
const quickHash: Derive = async (text, salt) => createHash('sha256').update(`${salt} ${text}`).digest().subarray(16);

export interface Faults {
  /** So many of the next requests that take as long as they take find nobody. */
  holds: number;
}

export interface ProcessesDeps {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** A new client of the API server. */
  readonly client: () => KubeClient;
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Of the options of the adapter. */
  readonly env: Readonly<Record<string, string>>;
}

interface Process {
  readonly runtime: Runtime;
  readonly bus: MemoryBus;
  isThere: boolean;
}

export class Processes {
  readonly faults: Faults = { holds: 0 };
  readonly log: JsonObject[] = [];
  /** Mail of all subjects, requests, answers, traces. */
  readonly heard: string[] = [];
  readonly #deps: ProcessesDeps;
  readonly #broker;
  readonly #alive = new Map<string, Process>();
  readonly #ends: Promise<void>[] = [];

  constructor(deps: ProcessesDeps) {
    this.#deps = deps;
    this.#broker = memoryBroker({ clock: deps.clock, leaseMs: deps.leaseMs });
    this.#broker.onMail((change) => this.heard.push(JSON.stringify(change)));
  }

  startPod(id: string): Promise<void> {
    return this.#begin(id, { roles: Object.values(Role), open: () => Promise.reject(new Error('no machine')) });
  }

  /** @param node  what the machine is called */
  startNode(id: string, node: string, host: Host): Promise<void> {
    return this.#begin(id, { roles: ['csi-proxy'], node, open: async (isThere) => usedBy(isThere, host) });
  }

  /** Who hosts the object's actor, as far as somebody does. */
  leaderOf(plural: string, name: string): string | undefined {
    const hosts = [...this.#alive].filter(([, { runtime }]) =>
      [...runtime.hostedObjects()].some(
        ({ address, state }) => state !== '' && address.plural === plural && address.name === name,
      ),
    );
    return hosts.length === 1 ? hosts[0]?.[0] : undefined;
  }

  /** It ends as on SIGTERM. What its machine is at goes on. */
  async end(id: string): Promise<void> {
    const process = this.#alive.get(id);
    this.#alive.delete(id);
    await process?.runtime.close();
    await process?.bus.close();
  }

  /** It is gone as on SIGKILL. What its machine is at goes on. */
  crash(id: string): void {
    const process = this.#alive.get(id);
    if (process === undefined) throw new Error(`there is no process '${id}'`);
    this.#alive.delete(id);
    process.isThere = false;
    process.bus.crash();
    // What is left of it here reaches nobody, and has to end some time.
    this.#ends.push(process.runtime.close().catch(() => undefined));
  }

  async close(): Promise<void> {
    for (const id of [...this.#alive.keys()]) await this.end(id);
    await Promise.all(this.#ends);
  }

  async #begin(
    id: string,
    {
      roles,
      node,
      open,
    }: {
      readonly roles: readonly string[];
      readonly node?: string;
      readonly open: (isThere: () => boolean) => Promise<Host>;
    },
  ): Promise<void> {
    const { clock, env, namespaces } = this.#deps;
    const bus = this.#broker.connect({ clock });
    const state = { isThere: true };
    const isThere = (): boolean => state.isThere;
    const runtime = await startRuntime({
      bus: failing(heardBus(bus, this.heard), this.faults),
      client: ofProcess(this.#deps.client(), isThere),
      clock,
      log: openLog({ level: 'debug', readable: false, destination: this.#destination(isThere) }),
      adapters: [
        configure(
          windowsWith(() => open(isThere), quickHash),
          env,
        ),
      ],
      roles: new Set(roles),
      callMs: CALL_MS,
      events: true,
      nodeName: node,
      namespaces,
    });
    this.#alive.set(id, Object.assign(state, { runtime, bus }));
  }

  #destination(isThere: () => boolean): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const lines = isThere() ? chunk.toString().trim().split('\n') : [];
        for (const line of lines) this.log.push(JSON.parse(line) as JsonObject);
        done();
      },
    });
  }
}

/** What a process that is gone asks for is not asked any more. */
function ofProcess(client: KubeClient, isThere: () => boolean): KubeClient {
  const gone = (): TransientError => new TransientError('the process is gone');
  return {
    ...client,
    call: async (call) => (isThere() ? client.call(call) : Promise.reject(gone())),
    close: () => client.close(),
    async *stream(...args) {
      for await (const event of client.stream(...args)) {
        if (!isThere()) throw gone();
        yield event;
      }
    },
  };
}

/** The bus, of which requests that are to be held may find nobody. */
function failing(bus: Bus, faults: Faults): Bus {
  const { services } = bus;
  const callLong: typeof services.callLong = (...args) =>
    faults.holds-- > 0 ? Promise.reject(new TransientError("no process serves 'format'")) : services.callLong(...args);
  const failingServices = new Proxy(services, {
    get: (target, member) => (member === 'callLong' ? callLong : Reflect.get(target, member, target)),
  });
  return new Proxy(bus, {
    get: (target, member) => (member === 'services' ? failingServices : Reflect.get(target, member, target)),
  });
}
