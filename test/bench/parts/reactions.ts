// From the moment that Ironic is done with a node to the next request that is about this node: what an Ironic sees of its
// clients. A list of nodes, or a look at one of them, tells the client; the request after that is the reaction.
import type { ServedCall } from '../../../adapters/simulated/ironic/mod.ts';
import type { Json, JsonObject } from '../../../bus/mod.ts';

export interface Reaction {
  /** The provision state that the node has come to. */
  readonly state: string;
  readonly afterMs: number;
}

/** States in which Ironic leaves a node until it is asked for something. */
const AT_REST: ReadonlySet<Json | undefined> = new Set(['manageable', 'available', 'active']);

interface Sight {
  readonly changedAt: Json | undefined;
  /** Nobody has asked for anything since. */
  isOpen: boolean;
  readonly state: string;
}

export class Reactions {
  readonly #nodes = new Map<string, Sight>();
  #reactions: Reaction[] = [];

  /** Told of each request that was served. */
  served({ at, method, path, answer }: Pick<ServedCall, 'at' | 'method' | 'path' | 'answer'>): void {
    const [, collection, ident] = path.split('/');
    if (collection !== 'nodes') return;
    if (ident === undefined) {
      const { nodes } = (answer ?? {}) as { readonly nodes?: readonly JsonObject[] };
      for (const node of method === 'POST' ? [(answer ?? {}) as JsonObject] : (nodes ?? [])) this.#see(node);
      return;
    }
    const sight = this.#nodes.get(ident);
    if (sight?.isOpen === true) {
      sight.isOpen = false;
      this.#reactions.push({ state: sight.state, afterMs: at - Date.parse(String(sight.changedAt)) });
    }
    if (method === 'GET' && path === `/nodes/${ident}`) this.#see((answer ?? {}) as JsonObject);
  }

  now(): readonly Reaction[] {
    return this.#reactions;
  }

  reset(): void {
    this.#reactions = [];
  }

  #see({ uuid, provision_state, provision_updated_at: changedAt }: JsonObject): void {
    if (typeof uuid !== 'string') return;
    const before = this.#nodes.get(uuid);
    if (before?.changedAt === changedAt) return;
    // Of a node that is seen for the first time nobody waits to hear.
    const isOpen = before !== undefined && AT_REST.has(provision_state);
    this.#nodes.set(uuid, { changedAt, isOpen, state: String(provision_state) });
  }
}
