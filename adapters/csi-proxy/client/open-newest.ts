// Served versions of a group on a node, and a client of the newest that both sides know. There is no discovery call: a
// version is served if its pipe exists.
import { AbsentError } from '../../../bus/errors.ts';
import { PIPE_PREFIX, pipePath, probePipe } from '../base/pipes.ts';
import { compareVersionNames } from '../base/version-name.ts';
import type { ConnectionDeps } from './open-connection.ts';

/** Exports of every `client_generated.ts`. */
export interface ClientModule {
  readonly groupName: string;
  readonly version: string;
  newClientWithPipePath(path: string, deps: ConnectionDeps): Promise<{ close(): void }>;
}

/** Client and its version; the compiler derives from it which calls exist. */
export type Opened<Module extends ClientModule> = Module extends ClientModule
  ? { readonly version: Module['version']; readonly client: Awaited<ReturnType<Module['newClientWithPipePath']>> }
  : never;

export interface NegotiationDeps extends ConnectionDeps {
  /** Unless told, that of the system. */
  readonly pipePrefix?: string | undefined;
}

/** @returns of `versions` those that are served, the newest first @throws {TransientError} a pipe cannot be opened */
export async function servedVersions(
  group: string,
  versions: readonly string[],
  { clock, pipePrefix = PIPE_PREFIX }: NegotiationDeps,
): Promise<string[]> {
  const newestFirst = versions.toSorted((a, b) => compareVersionNames(b, a));
  const isServed = await Promise.all(
    newestFirst.map(async (version) => {
      try {
        await probePipe(pipePath(group, version, pipePrefix), { clock });
        return true;
      } catch (error) {
        if (error instanceof AbsentError) return false;
        throw error;
      }
    }),
  );
  return newestFirst.filter((_, index) => isServed[index]);
}

/**
 * A client of the newest version that is served: the pipes are tried one after the other, the newest first.
 *
 * @param modules  the generated clients to choose from, all of one group: `[v1, v1beta3]`
 * @throws {AbsentError} none is served
 */
export async function openNewest<const Modules extends readonly [ClientModule, ...ClientModule[]]>(
  modules: Modules,
  deps: NegotiationDeps,
): Promise<Opened<Modules[number]>> {
  const { pipePrefix = PIPE_PREFIX } = deps;
  for (const module of modules.toSorted((a, b) => compareVersionNames(b.version, a.version))) {
    const { groupName, version } = module;
    try {
      const client = await module.newClientWithPipePath(pipePath(groupName, version, pipePrefix), deps);
      return { version, client } as Opened<Modules[number]>; // the pair is of this module
    } catch (error) {
      if (!(error instanceof AbsentError)) throw error;
    }
  }
  const tried = modules.map(({ version }) => version).join(', ');
  throw new AbsentError(`csi-proxy serves no version of group ${modules[0].groupName} that is known here (${tried})`);
}
