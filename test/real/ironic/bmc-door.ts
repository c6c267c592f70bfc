// A way of its own into one BMC behind the BMC service of the tests: with a name and a password that nothing else has, and a door
// that can be shut. What comes with them goes on to the service with those that it knows.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface BmcDoor {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly username: string;
  password: string;
  /** While it is shut, connections are reset. */
  isShut: boolean;
  close(): Promise<void>;
}

export interface BmcDoorOptions {
  /** Of the service behind. */
  readonly url: string;
  readonly credentials: { readonly username: string; readonly password: string };
  readonly username: string;
  readonly password: string;
}

const REFUSED = { error: { code: 'Base.1.0.GeneralError', message: 'Incorrect username or password' } };

export async function openBmcDoor({ url, credentials, ...own }: BmcDoorOptions): Promise<BmcDoor> {
  const sockets = new Set<Socket>();
  const server = createServer((asked, answer) => {
    const { authorization } = asked.headers;
    // What nobody needs a name for, such as the root of the service, is asked for without one.
    if (authorization !== undefined && authorization !== basic(door)) {
      asked.resume();
      answer.writeHead(401, { 'Content-Type': 'application/json', 'WWW-Authenticate': 'Basic' });
      answer.end(JSON.stringify(REFUSED));
    } else passOn(asked, answer);
  });
  const passOn = (asked: IncomingMessage, answer: ServerResponse): void => {
    const { authorization, ...rest } = asked.headers;
    const headers = {
      ...rest,
      host: new URL(url).host,
      ...(authorization !== undefined && { authorization: basic(credentials) }),
    };
    const onward = request(`${url}${asked.url}`, { method: asked.method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  };
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    if (door.isShut) socket.resetAndDestroy();
  });
  let isShut = false;
  const door = {
    ...own,
    url: '',
    get isShut() {
      return isShut;
    },
    set isShut(value: boolean) {
      isShut = value;
      if (isShut) for (const socket of sockets) socket.resetAndDestroy();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  door.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return door;
}

function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
