// The content of an image on its way to the cloud, which takes longer than any other request.

import type { TransportRequest, TransportResponse } from '../../../../adapters/http/transport.ts';
import type { SimulatedCloud } from '../../../../adapters/simulated/openstack/mod.ts';
import { TransientError, TroupeError, UnknownOutcomeError } from '../../../../bus/mod.ts';
import { type CloudWatcher, type Landing, lowered, type Misfortune } from '../../clouds.ts';

export interface Upload {
  readonly cloud: SimulatedCloud;
  /** With a stream. */
  readonly request: TransportRequest;
  /** Below the origin. */
  readonly at: string;
  readonly fate: Misfortune;
  readonly landing: Landing;
  readonly watcher: CloudWatcher;
}

export interface Uploader {
  answered(answer: TransportResponse): void;
  failed(error: unknown): void;
}

/** @returns the way to end it as the end of its process does: nobody hears of that but the cloud */
export function upload({ cloud, request, at, fate, landing, watcher }: Upload, to: Uploader): () => void {
  const { stream, label, method, headers } = request;
  const says = (status: number): void =>
    to.answered({ status, body: {}, subjectToken: undefined, retryAfterMs: fate.retryAfterMs });
  const nothing = (): void => undefined;
  const asked = cloud.parse(method, at, { ...lowered(headers), 'content-type': stream?.contentType }, '');
  const refuse = (status: number): (() => void) => {
    watcher.onAnswer(landing, status, {}, false);
    says(status);
    return nothing;
  };
  if (stream === undefined || asked === undefined) return refuse(404);
  if (fate.status !== undefined) return refuse(fate.status);
  if (fate.lies) return refuse(204);
  watcher.onLanding(landing);
  const sink = cloud.receive(asked);
  if (sink === undefined || !('write' in sink)) return refuse(sink?.status ?? 404);
  let isOver = false;
  const end = (): boolean => {
    if (isOver) return false;
    isOver = true;
    sink.abort();
    return true;
  };
  const breakOff = (error: unknown): void => {
    if (end()) to.failed(error);
  };
  stream.signal.addEventListener('abort', () => breakOff(new TransientError(`${label} was ended`)), { once: true });
  const pass = async (): Promise<void> => {
    for await (const chunk of stream.chunks()) {
      if (isOver) return;
      if (fate.dropBeforeWork) return breakOff(new UnknownOutcomeError(`${label} failed: the connection was closed`));
      sink.write(chunk);
    }
    if (isOver) return;
    isOver = true;
    if (fate.garbage !== undefined) {
      sink.write(Buffer.from(fate.garbage));
      watcher.onSpoilt(landing);
    }
    sink.end();
    watcher.onAnswer(landing, 204, {}, true);
    if (fate.dropAfterWork) to.failed(new UnknownOutcomeError(`${label} failed: the connection was closed`));
    else says(fate.failsAfterWork ? 500 : 204);
  };
  pass().catch((error: unknown) =>
    breakOff(error instanceof TroupeError ? error : new UnknownOutcomeError(`${label} failed`, { cause: error })),
  );
  return () => void end();
}
