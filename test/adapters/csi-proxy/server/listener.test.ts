// What is particular to Unix sockets, which are files, and to a name that is taken: Wine lets two servers have one.
import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pipePath } from '../../../../adapters/csi-proxy/base/pipes.ts';
import { openConnection } from '../../../../adapters/csi-proxy/client/open-connection.ts';
import { clock, echoServer, failureOf, freshPrefix } from '../echo-group.ts';

const test = suite('csi-proxy listener');

test('a pipe that is taken leaves none served, and is named (CSI-CSI-PROXY-SERVER-1)', async () => {
  const { prefix, remove } = freshPrefix();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(pipePath('test', 'v1', prefix), resolve));
  const server = echoServer(prefix);
  const { message } = await failureOf(server.start());
  assert.match(message, `'${pipePath('test', 'v1', prefix)}' cannot be served: the name is taken`);
  const { code } = await failureOf(openConnection(pipePath('test', 'v1alpha1', prefix), { clock }));
  assert.is(code, 'absent');
  other.close();
  remove();
});

test('a socket is its owner’s alone, and one left by a killed server is no obstacle', async () => {
  const { prefix, remove } = freshPrefix();
  const path = pipePath('test', 'v1', `${prefix}deeper/`);
  const server = echoServer(`${prefix}deeper/`);
  await server.start();
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.is(statSync(`${prefix}deeper`).mode & 0o777, 0o700);
  await server.stop(0);

  // What a process leaves that had no time to clean up: the file of a socket on which nobody listens.
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  assert.is(spawnSync(process.execPath, ['-e', script]).signal, 'SIGKILL');
  assert.ok(statSync(path).isSocket());
  const again = echoServer(`${prefix}deeper/`);
  await again.start();
  await again.stop(0);
  remove();
});

test('a file in the place of a socket is left alone', async () => {
  const { prefix, remove } = freshPrefix();
  writeFileSync(pipePath('test', 'v1', prefix), 'precious');
  const { message } = await failureOf(echoServer(prefix).start());
  assert.match(message, 'cannot be served');
  assert.is(statSync(pipePath('test', 'v1', prefix)).size, 8);
  remove();
});

test.run();
