// Questions that may be put twice, because they change nothing.
//
// nats-server swallows some requests: a direct read that arrives before its stream listens is taken for an unknown API
// call. On 2.9.10 a stream counts as created before it listens: of 1,200 reads by four processes that created their
// streams together 3 were swallowed. Waiting longer does not help, a repetition does.
import type { Msg } from '@nats-io/transport-node';
import { type Connection, REQUEST_TIMEOUT_MS } from './connection.ts';
import type { Timer } from './time.ts';

/** Asked again after this part of the time, and then each time after twice as long as before. */
const FIRST_WAIT = 1 / 10;

/**
 * The first answer to any of several requests, all within one time limit.
 *
 * @throws {NoResponderError} the subject has no listener
 * @throws {TransientError} no answer in time, or the connection broke
 */
export async function requestWithRetry(
  connection: Connection,
  subject: string,
  payload: string,
  timeoutMs: number = REQUEST_TIMEOUT_MS,
): Promise<Msg> {
  const { clock } = connection;
  const deadlineAt = clock.now() + timeoutMs;
  const { promise, resolve, reject } = Promise.withResolvers<Msg>();
  let timer: Timer | undefined;
  const askOnce = (waitMs: number): void => {
    const leftMs = deadlineAt - clock.now();
    connection.request(subject, payload, { timeoutMs: leftMs }).then(resolve, reject);
    // mutant: asked-once ?:.1 -> false
    timer = waitMs < leftMs ? clock.setTimeout(() => askOnce(waitMs * 2), waitMs) : undefined;
  };
  askOnce(timeoutMs * FIRST_WAIT);
  try {
    return await promise;
  } finally {
    if (timer !== undefined) clock.clearTimeout(timer);
  }
}
