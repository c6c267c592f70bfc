// What Ironic does for DataImages: it looks at the virtual media of a node, and inserts and ejects CDs.
//
// Ironic responds before it has done the requested work, and locks the node meanwhile: a poll finds the result.
import { TransientError, UnknownOutcomeError } from '../../../bus/errors.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import { hiding, passwordsIn } from '../../http/secrets.ts';
import { BusyError, refusalIn } from '../client/errors.ts';
import type { Asking } from '../client/session.ts';
import { Feature } from '../client/versions.ts';
import type { VirtualMedia } from '../host/data-image.ts';
import { foreignUrlProblem } from '../host/foreign-urls.ts';
import { imageUrlProblem } from '../host/image-rules.ts';
import { textOf } from '../json-values.ts';
import { askingFor, type IronicPorts } from '../serving.ts';
import { nodeOfHost } from './node-of-host.ts';

/** What Ironic said to an order. A type, as an interface would be no JSON. */
export type MediaOrder =
  | { readonly kind: 'taken' }
  /** The node is held: nothing was done. */
  | { readonly kind: 'busy' }
  /** @param message  without a secret */
  | { readonly kind: 'refused'; readonly message: string };

export interface AttachRequest extends OperationRequest {
  readonly url: string;
}

/** A type, as an interface would be no table. */
export type DataImageOperations = {
  look(request: OperationRequest): Promise<VirtualMedia>;
  attach(request: AttachRequest): Promise<MediaOrder>;
  detach(request: OperationRequest): Promise<MediaOrder>;
};

/** Messages about virtual media among all errors of a node. */
const MEDIA_TROUBLE = /^could not (at|de)tach device/i;

export function dataImageOperations({ ironic, foreign }: Pick<IronicPorts, 'ironic' | 'foreign'>): DataImageOperations {
  const order = async (
    request: OperationRequest,
    give: (node: string, asking: Asking) => Promise<void>,
  ): Promise<MediaOrder> => {
    try {
      await give(nodeOf(request), askingFor(request));
      return { kind: 'taken' };
    } catch (error) {
      if (error instanceof BusyError) return { kind: 'busy' };
      const isRefusal = refusalIn(error) !== undefined && !(error instanceof UnknownOutcomeError);
      if (!isRefusal || !(error instanceof Error)) throw error;
      return { kind: 'refused', message: hidingUrls(request)(error.message) };
    }
  };
  return {
    async look(request) {
      const asking = askingFor(request);
      const node = nodeOf(request);
      const { features } = await ironic.ready(asking);
      if (!features.includes(Feature.VirtualMediaQuery)) return { kind: 'unsupported' };
      const seen = await ironic.node(node, asking);
      if (seen === undefined) throw new TransientError('Ironic does not know the node of the host');
      if (seen.reservation !== null) return { kind: 'busy' };
      const media = await ironic.virtualMedia(node, asking);
      const error = seen.last_error ?? '';
      return { kind: 'read', media, problem: MEDIA_TROUBLE.test(error) ? hidingUrls(request)(error) : '' };
    },
    async attach({ url, ...request }) {
      const problem = imageUrlProblem(url) ?? (await foreignUrlProblem(foreign, 'images', [url]));
      // mutant: data-image-url if -> false
      if (problem !== undefined) return { kind: 'refused', message: problem };
      return order(request, (node, asking) => ironic.attachVirtualCd(node, url, asking));
    },
    detach: (request) => order(request, (node, asking) => ironic.detachVirtualCd(node, asking)),
  };
}

/** It has the name of its host. */
function nodeOf(request: OperationRequest): string {
  return nodeOfHost(request, request.object.metadata.name);
}

/** A URL may hold a password, and what Ironic says of one quotes it. */
function hidingUrls({ object }: OperationRequest): (text: string) => string {
  const { attachedImage } = (object.status ?? {}) as { readonly attachedImage?: { readonly url?: unknown } };
  const urls = [textOf(object.spec?.['url']), textOf(attachedImage?.url)];
  return hiding(passwordsIn(urls));
}
