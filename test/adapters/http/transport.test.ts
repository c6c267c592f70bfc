// What is sent to a cloud, and what is known of it when nobody answers: on real sockets.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { proxyIn } from '../../../adapters/http/proxies.ts';
import { AnswerMemory } from '../../../adapters/http/response.ts';
import { httpTransport } from '../../../adapters/http/transport.ts';
import { type Clock, TransientError, UnknownOutcomeError } from '../../../bus/mod.ts';
import { withTlsServer } from '../kubernetes/tls-server.ts';
import { withProxy } from './connect-proxy.ts';

const test = suite('transport');

const TRUST = { ca: undefined, verify: 'verified' } as const;

/** A clock that a test puts forward; its timers are those of a process that has just woken: none has run yet. */
function standing(): { readonly clock: Clock; forward(ms: number): void } {
  const system = systemClock();
  let ahead = 0;
  return {
    clock: { ...system, now: () => system.now() + ahead, setTimeout: (run) => system.setTimeout(run, 60_000) },
    forward: (ms) => {
      ahead += ms;
    },
  };
}

async function withServer(server: Server, run: (url: string) => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function rejection(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was answered');
}

const post = (url: string, deadlineAt: number) =>
  ({
    method: 'POST',
    url,
    label: 'POST /things',
    headers: {},
    body: { name: 'one' },
    deadlineAt,
    extent: 'one',
    holding: new AnswerMemory().open(['test']),
  }) as const;

test('a process that wakes after the deadline sends nothing, though its connection is there before its timers (P10)', async () => {
  let heard = 0;
  const server = createServer((_, response) => {
    heard++;
    response.end('{}');
  });
  await withServer(server, async (url) => {
    const { clock, forward } = standing();
    const transport = httpTransport(TRUST, undefined, clock);
    try {
      const call = rejection(transport.exchange(post(url, clock.now() + 60_000)));
      forward(61_000); // the connection is still being made
      const error = await call;
      assert.instance(error, TransientError);
      assert.not.instance(error, UnknownOutcomeError);
      assert.is(error.message, 'POST /things was not sent: its deadline had passed');
      assert.is(heard, 0);
      // The next one is sent as ever.
      assert.is((await transport.exchange(post(url, clock.now() + 60_000))).status, 200);
    } finally {
      await transport.close();
    }
  });
});

test('what was sent and not answered may be done; what was not sent is not', async () => {
  const clock = systemClock();
  const transport = httpTransport(TRUST, undefined, clock);
  try {
    let url = '';
    await withServer(
      createServer((request) => request.socket.destroy()),
      async (address) => {
        url = address;
        assert.instance(await rejection(transport.exchange(post(url, clock.now() + 60_000))), UnknownOutcomeError);
      },
    );
    const refused = await rejection(transport.exchange(post(url, clock.now() + 60_000)));
    assert.match(refused.message, /ECONNREFUSED/);
    assert.not.instance(refused, UnknownOutcomeError);
  } finally {
    await transport.close();
  }
});

test('what an answer proves, by its status and its words', async () => {
  const clock = systemClock();
  const transport = httpTransport(TRUST, undefined, clock);
  let answer: readonly [status: number, text: string] = [200, ''];
  const server = createServer((_, response) => {
    const [status, text] = answer;
    response.writeHead(status).end(text);
  });
  const answered = async (url: string, status: number, text: string): Promise<unknown> => {
    answer = [status, text];
    return transport.exchange(post(url, clock.now() + 60_000)).catch((error: unknown) => error);
  };
  try {
    await withServer(server, async (url) => {
      // Said by a service.
      for (const [status, text] of [
        [200, '{"id":1}'],
        [204, ''],
        [404, '{"error":{}}'],
        [409, ''],
        [401, 'Authentication required'],
      ] as const) {
        assert.is(((await answered(url, status, text)) as { readonly status?: unknown }).status, status);
      }
      // Whoever said it, nothing is absent, and nothing was done.
      for (const [status, text] of [
        [404, ''],
        [404, ' \n'],
        [404, '<html>'],
        [409, '[]'],
        [500, 'oops'],
      ] as const) {
        const error = await answered(url, status, text);
        assert.instance(error, TransientError, `${status} '${text}'`);
        assert.not.instance(error, UnknownOutcomeError, `${status} '${text}'`);
      }
      // It may have been done.
      for (const [status, text] of [
        [200, '<html>'],
        [201, '[1]'],
        [502, '<html>'],
        [504, 'gone'],
      ] as const) {
        assert.instance(await answered(url, status, text), UnknownOutcomeError, `${status} '${text}'`);
      }
    });
  } finally {
    await transport.close();
  }
});

test('an answer that is to be a list is one, or a refusal; and the id of a request has either name', async () => {
  const clock = systemClock();
  const transport = httpTransport(TRUST, undefined, clock);
  const id = 'req-8839f16b-346d-433f-b4e2-bdfbe380263f';
  let answer: readonly [status: number, text: string] = [200, ''];
  let name = 'openstack-request-id';
  const server = createServer((_, response) => response.writeHead(answer[0], { [name]: id }).end(answer[1]));
  try {
    await withServer(server, async (url) => {
      const list = () => transport.exchange({ ...post(url, clock.now() + 60_000), shape: 'list' });
      answer = [200, '[1,{"a":2}]'];
      const { items, body, requestId } = await list();
      assert.equal({ items, body, requestId }, { items: [1, { a: 2 }], body: {}, requestId: id });
      name = 'x-openstack-request-id';
      answer = [404, '{"error":{}}'];
      const refusal = await list();
      assert.equal([refusal.body, refusal.items, refusal.requestId], [{ error: {} }, undefined, id]);
      for (const text of ['{}', '5', '<html>']) {
        answer = [200, text];
        assert.instance(await rejection(list()), UnknownOutcomeError, text);
      }
      name = 'x-other';
      answer = [200, '[]'];
      assert.is((await list()).requestId, undefined);
    });
  } finally {
    await transport.close();
  }
});

test('34.4: what is ended while its connection is being made ends at once, and is never sent', async () => {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(request.method ?? '');
    response.end('{}');
  });
  await withServer(server, async (url) => {
    const clock = systemClock();
    const transport = httpTransport(TRUST, undefined, clock);
    try {
      const abort = new AbortController();
      async function* chunks() {
        yield Buffer.from('content');
      }
      const stream = { contentType: 'application/octet-stream', chunks, signal: abort.signal };
      const { body: _, ...put } = post(url, clock.now() + 60_000);
      const call = rejection(transport.exchange({ ...put, method: 'PUT', stream }));
      abort.abort();
      const error = await call;
      assert.not.instance(error, UnknownOutcomeError);
      assert.is(error.message, 'POST /things was ended');
      // The connection is there by then.
      await transport.exchange(post(url, clock.now() + 60_000));
      assert.equal(heard, ['POST']);
    } finally {
      await transport.close();
    }
  });
});

