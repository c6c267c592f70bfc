// Requests and answers in memory.
import type { Endpoint, LongCallOptions, Service, Services, Tracing } from './bus.ts';
import { fromErrorData, TransientError, toAnswerData, UnknownOutcomeError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { newName, type Opening } from './long-call-protocol.ts';
import { LongCalls } from './long-calls.ts';
import type { MemoryEndpoint, MemoryStores } from './memory-broker.ts';
import type { MemoryLink } from './memory-link.ts';
import { longCallSubject } from './subjects.ts';
import { validTraceparent } from './trace-context.ts';

/** Maximum time to wait for an ended operation, in milliseconds. */
const END_TIMEOUT_MS = 1_000;

interface Asked {
  readonly subject: string;
  readonly request: JsonObject;
  readonly deadlineAt: number;
  readonly tracing?: Tracing;
  readonly opening?: Opening;
}

export class MemoryServices implements Services {
  readonly #stores: Pick<MemoryStores, 'clock' | 'services'>;
  readonly #link: MemoryLink;
  readonly #holds: LongCalls;
  /** Offered services, with the functions that remove them. */
  readonly #offered = new Map<object, () => void>();

  /** @param stores.leases  maximum duration of long calls without a confirmation */
  constructor({ clock, services, leases }: Pick<MemoryStores, 'clock' | 'services' | 'leases'>, link: MemoryLink) {
    this.#stores = { clock, services };
    this.#link = link;
    this.#holds = new LongCalls({
      clock,
      leaseMs: leases.leaseMs,
      newName: () => newName(clock),
      listen: (name, answer) =>
        services.add(longCallSubject(name), {
          reachable: () => link.state === 'up',
          handle: async (asked) => answer(asked),
        }),
      ask: (name, asked, timeoutMs) =>
        this.#ask({ subject: longCallSubject(name), request: asked, deadlineAt: clock.now() + timeoutMs }),
    });
  }

  async serve(_name: string, _version: string, _description: string, endpoints: readonly Endpoint[]): Promise<Service> {
    const link = this.#link;
    if (link.state !== 'up') throw link.away();
    const own = {};
    const removals = endpoints.map((endpoint) => {
      const served: MemoryEndpoint = {
        reachable: () => link.state === 'up',
        handle: async (asked, tracing, opening) => {
          const bound = opening === undefined ? 'deadline' : 'caller';
          const request = (await endpoint.admit?.(asked, bound)) ?? asked;
          if (opening === undefined) return endpoint.handle(request, tracing);
          await this.#holds.open(opening, own, (held) => endpoint.handle(request, tracing, held));
          return {};
        },
      };
      return this.#stores.services.add(endpoint.subject, served);
    });
    this.#offered.set(own, () => {
      for (const remove of removals) remove();
    });
    return { close: () => this.#end(own) };
  }

  request(subject: string, request: JsonObject, deadlineAt: number, tracing: Tracing = {}): Promise<JsonObject> {
    return this.#ask({ subject, request, deadlineAt, tracing });
  }

  callLong(subject: string, request: JsonObject, options: LongCallOptions, tracing: Tracing = {}): Promise<JsonObject> {
    return this.#holds.hold(subject, options, async (opening, timeoutMs) => {
      const deadlineAt = this.#stores.clock.now() + timeoutMs;
      await this.#ask({ subject, request, deadlineAt, tracing, opening });
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#offered.keys()].map((own) => this.#end(own)));
    this.#holds.close();
  }

  /** The process crashes. */
  abandon(): void {
    for (const remove of this.#offered.values()) remove();
    this.#offered.clear();
    this.#holds.abandon();
  }

  async #end(own: object): Promise<void> {
    this.#offered.get(own)?.();
    this.#offered.delete(own);
    const limit = new AbortController();
    const ended = this.#holds.end(own).then(() => limit.abort());
    await Promise.race([ended, this.#stores.clock.sleep(END_TIMEOUT_MS, limit.signal)]);
  }

  #ask({ subject, request, deadlineAt, tracing = {}, opening }: Asked): Promise<JsonObject> {
    const { clock, services } = this.#stores;
    const link = this.#link;
    const traceparent = validTraceparent(tracing.traceparent);
    const traced: Tracing = traceparent === undefined ? {} : { traceparent };
    const sent: JsonObject = JSON.parse(JSON.stringify(request));
    return new Promise((resolve, reject) => {
      const remainingMs = deadlineAt - clock.now();
      if (remainingMs <= 0) return reject(new TransientError(`no time was left to ask '${subject}'`));
      const late = (): void => reject(new UnknownOutcomeError(`'${subject}' did not answer in time`));
      const timer = clock.setTimeout(late, remainingMs);
      const settle = (how: () => void): void => {
        clock.clearTimeout(timer);
        how();
      };
      const answer = (how: () => void, reachable: () => boolean): void => {
        // An answer from or to a process that is cut off is lost; the deadline tells.
        if (reachable()) link.later(() => link.state === 'up' && settle(how));
      };
      const call = (): void => {
        const endpoint = services.next(subject);
        if (endpoint === undefined) throw new TransientError(`no process serves '${subject}'`);
        const { reachable } = endpoint;
        const done = (response: JsonObject): void => {
          const copy: JsonObject = JSON.parse(JSON.stringify(response));
          answer(() => resolve(copy), reachable);
        };
        const failed = (error: unknown): void => {
          const data = toAnswerData(error);
          answer(() => reject(fromErrorData(data)), reachable);
        };
        handled(endpoint.handle, sent, traced, opening).then(done).catch(failed);
      };
      link.send(call).catch((error: unknown) => settle(() => reject(error)));
    });
  }
}

/** The handler's answer; what it throws before its first await counts as rejection too. */
async function handled(
  handle: MemoryEndpoint['handle'],
  request: JsonObject,
  tracing: Tracing,
  opening: Opening | undefined,
): Promise<JsonObject> {
  return handle(request, tracing, opening);
}
