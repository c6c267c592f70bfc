// The client's end of a pipe: when it opens, when it gives up, and how it comes back.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { pipePath, probePipe } from '../../../../adapters/csi-proxy/base/pipes.ts';
import { Code } from '../../../../adapters/csi-proxy/base/status.ts';
import { openConnection } from '../../../../adapters/csi-proxy/client/open-connection.ts';
import { clock, echoMethod, failureOf, freshPrefix, served } from '../echo-group.ts';

export function connectionSuite(test: Test): void {
  test('where nobody serves, it says so at once (Rule 1.1)', async () => {
    const { prefix, remove } = freshPrefix();
    const { code, message } = await failureOf(openConnection(pipePath('test', 'v1', prefix), { clock }));
    assert.is(code, 'absent');
    assert.match(message, `no process serves on '${pipePath('test', 'v1', prefix)}'`);
    remove();
  });

  test('a name that no pipe can have is refused, whatever it is', async () => {
    for (const path of ['', '80', '\0', `/tmp/${'x'.repeat(500)}`]) {
      const { message } = await failureOf(openConnection(path, { clock }));
      assert.ok(message.includes(`'${path}'`), message);
    }
  });

  test('the probing connection is closed again (Rule 1.1)', async () => {
    const { prefix, remove } = freshPrefix();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(pipePath('test', 'v1', prefix), resolve));
    const connection = await openConnection(pipePath('test', 'v1', prefix), { clock });
    // Nothing else is opened before the first call, so the server is without connections when this one has gone.
    await new Promise<void>((resolve) => server.close(() => resolve()));
    connection.close();
    remove();
  });

  // Elsewhere a full socket is refused like one that is not there, and a pipe of Windows is never full by itself.
  if (process.platform === 'linux') {
    test('a pipe is tried for as long as it is busy, and no longer', async () => {
      const { prefix, remove } = freshPrefix();
      const path = pipePath('test', 'v1', prefix);
      const script = `require('net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => {
      process.stdout.write('listening');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    })`;
      const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      const waiting = Array.from({ length: 4 }, () => connect(path).on('error', () => undefined));
      const { code, message } = await failureOf(probePipe(path, { clock, limitMs: 100 }));
      assert.is(code, 'transient');
      assert.match(message, 'was busy for 100 ms');
      for (const socket of waiting) socket.destroy();
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      child.stdout.destroy();
      remove();
    });
  }

  test('a server that is silent ends the call at its deadline', async () => {
    const { prefix, remove } = freshPrefix();
    const path = pipePath('test', 'v1', prefix);
    const sockets = new Set<Socket>();
    const server = createServer((socket) => sockets.add(socket.resume()));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const connection = await openConnection(path, { clock });
    const { code } = await failureOf(connection.call(echoMethod('v1', 'Echo'), {}, { timeoutMs: 50 }));
    assert.is(code, Code.DeadlineExceeded);
    connection.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    remove();
  });

  test('a connection that the server takes and loses is tried again, and what was not sent is sent', async () => {
    for (const spoil of [
      (socket: Socket) => void socket.resume(),
      (socket: Socket) => void socket.destroy(),
      // It has begun to answer.
      (socket: Socket) => void socket.resume().end('\0\0'),
    ]) {
      await served(
        async (_context, request) => request,
        async ({ prefix }) => {
          const taken: Socket[] = [];
          const front = freshPrefix();
          // The probe comes first, then the first two connections of gRPC.
          const server = createServer((socket) => {
            socket.on('error', () => undefined);
            taken.push(socket);
            if (taken.length === 2 || taken.length === 3) spoil(socket);
            else if (taken.length > 3) {
              const behind = connect(pipePath('test', 'v1', prefix)).on('error', () => undefined);
              behind.pipe(socket).pipe(behind);
            }
          });
          const path = pipePath('test', 'v1', front.prefix);
          await new Promise<void>((resolve) => server.listen(path, resolve));
          const connection = await openConnection(path, { clock, handshakeMs: 200 });
          assert.is((await connection.call(echoMethod('v1', 'Echo'), { text: 'once' }, {})).text, 'once');
          assert.is(taken.length, 4);
          connection.close();
          server.close();
          front.remove();
        },
      )();
    }
  });

  test('a closed connection leaves nothing open, whatever the server does', async () => {
    const { prefix, remove } = freshPrefix();
    const path = pipePath('test', 'v1', prefix);
    const sockets: Socket[] = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket);
      socket.resume().on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const script = `
      const { openConnection } = await import(${JSON.stringify(new URL('../../../../adapters/csi-proxy/client/open-connection.ts', import.meta.url).href)});
      const { systemClock } = await import(${JSON.stringify(new URL('../../../../actors/base/clock.ts', import.meta.url).href)});
      const { echoMethod } = await import(${JSON.stringify(new URL('../echo-group.ts', import.meta.url).href)});
      const connection = await openConnection(${JSON.stringify(path)}, { clock: systemClock() });
      const { code } = await connection.call(echoMethod('v1', 'Echo'), {}, { timeoutMs: 200 }).catch((error) => error);
      connection.close();
      process.exitCode = code;`;
    const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const timer = clock.setTimeout(() => child.kill('SIGKILL'), 40_000);
    assert.equal(await once(child, 'exit'), [Code.DeadlineExceeded, null]);
    clock.clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
    server.close();
    remove();
  });

  test(
    'a call is canceled by its signal, before and after it is sent',
    served(
      () => new Promise(() => undefined),
      async ({ call }) => {
        assert.is((await failureOf(call('Echo', {}, { signal: AbortSignal.abort() }))).code, Code.Cancelled);
        const stop = new AbortController();
        const ended = failureOf(call('Echo', {}, { signal: stop.signal }));
        stop.abort();
        assert.is((await ended).code, Code.Cancelled);
      },
    ),
  );

  test(
    'an error in the response is a failure, as in old versions',
    served(
      async (_context, { text = '' }) => ({ error: text }),
      async ({ call }) => {
        assert.equal(await failureOf(call('Echo', { text: 'no such path' })), {
          code: Code.Unknown,
          message: 'no such path',
        });
        assert.is((await call('Echo', { text: '' })).error, '');
      },
    ),
  );

  test(
    'a closed connection says so',
    served(
      async () => ({}),
      async ({ prefix }) => {
        const connection = await openConnection(pipePath('test', 'v1', prefix), { clock });
        connection.close();
        const { code } = await failureOf(connection.call(echoMethod('v1', 'Echo'), {}, {}));
        assert.is(code, Code.Unavailable);
      },
    ),
  );
}
