// HTTP of a simulated cloud: reads requests, applies faults and latency, counts, and sends answers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import { CountingServer, type Fault, readText, type SentReply, send } from '../http/mod.ts';
import type { SimulatedCloud } from './cloud.ts';
import type { Reply, SimulatedRequest, SimulatedService } from './exchange.ts';
import { type ContentSink, isUpload } from './glance-data.ts';

export interface ServerDeps {
  clock: Clock;
  cloud: SimulatedCloud;
  latencyMs: () => number;
  onServed: ((call: ServedCall) => void) | undefined;
  /** Resolves when the changes are stored, if the cloud is stored at all. */
  settled: () => Promise<void>;
}

/** A request that was served, whether or not its answer came through. */
export interface ServedCall {
  /** Time of the answer, in milliseconds since the epoch. */
  readonly at: number;
  readonly service: SimulatedService;
  readonly method: string;
  /** Path below the version, without its query. */
  readonly path: string;
  readonly requestId: string;
  readonly status: number;
  readonly body: JsonObject | undefined;
  readonly answer: Json | undefined;
}

export class SimulatorServer extends CountingServer {
  readonly #deps: ServerDeps;

  constructor(deps: ServerDeps) {
    super();
    this.#deps = deps;
  }

  protected override defect(error: unknown): SentReply {
    return { status: 500, body: { error: { code: 500, message: String(error) } } };
  }

  async #receive(
    request: SimulatedRequest,
    incoming: IncomingMessage,
    fault: Fault | undefined,
  ): Promise<Reply | 'lost'> {
    const taken = this.#deps.cloud.receive(request);
    if (taken !== undefined && 'write' in taken) return receiveAll(taken, incoming, fault);
    incoming.resume();
    return taken ?? { status: 404, body: {} };
  }

  protected override async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, cloud, latencyMs, onServed, settled } = this.#deps;
    response.setHeader('Date', new Date(clock.now()).toUTCString());
    const requestId = incoming.headers['x-openstack-request-id'] ?? `req-${cloud.newUuid()}`;
    const parse = (text: string) => cloud.parse(incoming.method ?? 'GET', incoming.url ?? '', incoming.headers, text);
    const head = parse('');
    const isContent = head !== undefined && isUpload(head);
    const request = isContent ? head : parse(await readText(incoming));
    if (request === undefined) {
      send(response, String(requestId), { status: 404, html: '<html><title>404 Not Found</title></html>' });
      return;
    }
    this.count(`${request.service} ${request.method} ${pathTemplate(request.segments)}`);
    const fault = cloud.faults.take(request);
    const delayMs = latencyMs() + (fault?.delayMs ?? 0);
    if (delayMs > 0) await clock.sleep(delayMs);
    if (fault?.dropBeforeWork) {
      response.destroy();
      return;
    }
    const reply: Reply | 'lost' =
      fault?.status === undefined
        ? isContent
          ? await this.#receive(request, incoming, fault)
          : cloud.answer(request)
        : {
            status: fault.status,
            body: fault.body ?? {},
            ...(fault.headers === undefined ? {} : { headers: fault.headers }),
          };
    if (reply === 'lost') {
      response.destroy();
      return;
    }
    if (fault?.status === undefined) {
      const { service, method, path, body } = request;
      const given = typeof body === 'string' ? undefined : body;
      const { status, body: said } = reply;
      const at = clock.now();
      onServed?.({ at, service, method, path, requestId: String(requestId), status, body: given, answer: said });
      // mutant: cloud-answers-first await -> void $1
      if (method !== 'GET') await settled();
    }
    if (fault?.dropAfterWork) response.destroy();
    else if (fault?.garbage === undefined) send(response, String(requestId), reply);
    else send(response, String(requestId), { status: reply.status, html: fault.garbage, headers: fault.headers ?? {} });
  }
}

/** Answer to a request whose content is streamed; `lost`: the connection ended before the content did. */
async function receiveAll(
  sink: ContentSink,
  incoming: IncomingMessage,
  fault: Fault | undefined,
): Promise<Reply | 'lost'> {
  const { cutAfterBytes = Number.POSITIVE_INFINITY, altersContent = false } = fault ?? {};
  let bytes = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > cutAfterBytes) throw new Error('cut off');
      sink.write(chunk);
    }
  } catch {
    sink.abort();
    incoming.destroy();
    return 'lost';
  }
  if (altersContent) sink.write(Buffer.from('?'));
  sink.end();
  return { status: 204 };
}

/** The path with `{id}` for each id or name. */
function pathTemplate(segments: readonly string[]): string {
  const fixed = new Set([
    'auth',
    'tokens',
    'catalog',
    'tags',
    'OS-TRUST',
    'trusts',
    'application_credentials',
    'access_rules',
    'extensions',
    'import',
    'file',
    'detail',
    'extra_specs',
  ]);
  return segments.map((segment, index) => (index === 0 || fixed.has(segment) ? `/${segment}` : '/{id}')).join('');
}
