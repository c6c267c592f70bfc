// The sockets under a connection. gRPC waits for ever for a server that takes a connection and says nothing, and leaves such a
// socket open when it is closed itself; so both is done here.

import type { Socket } from 'node:net';
import { ChannelCredentials, credentials } from '@grpc/grpc-js';
import type { Clock } from '../../../bus/time.ts';

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** No credentials: gRPC hands over its sockets nowhere else. */
export class PipeSockets extends ChannelCredentials {
  readonly #clock: Clock;
  readonly #handshakeMs: number;
  readonly #insecure = credentials.createInsecure();
  readonly #open = new Set<Socket>();
  #shaken = 0;
  #taken = 0;

  /** @param deps.handshakeMs  from the connection to the first byte of the server, in milliseconds */
  constructor({ clock, handshakeMs }: { clock: Clock; handshakeMs: number }) {
    super();
    this.#clock = clock;
    this.#handshakeMs = handshakeMs;
  }

  /** Connections on which the server has answered, so that calls may have been sent. */
  get shaken(): number {
    const answering = [...this.#open].filter((socket) => socket.bytesRead > 0).length;
    return this.#shaken + answering;
  }

  /** Connections that the server took, whether it has answered on them or not. */
  get taken(): number {
    return this.#taken;
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  override _isSecure(): boolean {
    return false;
  }

  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(...args: Parameters<ChannelCredentials['_createSecureConnector']>): Connector {
    const connector = this.#insecure._createSecureConnector(...args);
    return {
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
      connect: (socket) => {
        this.#watch(socket);
        return connector.connect(socket);
      },
    };
  }

  #watch(socket: Socket): void {
    this.#open.add(socket);
    this.#taken += 1;
    const timer = this.#clock.setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, this.#handshakeMs);
    socket.once('close', () => {
      this.#clock.clearTimeout(timer);
      this.#open.delete(socket);
      if (socket.bytesRead > 0) this.#shaken += 1;
    });
  }
}
