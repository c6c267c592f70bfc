// Frames of inspection on a WebSocket on loopback, and a page that hands them to Stately's inspector.
//
// Invariants:
//   CLI-INSPECTION-SERVER-1. Only programs and pages of this machine are served: a page from elsewhere could ask too, by the browser of
//       a person who looks at it, or by a name that leads to loopback.
//   CLI-INSPECTION-SERVER-2. A reader that is too slow does not make the process keep what it has not read.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type JsonObject, type ReceivedEvent, TerminalError, toErrorData } from '../../../bus/mod.ts';
import type { Inspection } from './inspection.ts';

export interface InspectionServer {
  /** Origin of the page. */
  readonly url: string;
  readonly webSocketUrl: string;
  report(event: ReceivedEvent): void;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
/** Limit of what waits for a reader, in bytes. */
const LARGEST_BACKLOG = 64 * 1024 * 1024;
/** Try again later, as RFC 6455's registry names it. */
const TOO_SLOW = 1013;

/** @throws {TerminalError} the port is taken */
export async function serveInspection(
  { framesOf, present }: Inspection,
  { port }: { readonly port: number },
): Promise<InspectionServer> {
  const http = createServer((request, response) => {
    if (!isLocal(request)) return void response.writeHead(403).end();
    if (request.url !== '/') return void response.writeHead(404).end();
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
      .end(PAGE);
  });
  const sockets = new WebSocketServer({
    server: http,
    verifyClient: ({ req }: { req: IncomingMessage }) => isLocal(req),
  });
  sockets.on('error', () => undefined); // told by the HTTP server, too
  const send = (socket: WebSocket, frame: JsonObject): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > LARGEST_BACKLOG) socket.close(TOO_SLOW, 'too slow');
    else socket.send(JSON.stringify(frame));
  };
  sockets.on('connection', (socket) => {
    socket.on('error', () => socket.terminate());
    for (const frame of present()) send(socket, frame);
  });
  await listen(http, port);
  const { port: own } = http.address() as AddressInfo;
  return {
    url: `http://localhost:${own}`,
    webSocketUrl: `ws://${HOST}:${own}`,
    report(event) {
      for (const frame of framesOf(event)) for (const socket of sockets.clients) send(socket, frame);
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** For any host name that it was called by, and any page that it was called from. */
function isLocal({ headers: { host = '', origin } }: IncomingMessage): boolean {
  if (!LOCAL.test(host)) return false;
  return origin === undefined || (URL.canParse(origin) && LOCAL.test(new URL(origin).host));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void =>
      reject(new TerminalError(`--inspect cannot listen on port ${port}: ${toErrorData(error).message}`));
    server.once('error', refuse);
    server.listen(port, HOST, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

const INSPECTOR = 'https://stately.ai';
const POLICY = `default-src 'none'; frame-src ${INSPECTOR}; connect-src 'self' ws:; script-src 'unsafe-inline'; style-src 'unsafe-inline'`;
/** The inspector says by a message when it listens; until then frames wait. */
const PAGE = `<!doctype html>
<title>Troupe: actors</title>
<style>html, body, iframe { margin: 0; width: 100%; height: 100%; border: 0 }</style>
<iframe src="${INSPECTOR}/inspect"></iframe>
<script>
  const { contentWindow } = document.querySelector('iframe');
  let waiting = [];
  const show = (frame) => contentWindow.postMessage(frame, '${INSPECTOR}');
  addEventListener('message', ({ source, data }) => {
    if (source !== contentWindow || data?.type !== '@statelyai.connected') return;
    waiting?.forEach(show);
    waiting = undefined;
  });
  new WebSocket('ws://' + location.host).addEventListener('message', ({ data }) => {
    const frame = JSON.parse(data);
    if (waiting === undefined) show(frame);
    else waiting.push(frame);
  });
</script>
`;
