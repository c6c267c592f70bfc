// Opens connections and leaves them be, until its input ends: as a process of its own, for the number of files that one may have open.
import { once } from 'node:events';
import { connect } from 'node:net';

const [port = '', count = '', path = ''] = process.argv.slice(2);

for (let n = 0; n < Number(count); n++) {
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  // Some begin a request, some ask for much and do not read, the others say nothing.
  if (n % 10 === 0) socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{`);
  if (n % 50 === 1) {
    socket.pause();
    socket.write(`GET ${path}?size=-1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  }
}
process.stdout.write('connected\n');
await once(process.stdin.resume(), 'end');
process.exit(0);
