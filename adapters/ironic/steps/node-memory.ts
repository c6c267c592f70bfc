// Memory of a node between attempts, in the process alone. A restart loses it: it saves calls and limits retries; no
// decision depends on it.

export interface Memory {
  /** UUID of the node that all else is about. */
  readonly node: string;
  /** MAC addresses that Ironic has a port of this node for. */
  readonly macs?: readonly string[];
  /** Whether Ironic lists firmware components of it. */
  readonly components?: boolean;
  /** This process started an inspection whose result was not taken yet. */
  readonly inspecting?: boolean;
  /** Number of times that the cleaning before a deployment was restarted after a failure. */
  readonly cleaningRetries?: number;
  /** Number of times that the failed deployment was polled without a reason of its failure. */
  readonly silentFailures?: number;
}

/** Memory of this node; empty for another node. */
export function memoryOf(memory: Memory | undefined, node: string): Memory {
  return memory?.node === node ? memory : { node };
}

/** The memory with what a step asks to remember (`Notes`). */
export function remembered(memory: Memory | undefined, news: Memory): Memory {
  return { ...memoryOf(memory, news.node), ...news };
}
