// Looks at every write to the API server, and says when one repeats what is stored (I8).
import type { Cluster, KubeCall } from './cluster.ts';

export class RepeatedWrites {
  readonly #cluster: Cluster;
  readonly #violate: (invariant: string, text: string) => void;
  /** Who wrote last, by path with the field manager. */
  readonly #writers = new Map<string, string>();
  /** Writes that may be repeated, since an answer was lost. */
  readonly #repeating = new Set<string>();

  constructor(cluster: Cluster, violate: (invariant: string, text: string) => void) {
    this.#cluster = cluster;
    this.#violate = violate;
  }

  onKube(pod: string, { method, path, body }: KubeCall, before: number, error: unknown): void {
    // A patch that only tests is a look.
    const isLook = Array.isArray(body) && body.every(({ op }) => op === 'test');
    if (method !== 'PATCH' || error !== undefined || isLook) return;
    const writer = this.#writers.get(path);
    this.#writers.set(path, pod);
    if (before !== this.#cluster.revision() || this.#repeating.delete(path)) return;
    // What another host had under way when it lost its lease comes late; a status is compared with what is there.
    if (writer === pod || path.includes('/status?'))
      this.#violate('I8', `${pod} wrote ${path} and said nothing new: ${JSON.stringify(body)}`);
  }

  /** The pod may repeat its earlier writes: after the next takeover it knows no more of them than another one. */
  onLeaseLost(pod: string): void {
    for (const [path, writer] of this.#writers) if (writer === pod) this.#writers.delete(path);
  }

  /** The answer to a write was lost: it may be made again. */
  onLost({ path }: KubeCall): void {
    this.#repeating.add(path);
  }
}
