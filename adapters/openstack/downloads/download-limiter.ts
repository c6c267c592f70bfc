// Download limiter: a number of downloads per namespace at a time, which block no other namespace.
import { TransientError } from '../../../bus/errors.ts';
import { FairSemaphore } from '../../http/fair-semaphore.ts';

/** Each takes what a decompression needs, 70 MiB at most, and a part of the way to the host. */
const DOWNLOADS_A_NAMESPACE = 4;

interface Lane {
  readonly turns: FairSemaphore;
  users: number;
}

export class DownloadLimiter {
  readonly #lanes = new Map<string, Lane>();

  /** Runs when a slot is free. @throws {TransientError} it was aborted before; as `run` */
  async run(namespace: string, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
    const lane = this.#lanes.get(namespace) ?? { turns: new FairSemaphore(DOWNLOADS_A_NAMESPACE), users: 0 };
    this.#lanes.set(namespace, lane);
    lane.users++;
    const turn = lane.turns.enter('') ?? Promise.resolve();
    const ended = turn
      .then(() => (signal.aborted ? undefined : run()))
      .finally(() => {
        lane.turns.leave();
        lane.users--;
        if (lane.users === 0) this.#lanes.delete(namespace);
      });
    await Promise.race([ended, abortedBefore(signal, turn)]);
    await ended;
  }
}

/** Rejects when `signal` is aborted while there is no turn. */
function abortedBefore(signal: AbortSignal, turn: Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(new TransientError('the download was ended before it began'));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  void turn.then(() => {
    signal.removeEventListener('abort', onAbort);
    resolve();
  });
  return promise;
}
