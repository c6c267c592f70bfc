// A gateway before a cloud: it knows every call, loses requests and answers, and shows itself in the catalog, so that
// whoever logs in through it does everything else through it too.

import { Faults } from '../../../../adapters/simulated/http/mod.ts';
import type { SimulatedService } from '../../../../adapters/simulated/openstack/exchange.ts';
import type { Fault, ServedCall } from '../../../../adapters/simulated/openstack/mod.ts';
import type { Clock, Json, JsonObject } from '../../../../bus/mod.ts';
import { startProxy, type TcpProxy } from '../../../bus/proxy.ts';
import { madeFor } from '../../../simulation/made-for.ts';
import { type Given, json, type Passing, startGateway, upstream, whole } from '../../gateway.ts';
import type { CloudListener } from './cloud.ts';

export interface CloudGatewayDeps extends CloudListener {
  clock: Clock;
  /** Of Keystone, with its version. */
  authUrl: string;
}

export interface CloudGateway {
  /** Of all who come to the gateway. */
  readonly way: TcpProxy;
  /** What to log in at. */
  readonly authUrl: string;
  inject(fault: Fault): void;
  /** Ends what was injected. */
  clear(): void;
  close(): Promise<void>;
}

interface Service {
  readonly type: string;
  readonly endpoints: readonly (JsonObject & { readonly url: string })[];
}

/** What the path of a call begins with, below the service; Cinder's goes on with the project that speaks. */
const VERSION = /^.*?\/v\d+(\.\d+)?(\/[0-9a-f]{32}(?=\/))?(?=\/)/;

export async function cloudGateway({ clock, authUrl, onBegun, onServed }: CloudGatewayDeps): Promise<CloudGateway> {
  const faults = new Faults();
  const behind = upstream();
  const identity = new URL(authUrl);
  const origins = new Map([['identity', identity.origin]]);
  let publicOrigin = '';
  const readdressed = (answer: JsonObject): JsonObject => {
    const { token } = answer as { readonly token?: JsonObject & { readonly catalog?: readonly Service[] } };
    if (token?.catalog === undefined) return answer;
    const catalog = token.catalog.map(({ endpoints, ...service }) => ({
      ...service,
      endpoints: endpoints.map((endpoint) => {
        const { origin, pathname } = new URL(endpoint.url);
        origins.set(service.type, origin);
        return { ...endpoint, url: `${publicOrigin}/${service.type}${pathname.replace(/\/$/, '')}` };
      }),
    }));
    return { ...answer, token: { ...token, catalog } };
  };
  /** What the cloud does of it, and says; told of, whatever becomes of the answer. */
  const done = async (origin: string, call: Named, passing: Passing): Promise<Whole | undefined> => {
    const { method, path } = call;
    const isChange = method !== 'GET' && path !== '/auth/tokens';
    const body = parsed(passing.body) as JsonObject | undefined;
    if (isChange) onBegun({ method, path, body });
    const sent = await behind.send(origin, passing);
    const given = sent && (await whole(sent));
    const answer = given && parsed(given.body);
    const requestId = `req-${madeFor(passing.headers['traceparent'])}`;
    if (isChange) onServed({ ...call, at: clock.now(), requestId, status: given?.status ?? 0, body, answer });
    return given && { ...given, answer };
  };
  const gateway = await startGateway(async (passing): Promise<Given | undefined> => {
    const [, service = '', below = ''] = /^\/([^/?]+)(.*)$/.exec(passing.path) ?? [];
    const origin = origins.get(service);
    if (origin === undefined) return json(404, { error: { message: `there is no service '${service}'` } });
    const [path = ''] = below.replace(VERSION, '').split('?');
    const call: Named = { service: service as SimulatedService, method: passing.method, path };
    const fault = faults.take(call);
    if (fault?.delayMs !== undefined) await clock.sleep(fault.delayMs);
    if (fault?.dropBeforeWork) return undefined;
    if (fault?.status !== undefined) return json(fault.status, {}, fault.headers);
    const given = await done(origin, call, { ...passing, path: below });
    if (given === undefined || fault?.dropAfterWork) return undefined;
    if (path !== '/auth/tokens' || given.answer === undefined) return given;
    const subject = { 'x-subject-token': given.headers['x-subject-token'] };
    return json(given.status, readdressed(given.answer as JsonObject), subject);
  });
  const way = await startProxy('127.0.0.1', gateway.port);
  publicOrigin = `http://127.0.0.1:${way.port}`;
  return {
    way,
    authUrl: `${publicOrigin}/identity${identity.pathname}`,
    inject: (fault) => void faults.inject(fault),
    clear: () => faults.clear(),
    async close() {
      await way.close();
      await gateway.close();
      await behind.close();
    },
  };
}

type Named = Pick<ServedCall, 'service' | 'method' | 'path'>;
type Whole = Given & { readonly answer: Json | undefined };

/** Undefined: nothing, or not JSON. */
function parsed(body: Buffer): Json | undefined {
  const text = body.toString('utf8').trim();
  return text.startsWith('{') ? (JSON.parse(text) as Json) : undefined;
}
