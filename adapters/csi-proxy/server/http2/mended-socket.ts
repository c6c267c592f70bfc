// Socket for the session of a client whose headers need rewriting. It copies all data, so other clients get the socket
// itself.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

export class MendedSocket extends Duplex {
  readonly #socket: Socket;

  /** @param take  makes of what came what the session gets; what it throws ends the connection */
  constructor(socket: Socket, take: (chunk: Buffer) => readonly Buffer[]) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const piece of take(chunk)) if (!this.push(piece)) socket.pause();
      } catch (error) {
        this.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    socket.once('end', () => this.push(null));
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
