// What is remembered of a node between passes, in the process alone. Lost at a restart: it saves calls, and bounds tries; nothing
// that is decided needs it.

export interface Memory {
  /** UUID of the node that all else is about. */
  readonly node: string;
  /** MAC addresses that Ironic has a port of this node for. */
  readonly macs?: readonly string[];
  /** Whether Ironic lists firmware components of it. */
  readonly components?: boolean;
  /** Its inspection was begun here, and what came of it was not taken yet. */
  readonly inspecting?: boolean;
  /** So often was its cleaning, on the way to a deployment, begun anew after it failed. */
  readonly cleaningRetries?: number;
  /** So often was its failed deployment looked at, and did not say why it failed. */
  readonly silentFailures?: number;
}

/** What is remembered of this node; of another one, nothing. */
export function memoryOf(memory: Memory | undefined, node: string): Memory {
  return memory?.node === node ? memory : { node };
}

/** The memory with what a step asks to remember (`Notes`). */
export function remembered(memory: Memory | undefined, news: Memory): Memory {
  return { ...memoryOf(memory, news.node), ...news };
}
