// Looking on at a node until it is not as its host knows it.
import type { JsonObject } from '../../../bus/bus.ts';
import type { HostNode } from '../../../machines/bare-metal-host/outcome.ts';
import type { LongCallRequest } from '../../../machines/lifecycle.ts';
import type { Node } from '../client/node.ts';
import { revisionOf, WATCHED } from '../client/node-answer.ts';
import type { NodePoller } from '../client/poller.ts';
import { hostNodeOf } from './outcome.ts';

export type NodeWatchRequest = Pick<LongCallRequest, 'signal' | 'progress'> & {
  readonly node: HostNode;
  /** Between two looks, in milliseconds. */
  readonly pollAfterMs: number;
};

/** Progress reports of a watch. */
export type NodeTold = { readonly node: HostNode } | { readonly gone: true };

/**
 * Reports each change of the node from its known state, until the watch is aborted or the node is deleted.
 *
 * @param see receives the whole node each time, before the report
 * @throws {TransientError} the watch was aborted, or the poller closed
 */
export async function watchHost(
  poller: Pick<NodePoller, 'watch'>,
  { node, pollAfterMs: paceMs, signal, progress }: NodeWatchRequest,
  see: (node: Node) => void,
): Promise<JsonObject> {
  let { revision } = node;
  let known: Partial<Node> | undefined;
  for (;;) {
    const news = await poller.watch({ uuid: node.id, known, signal, paceMs });
    if ('gone' in news) {
      progress({ gone: true });
      return {};
    }
    known = Object.fromEntries(WATCHED.map((field) => [field, news.node[field]]));
    // The first poll compares with a node of which only the revision is known.
    if (revisionOf(news.node) === revision) continue;
    ({ revision } = hostNodeOf(news.node));
    see(news.node);
    progress({ node: hostNodeOf(news.node) as unknown as JsonObject });
  }
}
