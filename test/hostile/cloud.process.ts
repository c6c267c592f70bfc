// A hostile cloud in a process of its own, forked: it says where it is, and lives as long as who started it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBy } from './manners.ts';

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    Object.assign(request, { said: Buffer.concat(parts).toString() });
    answerBy(request, response, url);
  });
  request.on('error', () => undefined); // whoever asked is gone
  response.on('error', () => undefined);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.on('disconnect', () => process.exit()); // whoever started it is gone
process.send?.({ url });
