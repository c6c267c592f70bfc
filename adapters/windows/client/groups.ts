// Connections to one csi-proxy, one for each group, by a version that it serves and that can do what is needed.
//
// Invariants:
//   WIN-GROUPS-1. Of the versions that are served the first that is preferred is used, the newest unless told.
//   WIN-GROUPS-2. The API versions of csi-proxy are always read again after a lost connection, and periodically: the
//       new server may be another version.
import { TransientError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { longLimitMs } from '../../csi-proxy/base/limits.ts';
import { pipePath } from '../../csi-proxy/base/pipes.ts';
import { Code, StatusError } from '../../csi-proxy/base/status.ts';
import { compareVersionNames } from '../../csi-proxy/base/version-name.ts';
import { allServices } from '../../csi-proxy/client/all_services_generated.ts';
import type { Connection } from '../../csi-proxy/client/connection.ts';
import { type ConnectionDeps, openConnection } from '../../csi-proxy/client/open-connection.ts';
import { servedVersions } from '../../csi-proxy/client/open-newest.ts';
import { CallLimiter } from '../../csi-proxy/server/call-limiter.ts';
import { Reason } from '../conditions.ts';
import type { ServedGroup } from '../operations/serving.ts';
import type { PipeSettings } from './settings.ts';

/** Exports of every `client_generated.ts`. */
interface ClientModule {
  readonly groupName: string;
  readonly version: string;
  readonly Client: new (connection: Connection) => { close(): void };
}

type Modules = readonly [ClientModule, ...ClientModule[]];

/** Client and its version; the compiler derives from it which calls exist. */
export type Opened<Module extends ClientModule> = Module extends ClientModule
  ? { readonly version: Module['version']; readonly client: InstanceType<Module['Client']> }
  : never;

/** Age in milliseconds after which the served versions are read again on use. */
const ASK_AGAIN_MS = 600_000;

interface Open {
  readonly version: string;
  readonly client: { close(): void };
}

export interface GroupsDeps {
  readonly clock: Clock;
  readonly settings: PipeSettings;
}

export class Groups {
  readonly #clock: Clock;
  readonly #settings: PipeSettings;
  readonly #turns: CallLimiter;
  /** Served versions by group. */
  #served = new Map<string, Promise<readonly string[]>>();
  #opened = new Map<string, Promise<Open>>();
  readonly #clients = new Map<string, Open>();
  #askedAt: number;
  #isClosed = false;

  constructor({ clock, settings }: GroupsDeps) {
    this.#clock = clock;
    this.#settings = settings;
    this.#askedAt = clock.now();
    this.#turns = new CallLimiter({ running: settings.callsInFlight, waiting: Number.POSITIVE_INFINITY });
  }

  /**
   * @param modules  the versions of a group that can do what is needed
   * @throws {TransientError} none of them is served, or nothing is: the reason says which
   */
  open<const Known extends Modules>(modules: Known): Promise<Opened<Known[number]>> {
    const group = modules[0].groupName;
    const opened = kept(this.#opened, group, () => this.#open(group, modules));
    return opened as Promise<unknown> as Promise<Opened<Known[number]>>; // the pair is of one of these modules
  }

  /** Served versions of each of these groups. @throws {TransientError} a pipe cannot be opened */
  async served(all: readonly Modules[]): Promise<readonly ServedGroup[]> {
    if (this.#clock.now() - this.#askedAt >= ASK_AGAIN_MS) this.#forget();
    return Promise.all(
      all.map(async (modules) => {
        const group = modules[0].groupName;
        const served = await this.#servedOf(group);
        const used = this.#choose(modules, served)?.version;
        return { group, ...(served.length > 0 && { served }), ...(used !== undefined && { used }) };
      }),
    );
  }

  /** Running calls end. */
  close(): void {
    this.#isClosed = true;
    for (const { client } of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  async #servedOf(group: string): Promise<readonly string[]> {
    const { prefix } = this.#settings;
    const versions = Object.keys(allServices[group] ?? {});
    const asked = kept(this.#served, group, async () => {
      try {
        return await servedVersions(group, versions, { clock: this.#clock, pipePrefix: prefix });
      } catch (error) {
        throw unreachable(this.#settings, error);
      }
    });
    const served = await asked;
    // It may be about to begin.
    if (served.length === 0) this.#served.delete(group);
    return served;
  }

  #choose(modules: Modules, served: readonly string[]): ClientModule | undefined {
    const newestFirst = modules.toSorted((one, other) => compareVersionNames(other.version, one.version));
    const preferred = this.#settings.preferred[modules[0].groupName] ?? newestFirst.map(({ version }) => version);
    const version = preferred.find((each) => served.includes(each) && modules.some((known) => known.version === each));
    return modules.find((known) => known.version === version);
  }

  async #open(group: string, modules: Modules): Promise<Open> {
    const served = await this.#servedOf(group);
    const module = this.#choose(modules, served);
    if (module === undefined) throw await this.#lack(modules, served);
    const { version } = module;
    const known = this.#clients.get(group);
    if (known?.version === version) return known;
    const connection = await this.#connect(pipePath(group, version, this.#settings.prefix));
    if (this.#isClosed) {
      connection.close();
      throw new StatusError(Code.Unavailable, 'the connections to csi-proxy are closed');
    }
    known?.client.close();
    const opened = { version, client: new module.Client(connection) };
    this.#clients.set(group, opened);
    return opened;
  }

  async #connect(path: string): Promise<Connection> {
    const { callMs } = this.#settings;
    const deps: ConnectionDeps = {
      clock: this.#clock,
      ...(callMs !== undefined && { timeoutMs: (rpc) => longLimitMs(rpc) ?? callMs }),
    };
    try {
      return this.#limited(await openConnection(path, deps));
    } catch (error) {
      // It was there a moment ago.
      this.#forget();
      throw unreachable(this.#settings, error);
    }
  }

  /** Concurrency limit of calls, without the long ones: those would block all reads. */
  #limited(connection: Connection): Connection {
    return {
      call: async (method, request, options) => {
        const isLong = longLimitMs(method.name) !== undefined;
        if (!isLong) await new Promise<void>((resolve) => void this.#turns.enter(resolve));
        try {
          return await connection.call(method, request, options);
        } catch (error) {
          if (error instanceof StatusError && error.code === Code.Unavailable) this.#forget();
          throw error;
        } finally {
          if (!isLong) this.#turns.leave();
        }
      },
      close: () => connection.close(),
    };
  }

  /** Clients stay until another version is used: they connect again by themselves. */
  #forget(): void {
    this.#askedAt = this.#clock.now();
    this.#served = new Map();
    // mutant: pipe-old-version drop
    this.#opened = new Map();
  }

  async #lack(modules: Modules, served: readonly string[]): Promise<TransientError> {
    const { endpoint, preferred } = this.#settings;
    const group = modules[0].groupName;
    const known = modules.map(({ version }) => version);
    const wanted = (preferred[group] ?? known).join(', ');
    const all = await Promise.all(Object.keys(allServices).map((each) => this.#servedOf(each)));
    if (all.every(({ length }) => length === 0)) {
      const message = `no server answers at '${endpoint}': csi-proxy does not run there`;
      return new TransientError(message, { reason: Reason.CsiProxyUnreachable });
    }
    const is = served.length === 0 ? 'no version of it is served' : `${served.join(', ')} is served`;
    const usable = wanted === known.join(', ') ? wanted : `${wanted} of ${known.join(', ')}`;
    const message = `csi-proxy at '${endpoint}' does not serve what is needed of group ${group}: ${is}, and ${usable} may be used`;
    return new TransientError(message, { reason: Reason.ApiNotServed });
  }
}

function unreachable({ endpoint }: PipeSettings, cause: unknown): TransientError {
  const message = `csi-proxy at '${endpoint}' cannot be asked: ${(cause as Error).message}`;
  return new TransientError(message, { cause, reason: Reason.CsiProxyUnreachable });
}

/** Asked for once at a time, and kept unless it fails. */
function kept<Value>(all: Map<string, Promise<Value>>, key: string, make: () => Promise<Value>): Promise<Value> {
  const known = all.get(key);
  if (known !== undefined) return known;
  const made = make();
  all.set(key, made);
  made.catch(() => {
    if (all.get(key) === made) all.delete(key);
  });
  return made;
}

/** Error for a call that the version of a group does not have. */
export function needs(group: string, version: string, rpc: string, least: string): TransientError {
  const message = `csi-proxy's ${group} ${version}, which is used, has no ${rpc}: ${least} or a later version is needed`;
  return new TransientError(message, { reason: Reason.ApiNotServed });
}