test('requests by https go through a tunnel of the proxy, but for hosts and networks in NO_PROXY', () =>
  withTlsServer((server) =>
    withProxy(server, async (proxy) => {
      const clock = systemClock();
      const trust = { ca: server.authority, verify: 'verified' } as const;
      const requested = async (host: string, noProxy?: string): Promise<number> => {
        const variables: Record<string, string | undefined> = {
          HTTPS_PROXY: `127.0.0.1:${proxy.port}`,
          no_proxy: noProxy,
        };
        const transport = httpTransport(
          trust,
          proxyIn((name) => variables[name]),
          clock,
        );
        try {
          const url = `https://${host}:${server.port}/version`;
          const { body: _, ...get } = post(url, clock.now() + 10_000);
          const { status } = await transport.exchange({ ...get, method: 'GET', url });
          return status;
        } finally {
          await transport.close();
        }
      };
      // Nothing has that name here: only the proxy knows it.
      assert.is(await requested('api.example'), 200);
      assert.is(await requested('127.0.0.1'), 200);
      assert.equal(
        proxy.tunnels.map(({ to }) => to),
        [`api.example:${server.port}`],
      );
      await rejection(requested('api.example', '10.0.0.0/8, .example'));
      await rejection(requested('127.1.0.1', '127.0.0.0/8'));
      assert.is(proxy.tunnels.length, 1);
      assert.equal(server.versions, ['1.1', '1.1']);
    }),
  ));

test.run();
