// Requests that need a conversion webhook. Whatever answers a request runs at once and without waiting, so that nothing
// comes between what it reads and what it writes. When it needs a conversion whose result is not there yet, it gives up
// before it has changed anything, the webhook is asked, and it runs again from the start.
//
// Invariants:
//   KSIM-PENDING-1. A write is decided on what is stored at the moment of the write: a run that writes has all it needs.
//   KSIM-PENDING-2. All runs of one request see the same time and draw the same random numbers, so that what one run needed
//       converted is what the next one asks for.
//   KSIM-PENDING-3. A warning is given once, by the run that answers.
import type { Clock } from '../../../../bus/time.ts';
import { canonical } from '../../../text/json.ts';
import { ApiError, internalError, timeout } from '../base/api-error.ts';
import type { Api, ResourceRequest } from '../resources/api.ts';
import type { Conversions, ConversionWebhook, Need, Outcome } from '../resources/conversion.ts';

/** Longest time that a request is tried again because the object changed while it was converted. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Remembered for lists and watches, in characters of the objects that were converted. */
const MAX_REMEMBERED_CHARACTERS = 32 * 1024 * 1024;

/** Thrown by a run that cannot continue without a conversion. */
export class ConversionNeeded extends Error {
  override name = 'ConversionNeeded';
  readonly needs: readonly Need[];
  constructor(needs: readonly Need[]) {
    super('a conversion is needed');
    this.needs = needs;
  }
}

const keyOf = ({ object, apiVersion }: Need): string => `${apiVersion} ${canonical(object)}`;

/** @param options.keepFailures  false to ask again for what failed, as who outlives a request must */
export function conversions({ keepFailures }: { readonly keepFailures: boolean }): Conversions {
  const results = new Map<string, Outcome>();
  let characters = 0;
  const remember = (key: string, outcome: Outcome): void => {
    if (outcome.kind === 'failed' && !keepFailures) throw outcome.error;
    if (!results.has(key)) characters += key.length;
    results.set(key, outcome);
    for (const oldest of results.keys()) {
      if (characters <= MAX_REMEMBERED_CHARACTERS || oldest === key) break;
      results.delete(oldest);
      characters -= oldest.length;
    }
  };
  return {
    convert(object, apiVersion) {
      const found = results.get(keyOf({ object, apiVersion }));
      if (found === undefined) throw new ConversionNeeded([{ object, apiVersion }]);
      if (found.kind === 'failed') throw found.error;
      return found.object;
    },
    async fetch(needs, webhook) {
      for (const [apiVersion, some] of Map.groupBy(needs, (need) => need.apiVersion)) {
        const outcomes = await webhook.convert(
          some.map(({ object }) => object),
          apiVersion,
        );
        for (const [index, outcome] of outcomes.entries()) {
          const need = some[index];
          if (need !== undefined) remember(keyOf(need), outcome);
        }
      }
    },
  };
}

/** What `read` makes of each item; what several of them need is asked for at once. @throws {ConversionNeeded} */
export function each<Item, Result>(items: readonly Item[], read: (item: Item) => Result): Result[] {
  const needs: Need[] = [];
  const results: Result[] = [];
  for (const item of items) {
    try {
      results.push(read(item));
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error;
      needs.push(...error.needs);
    }
  }
  if (needs.length > 0) throw new ConversionNeeded(needs);
  return results;
}

/** A request of a resource whose versions a webhook converts, with the results it has so far. */
export function withConversions(request: ResourceRequest, { convert }: Conversions): ResourceRequest {
  const { resource } = request;
  const versions = resource.versions === undefined ? undefined : { ...resource.versions, convert };
  return { ...request, resource: { ...resource, versions } };
}

/** Remembered results of the webhook serve lists; one object is always converted again. */
export const conversionsFor = ({ name }: ResourceRequest, webhook: ConversionWebhook): Conversions =>
  name === '' ? webhook.remembered : conversions({ keepFailures: true });

/** Runs until nothing more is needed. @throws {ApiError} what the run throws, or 504 after too long */
export async function untilConverted<Result>(
  api: Api,
  request: ResourceRequest,
  { webhook, results }: { readonly webhook: ConversionWebhook; readonly results: Conversions },
  run: (api: Api, request: ResourceRequest) => Result,
): Promise<Result> {
  const since = api.clock.now();
  const steady = steadyClock(api.clock);
  for (;;) {
    steady.rewind();
    const warnings: string[] = [];
    const attempt = { ...withConversions(request, results), warn: (text: string): void => void warnings.push(text) };
    try {
      const result = run({ ...api, clock: steady.clock }, attempt);
      for (const text of warnings) request.warn(text); // KSIM-PENDING-3
      return result;
    } catch (error) {
      if (error instanceof ApiError) for (const text of warnings) request.warn(text);
      if (!(error instanceof ConversionNeeded)) throw error;
      if (api.clock.now() - since > REQUEST_TIMEOUT_MS) throw timeout();
      await results.fetch(error.needs, webhook);
    }
  }
}

/** KSIM-PENDING-2. */
function steadyClock(clock: Clock): { readonly clock: Clock; rewind(): void } {
  const at = clock.now();
  const drawn: number[] = [];
  let next = 0;
  return {
    clock: {
      now: () => at,
      steady: () => at,
      random() {
        const number = drawn[next] ?? clock.random();
        drawn[next++] = number;
        return number;
      },
      setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
      clearTimeout: (timer) => clock.clearTimeout(timer),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    },
    rewind() {
      next = 0;
    },
  };
}

/** Does what it is given, as those do who need no webhook. */
export const atOnce = (step: () => void): void => step();

/**
 * Does what it is given in order, each when the conversions that it needs are there. A step that needs one must not
 * have done anything yet.
 *
 * @param fail  receives the error of a conversion that failed; no further step is taken then
 */
export function oneAfterAnother(
  webhook: ConversionWebhook,
  fail: (error: ApiError) => void,
): (step: () => void) => void {
  const waiting: (() => void)[] = [];
  let state: 'idle' | 'working' | 'failed' = 'idle';
  const work = async (): Promise<void> => {
    for (let step = waiting[0]; step !== undefined; step = waiting[0]) {
      try {
        step();
        waiting.shift();
      } catch (error) {
        if (!(error instanceof ConversionNeeded)) throw error;
        await webhook.remembered.fetch(error.needs, webhook);
      }
    }
    state = 'idle'; // at once: a step that comes before this end is noticed would wait for the next one
  };
  return (step) => {
    if (state === 'failed') return;
    waiting.push(step);
    if (state === 'working') return;
    state = 'working';
    work().catch((error: unknown) => {
      state = 'failed';
      fail(error instanceof ApiError ? error : internalError(String(error)));
    });
  };
}
