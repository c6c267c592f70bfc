// HTTP of a simulated Ironic: reads requests, applies faults and latency, counts, and sends answers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../bus/time.ts';
import { CountingServer, readText, type SentReply, send } from '../http/mod.ts';
import type { Reply } from './exchange.ts';
import { pathOf, type RawRequest, type SimulatedIronic } from './ironic.ts';

export interface ServerDeps {
  clock: Clock;
  ironic: SimulatedIronic;
  latencyMs: () => number;
  onServed: ((call: ServedCall) => void) | undefined;
  /** Resolves when what was done is kept, as far as it is: no answer leaves before. */
  settled: () => Promise<void>;
}

/** A request that was served, whether or not its answer came through. */
export interface ServedCall {
  /** When it was done, milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** Below `/v1`, without its query. */
  readonly path: string;
  readonly requestId: string;
  readonly status: number;
  /** As it came. */
  readonly body: string;
  readonly answer: Reply['body'];
}

/** A request waits for a node that is held for so long, and looks so often. */
const LOCK_WAIT_MS = 2_000;
const LOCK_LOOK_MS = 200;

export class IronicServer extends CountingServer {
  readonly #deps: ServerDeps;

  constructor(deps: ServerDeps) {
    super();
    this.#deps = deps;
  }

  protected override defect(error: unknown): SentReply {
    return { status: 500, body: { error_message: String(error) } };
  }

  protected override async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, ironic, latencyMs, onServed, settled } = this.#deps;
    const { method = 'GET', url = '', headers } = incoming;
    const given = String(headers['x-openstack-request-id'] ?? '');
    const requestId = /^req-[\w-]{1,60}$/.test(given) ? given : `req-${ironic.newUuid()}`;
    const body = await readText(incoming);
    const raw: RawRequest = { method, url, headers, body };
    const path = pathOf(url);
    this.count(`${method} ${pathTemplate(path)}`);
    const fault = ironic.faults.take({ method, path });
    const delayMs = latencyMs() + (fault?.delayMs ?? 0);
    if (delayMs > 0) await clock.sleep(delayMs);
    if (fault?.dropBeforeWork) {
      response.destroy();
      return;
    }
    if (fault?.status !== undefined) {
      const { status, body: answer = {}, headers: with_ = {}, garbage } = fault;
      sendOf(response, requestId, { status, body: answer, headers: with_ }, garbage);
      return;
    }
    const reply = await this.#patiently(raw);
    await settled();
    onServed?.({ at: clock.now(), method, path, requestId, status: reply.status, body, answer: reply.body });
    if (fault?.dropAfterWork) response.destroy();
    else sendOf(response, requestId, { ...reply, headers: { ...reply.headers, ...fault?.headers } }, fault?.garbage);
  }

  /** Answers once the node is free, or when it has not been for too long. */
  async #patiently(raw: RawRequest): Promise<Reply> {
    const { clock, ironic } = this.#deps;
    const until = clock.now() + LOCK_WAIT_MS;
    for (;;) {
      const reply = ironic.handle(raw);
      if (reply.isLocked !== true || clock.now() >= until) return reply;
      await clock.sleep(LOCK_LOOK_MS);
    }
  }
}

/** Sends a reply, or `garbage` in place of its body, with the second name that Ironic has for the id of a request. */
function sendOf(response: ServerResponse, requestId: string, { status, body, headers }: Reply, garbage?: string): void {
  const content = garbage === undefined ? { body } : { html: garbage };
  send(response, requestId, { status, ...content, headers: { 'openstack-request-id': requestId, ...headers } });
}

/** The path with `{id}` for whatever names one thing. */
function pathTemplate(path: string): string {
  return path.replace(/^\/(nodes|ports)\/[^/]+/, '/$1/{id}');
}
