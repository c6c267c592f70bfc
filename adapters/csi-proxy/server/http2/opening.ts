// Opening of a connection: its first request shows whether its headers need rewriting.
//
// Invariants:
//   CSI-OPENING-1. The client gets its settings at once: many wait for them before they send a request.
//   CSI-OPENING-2. The session never sees the client's answer to them, to which it would know no question; it sends the same again.
//   CSI-OPENING-3. A client whose first request is lawful, as almost all are, talks to Node's session from then on without anything in
//       between.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../../bus/time.ts';
import { settingsFrame } from './frames.ts';
import { MendedSocket } from './mended-socket.ts';
import { Mender } from './mender.ts';

/** A client that has no request by then gets a session all the same, in milliseconds: it may want an answer to its settings. */
const FIRST_REQUEST_MS = 20_000;
/** More than that is not kept for a session. */
const LONGEST_OPENING_BYTES = 65_536;

export interface OpeningDeps {
  readonly socket: Socket;
  readonly clock: Clock;
  /** Maximum number of concurrent calls. */
  readonly maxConcurrentStreams: number;
  /** The client has sent its settings. */
  onSettings(): void;
  /** Called with the stream for the session. */
  onOpen(stream: Duplex): void;
  /** The client will be served though its authority is none; said once. */
  onMended(): void;
  /** The data is no HTTP/2; the connection is closed. May be called after `onOpen`. */
  onRefused(error: Error): void;
}

export function openHttp2(deps: OpeningDeps): void {
  const { socket, clock, maxConcurrentStreams } = deps;
  const mender = new Mender();
  let held: Buffer[] = [];
  let heldBytes = 0;
  let acknowledged = false;
  // Windows ends a write later than the client reads it, and a session takes the end of a write that is not its own amiss.
  let isWritten = false;
  let onWritten = (): void => undefined;
  let greeted = false;
  let isMending = false;

  const take = (chunk: Buffer) => {
    const mended = mender.take(chunk);
    acknowledged ||= mended.sawAck;
    if (mended.sawSettings && !greeted) {
      greeted = true;
      deps.onSettings();
    }
    if (mender.isMending && !isMending) {
      isMending = true;
      deps.onMended();
    }
    return mended;
  };
  const settle = (): void => {
    clock.clearTimeout(timer);
    socket.off('data', onData).off('end', onEnd).off('close', settle).pause();
  };
  const refuse = (error: unknown): void => {
    settle();
    socket.destroy();
    deps.onRefused(error instanceof Error ? error : new Error(String(error)));
  };
  const openMended = (): void => {
    settle();
    const stream = new MendedSocket(socket, (chunk) => take(chunk).bytes);
    stream.on('error', (error) => {
      if (!socket.errored) deps.onRefused(error);
    });
    for (const bytes of held) stream.push(bytes);
    deps.onOpen(stream);
  };
  const openPlain = (): void => {
    settle();
    socket.unshift(Buffer.concat([...held, mender.takeRest()]));
    deps.onOpen(socket);
  };
  const onData = (chunk: Buffer): void => {
    try {
      const { bytes, sawPing, blocks } = take(chunk);
      held = [...held, ...bytes];
      for (const piece of bytes) heldBytes += piece.length;
      if (blocks > 0 && acknowledged && !isMending) {
        socket.pause();
        onWritten = openPlain;
        if (isWritten) openPlain();
      } else if (blocks > 0 || sawPing || heldBytes > LONGEST_OPENING_BYTES) openMended();
    } catch (error) {
      refuse(error);
    }
  };
  const onEnd = (): void => {
    socket.end();
  };
  const timer = clock.setTimeout(() => {
    if (greeted) openMended();
  }, FIRST_REQUEST_MS);
  socket.on('data', onData).on('end', onEnd).once('close', settle);
  socket.write(settingsFrame({ maxConcurrentStreams }), () => {
    isWritten = true;
    if (!socket.destroyed) onWritten();
  });
}
