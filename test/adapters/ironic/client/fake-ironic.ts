// Nodes without a wire, for what reads them: lists in pages, and single reads, all counted. It changes nothing by itself.
import type { IronicClient } from '../../../../adapters/ironic/client/client.ts';
import { type Node, type NodeField, nodeIn } from '../../../../adapters/ironic/client/node.ts';
import type { Asking } from '../../../../adapters/ironic/client/session.ts';
import type { JsonObject } from '../../../../bus/bus.ts';

export class FakeIronic implements Pick<IronicClient, 'nodePages' | 'node'> {
  readonly nodes = new Map<string, Node>();
  /** `list` for each page with its number, or `read <uuid>`. */
  readonly requests: string[] = [];
  readonly fields: (readonly NodeField[] | 'all')[] = [];
  readonly askings: Asking[] = [];
  /** What lists leave out, as a page may when something went from before it. */
  readonly overlooked = new Set<string>();
  pageSize = 500;
  /** What a request fails with, if it does. */
  failure: (request: string) => Error | undefined = () => undefined;
  /** Awaited before each answer. */
  before: (request: string) => Promise<void> = async () => undefined;

  put(uuid: string, members: JsonObject = {}): Node {
    const before = this.nodes.get(uuid) ?? { provision_state: 'deploying' };
    const node = nodeIn({ ...(before as JsonObject), ...members, uuid });
    this.nodes.set(uuid, node);
    return node;
  }

  /** As many as that, `n0` and on. */
  fill(count: number, members: JsonObject = {}): readonly string[] {
    return Array.from({ length: count }, (_, index) => this.put(`n${index}`, members).uuid);
  }

  /** Lists that were begun. */
  get lists(): number {
    return this.requests.filter((request) => request === 'list 1').length;
  }

  get reads(): readonly string[] {
    return this.requests.filter((request) => request.startsWith('read '));
  }

  async *nodePages(fields: readonly NodeField[] | 'all', asking: Asking): AsyncGenerator<readonly Node[], void> {
    this.fields.push(fields);
    for (let page = 1, at = 0; ; page++, at += this.pageSize) {
      await this.#ask(`list ${page}`, asking);
      const all = [...this.nodes.values()].filter(({ uuid }) => !this.overlooked.has(uuid));
      yield all.slice(at, at + this.pageSize);
      if (at + this.pageSize >= all.length) return;
    }
  }

  async node(uuid: string, asking: Asking): Promise<Node | undefined> {
    await this.#ask(`read ${uuid}`, asking);
    return this.nodes.get(uuid);
  }

  async #ask(request: string, asking: Asking): Promise<void> {
    this.requests.push(request);
    this.askings.push(asking);
    await this.before(request);
    const failure = this.failure(request);
    if (failure !== undefined) throw failure;
  }
}
