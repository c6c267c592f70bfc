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

/** What a watch tells by its progress. */
export type NodeTold = { readonly node: HostNode } | { readonly gone: true };

/**
 * Tells each time that the node is not as it was known, until it is aborted or the node is gone.
 *
 * @param see  is given the node as a whole each time, before that is told
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
    // The first look is at a node of which the revision alone is known.
    if (revisionOf(news.node) === revision) continue;
    ({ revision } = hostNodeOf(news.node));
    see(news.node);
    progress({ node: hostNodeOf(news.node) as unknown as JsonObject });
  }
}
