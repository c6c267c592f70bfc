// The gateway over a store on a port of its own, for tests.
import { systemClock } from '../../../../actors/base/clock.ts';
import { noAuthentication } from '../../../../adapters/ocm/gateway/auth/none.ts';
import { type Answered, Api, type ApiDeps } from '../../../../adapters/ocm/gateway/server/api.ts';
import { type HttpOptions, serveHttp } from '../../../../adapters/ocm/gateway/server/http.ts';
import type { Store } from '../../../../adapters/ocm/gateway/store/store.ts';
import { Client } from './client.ts';
import { testModel } from './model.ts';

export interface Serving {
  readonly api: Api;
  readonly client: Client;
  readonly port: number;
  readonly answered: readonly (Answered & { readonly seconds: number })[];
  /** What should not have happened. */
  readonly defects: readonly unknown[];
  close(): Promise<void>;
}

export type ServingOptions = Partial<ApiDeps> & { readonly http?: Partial<HttpOptions> };

export async function serving(store: Store, { http = {}, ...options }: ServingOptions = {}): Promise<Serving> {
  const clock = systemClock();
  const defects: unknown[] = [];
  const answered: (Answered & { readonly seconds: number })[] = [];
  let ids = 0;
  const api = new Api({
    model: testModel(),
    store,
    authenticator: noAuthentication(),
    build: 'test-build',
    now: () => clock.now(),
    newOperationId: () => `operation-${++ids}`,
    newId: () => `id${String(++ids).padStart(6, '0')}`,
    onDefect: (error) => defects.push(error),
    ...options,
  });
  const server = await serveHttp({
    api,
    clock,
    host: '127.0.0.1',
    port: 0,
    onAnswered: (each) => answered.push(each),
    ...http,
  });
  const client = new Client(server.port);
  return {
    api,
    client,
    port: server.port,
    answered,
    defects,
    async close() {
      await server.close();
      api.close();
    },
  };
}
