import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { pipePath } from '../../../../adapters/csi-proxy/base/pipes.ts';
import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import { openConnection } from '../../../../adapters/csi-proxy/client/open-connection.ts';
import { KeyedMutex } from '../../../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { SERVER_LIMITS } from '../../../../adapters/csi-proxy/server/csi-proxy-server.ts';
import {
  clock,
  type EchoHandler,
  echoMethod,
  echoServer,
  failureOf,
  freshPrefix,
  served,
  until,
} from '../echo-group.ts';

/** A message without a field, as gRPC frames it. */
const EMPTY = '\0\0\0\0\0';

const echo: EchoHandler = async (_context, request) => request;

/** A handler that holds every call until it is let go. */
function holding() {
  const held: { readonly text: string | undefined; letGo(): void }[] = [];
  const handler: EchoHandler = ({ signal }, request) => {
    const { promise, resolve } = Promise.withResolvers<typeof request>();
    signal.addEventListener('abort', () => aborted.push(request.text ?? ''));
    held.push({ text: request.text, letGo: () => resolve(request) });
    return promise;
  };
  const aborted: string[] = [];
  return { held, aborted, handler };
}

export function serverSuite(test: Test): void {
  test(
    'all versions of a group answer, each on its pipe',
    served(echo, async ({ server, call, prefix }) => {
      assert.equal(server.pipes, [
        { group: 'test', version: 'v1alpha1', path: pipePath('test', 'v1alpha1', prefix) },
        { group: 'test', version: 'v1', path: pipePath('test', 'v1', prefix) },
      ]);
      assert.is((await call('Echo', { text: 'new' })).text, 'new');
      assert.is((await call('Echo', { text: 'old' }, {}, 'v1alpha1')).text, 'old');
    }),
  );

  test('starting twice is an error, and so is stopping before', async () => {
    const { prefix, remove } = freshPrefix();
    const server = echoServer(prefix);
    assert.match((await failureOf(server.stop(0))).message, 'server not started yet');
    await server.start();
    assert.match((await failureOf(server.start())).message, 'server already started');
    await server.stop(0);
    await server.ended;
    remove();
  });

  test('stopping lets calls end that run, begins none, and then closes (CSI-CSI-PROXY-SERVER-3)', async () => {
    const { held, handler } = holding();
    await served(handler, async ({ server, call, prefix }) => {
      const running = call('Echo', { text: 'first' });
      await until(() => held.length === 1, 'the call runs');
      const stopped = server.stop(60_000);
      const refusal = { code: Code.Unavailable, message: 'the server is stopping' };
      assert.equal(await failureOf(call('Echo', { text: 'second' })), refusal);
      const newcomer = await openConnection(pipePath('test', 'v1', prefix), { clock });
      assert.equal(await failureOf(newcomer.call(echoMethod('v1', 'Echo'), {}, {})), refusal);
      newcomer.close();
      held[0]?.letGo();
      assert.is((await running).text, 'first');
      await stopped;
      assert.is(held.length, 1);
      assert.is((await failureOf(openConnection(pipePath('test', 'v1', prefix), { clock }))).code, 'absent');
    })();
  });

  test('stopping does not wait longer than told, nor for who only connected', async () => {
    const { held, handler } = holding();
    await served(handler, async ({ server, call, prefix }) => {
      const silent = connect(pipePath('test', 'v1alpha1', prefix));
      const closed = new Promise((resolve) => silent.once('close', resolve));
      const running = failureOf(call('Echo', { text: 'endless' }));
      await until(() => held.length === 1, 'the call runs');
      await server.stop(20);
      const { code } = await running;
      assert.ok(code === Code.Unavailable || code === Code.Cancelled, String(code));
      silent.resume();
      await closed;
    })();
  });

  test('a call has its turn when another ends; too many waiting are refused', async () => {
    const { held, handler } = holding();
    const limits = { ...SERVER_LIMITS, callsPerGroup: 2, waitingPerGroup: 1 };
    await served(
      handler,
      async ({ call }) => {
        const calls = [call('Echo', { text: '1' }), call('Echo', { text: '2' }, {}, 'v1alpha1')];
        await until(() => held.length === 2, 'two run, one of each version');
        calls.push(call('Echo', { text: '3' }));
        // On one connection they arrive in the order in which they were sent.
        const { code, message } = await failureOf(call('Echo', { text: '4' }));
        assert.is(code, Code.ResourceExhausted);
        assert.match(message, 'too many calls of group test');
        held[0]?.letGo();
        await until(() => held.length === 3, 'the third has its turn');
        for (const { letGo } of held) letGo();
        await Promise.allSettled(calls);
      },
      { limits },
    )();
  });

  test('a call that nobody waits for any more is not begun, and one that runs keeps its turn (CSI-CALLS-2, CSI-CALLS-3)', async () => {
    const { held, aborted, handler } = holding();
    const limits = { ...SERVER_LIMITS, callsPerGroup: 1 };
    await served(
      handler,
      async ({ call, metrics }) => {
        const stop = new AbortController();
        const first = failureOf(call('Echo', { text: 'first' }, { signal: stop.signal }));
        await until(() => held.length === 1, 'the first runs');
        const second = failureOf(call('Echo', { text: 'second' }, { timeoutMs: 50 }));
        const third = call('Echo', { text: 'third' });
        assert.is((await second).code, Code.DeadlineExceeded);
        stop.abort();
        assert.is((await first).code, Code.Cancelled);
        await until(() => aborted.includes('first'), 'the handler hears of it');
        assert.is(held.length, 1);
        held[0]?.letGo();
        await until(() => held.length === 2, 'the turn is over');
        assert.is(held[1]?.text, 'third');
        held[1]?.letGo();
        await third;
        // Who hears first of a deadline that has passed, the client or the server, decides which of the two it was.
        await until(async () => {
          const ended = [
            ...(await metrics()).matchAll(/handled_total\{grpc_code="(?:Canceled|DeadlineExceeded)",.*\} (\d)/g),
          ];
          return ended.reduce((sum, [, count]) => sum + Number(count), 0) === 2;
        }, 'both are counted');
      },
      { limits },
    )();
  });

  test('33.C7: calls behind one that is stuck, whose callers gave up, give their turns back to the group', async () => {
    const lanes = new KeyedMutex();
    const stuck = Promise.withResolvers<void>();
    const begun: string[] = [];
    const handler: EchoHandler = ({ signal }, request) =>
      lanes.run(request.path, signal, async () => {
        begun.push(request.text);
        if (request.text === 'stuck') await stuck.promise;
        return request;
      });
    await served(
      handler,
      async ({ call }) => {
        const first = call('Echo', { text: 'stuck', path: 'one' });
        await until(() => begun.length === 1, 'it is stuck');
        for (const text of ['2', '3', '4', '5']) {
          const { code } = await failureOf(call('Echo', { text, path: 'one' }, { timeoutMs: 50 }));
          assert.is(code, Code.DeadlineExceeded);
        }
        assert.is((await call('Echo', { text: 'other', path: 'two' })).text, 'other');
        stuck.resolve();
        await first;
        assert.equal(begun, ['stuck', 'other']);
      },
      { limits: { ...SERVER_LIMITS, callsPerGroup: 3, waitingPerGroup: 3 } },
    )();
  });

  test('a call ends after its time limit, its work does not (CSI-CALLS-2)', async () => {
    const { held, handler } = holding();
    await served(
      handler,
      async ({ call, lines }) => {
        const { code, message } = await failureOf(call('Echo', { text: 'slow' }));
        assert.is(code, Code.DeadlineExceeded);
        assert.match(message, 'Echo took longer than 30 ms; its work may still be done');
        held[0]?.letGo();
        assert.is(lines().filter((line) => line.includes('call failed')).length, 1);
      },
      { limitMs: () => 30 },
    )();
  });

  test('whatever a handler throws is a status, and the server lives (CSI-CALLS-1)', async () => {
    const thrown: unknown[] = [
      new StatusError(Code.NotFound, 'could not find disk 7'),
      new Error('plain'),
      'a text',
      undefined,
      new StatusError(Code.InvalidArgument, `path contains invalid characters: \ud800 ${'x'.repeat(5_000_000)}`),
      new StatusError(Code.InvalidArgument, 'line\r\nbreak \0 “quotes” 100 % 日本'),
    ];
    await served(
      async () => {
        throw thrown.shift();
      },
      async ({ call }) => {
        assert.equal(await failureOf(call('Echo', {})), { code: Code.NotFound, message: 'could not find disk 7' });
        assert.equal(await failureOf(call('Echo', {})), { code: Code.Unknown, message: 'plain' });
        assert.equal(await failureOf(call('Echo', {})), { code: Code.Unknown, message: 'a text' });
        assert.is((await failureOf(call('Echo', {}))).code, Code.Unknown);
        const { code, message } = await failureOf(call('Echo', {}));
        assert.is(code, Code.InvalidArgument);
        assert.match(message, /^path contains invalid characters: \ufffd x{1000}/);
        assert.is((await failureOf(call('Echo', {}))).message, 'line\r\nbreak \0 “quotes” 100 % 日本');
      },
    )();
  });

  test('what is no request is refused, and the server lives (CSI-CALLS-1)', async () => {
    const limits = { ...SERVER_LIMITS, requestBytes: 10_000 };
    await served(
      echo,
      async ({ call, prefix }) => {
        const path = pipePath('test', 'v1', prefix);
        const tooLong = await failureOf(call('Echo', { text: 'x'.repeat(10_001) }));
        assert.is(tooLong.code, Code.ResourceExhausted);
        const unknown = await failureOf(
          (await openConnection(path, { clock })).call(
            { ...echoMethod('v1', 'Echo'), path: '/v1.Test/Nothing' },
            {},
            {},
          ),
        );
        assert.is(unknown.code, Code.Unimplemented);
        for (const body of ['', '\0', '\0\0\0\0\x05ab', '\0\0\0\0\x02\x0a\x05', `${EMPTY}${EMPTY}`]) {
          assert.is.not(await raw(path, body), '0', JSON.stringify(body));
        }
        for (const bytes of [
          'GET / HTTP/1.1\r\n\r\n',
          'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff',
        ]) {
          await garbage(path, bytes);
        }
        assert.is(await raw(path, EMPTY), '0');
        assert.is((await call('Echo', { text: 'alive' })).text, 'alive');
      },
      { limits },
    )();
  });

  test('any legal authority is accepted', async () => {
    await served(echo, async ({ prefix }) => {
      for (const authority of [
        'localhost',
        '%5C%5C.%5Cpipe%5Ccsi-proxy-disk-v1',
        'example.org:80',
        'a',
        '[::1]:1',
        'x'.repeat(300),
      ]) {
        assert.is(await raw(pipePath('test', 'v1', prefix), EMPTY, authority), '0', authority);
      }
    })();
  });

  test('figures have the names, the labels and the bounds of the original', async () => {
    await served(
      async (_context, { text }) => {
        if (text === 'absent') throw new StatusError(Code.NotFound, 'absent');
        return {};
      },
      async ({ call, metrics }) => {
        await call('Echo', {});
        await failureOf(call('Echo', { text: 'absent' }));
        await call('Old', {}, {}, 'v1alpha1');
        await call('Old', {}, {}, 'v1alpha1');
        const text = await metrics();
        const labels = 'grpc_method="Echo",grpc_service="v1.Test",grpc_type="unary"';
        for (const line of [
          `grpc_server_started_total{${labels}} 2`,
          `grpc_server_handled_total{grpc_code="OK",${labels}} 1`,
          `grpc_server_handled_total{grpc_code="NotFound",${labels}} 1`,
          `grpc_server_msg_received_total{${labels}} 2`,
          `grpc_server_msg_sent_total{${labels}} 1`,
          `grpc_server_handling_seconds_bucket{${labels},le="+Inf"} 2`,
          `grpc_server_handling_seconds_count{${labels}} 2`,
          'csi_proxy_deprecated_calls_total{group="test",rpc="Old",version="v1alpha1"} 2',
        ]) {
          assert.ok(text.includes(`\n${line}\n`), `${line} is not in\n${text}`);
        }
        const bounds = [...text.matchAll(/_bucket\{grpc_method="Echo",.*,le="([^"]*)"\}/g)].map(([, bound]) => bound);
        assert.is(bounds.join(' '), '0.001 0.01 0.1 0.3 0.6 1 3 6 9 20 30 60 90 120 +Inf');
      },
    )();
  });

  test('changes are logged with what they were about, reads only for who looks closer, secrets never (CSI-CALLS-4)', async () => {
    await served(
      async (_context, { text }) => {
        if (text === 'refused') throw new StatusError(Code.Unknown, 'the password hunter2 is wrong');
        if (text === 'broken') throw new Error('hunter2 broke it');
        return {};
      },
      async ({ call, lines }) => {
        await call('Echo', { path: 'C:\\data', password: 'hunter2' });
        await call('GetEcho', { path: 'C:\\data' });
        const { message } = await failureOf(call('Echo', { text: 'refused', password: 'hunter2' }));
        assert.is(message, 'the password (hidden) is wrong');
        await failureOf(call('Echo', { text: 'broken', password: 'hunter2' }));
        await call('Old', {});
        await call('Old', {});
        const logged = lines().map((line) => JSON.parse(line) as Record<string, unknown>);
        assert.not.match(lines().join(''), 'hunter2');
        const [done, read, failed] = logged;
        assert.equal([done?.['level'], done?.['msg'], done?.['subject']], [30, 'call done', { path: 'C:\\data' }]);
        assert.equal([done?.['group'], done?.['version'], done?.['rpc']], ['test', 'v1', 'Echo']);
        assert.is(read?.['level'], 20);
        assert.is(failed?.['reason'], 'the password (hidden) is wrong');
        assert.is(logged.filter(({ msg }) => msg === 'something deprecated was called').length, 1);
      },
    )();
  });

  test('connections beyond the limit are closed while all others have calls', async () => {
    const { held, handler } = holding();
    const limits = { ...SERVER_LIMITS, connectionsPerPipe: 1 };
    await served(
      handler,
      async ({ call, prefix }) => {
        const running = call('Echo', { text: 'running' });
        await until(() => held.length === 1, 'the call runs');
        const refused = connect(pipePath('test', 'v1', prefix));
        await new Promise((resolve) => refused.resume().once('close', resolve));
        held[0]?.letGo();
        assert.is((await running).text, 'running');
      },
      { limits },
    )();
  });
}

/** Sends `body` as the bytes of a call. @returns the status that came, in words if it was none of gRPC's */
async function raw(path: string, body: string, authority = 'localhost'): Promise<string> {
  const session = connectHttp2('http://localhost', { createConnection: () => connect(path) });
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/v1.Test/Echo',
      ':authority': authority,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let status = 'none';
    stream.on('response', (headers) => {
      status = String(headers['grpc-status'] ?? status);
    });
    stream.on('trailers', (headers) => {
      status = String(headers['grpc-status'] ?? status);
    });
    const closed = new Promise<void>((resolve) => stream.once('close', resolve));
    stream.on('error', () => undefined);
    stream.resume().end(Buffer.from(body, 'latin1'));
    await closed;
    return status;
  } finally {
    session.destroy();
  }
}

/** Sends what is no HTTP/2, and waits until the server hangs up. */
async function garbage(path: string, bytes: string): Promise<void> {
  const socket = connect(path);
  socket.write(Buffer.from(bytes, 'latin1'));
  await new Promise((resolve) => socket.resume().once('close', resolve).once('error', resolve));
}
