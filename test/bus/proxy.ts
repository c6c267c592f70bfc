// A TCP proxy before a server, so that one process can be cut off, or slowed down, while the others are not.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { systemClock } from '../../actors/base/clock.ts';

/** Which way bytes go: what a client sends, or what it is answered. */
export const Way = { There: 'there', Back: 'back' } as const;
export type Way = (typeof Way)[keyof typeof Way];

export interface TcpProxy {
  readonly port: number;
  /** Ends all connections, and refuses new ones until `heal`. */
  cut(): void;
  /** Ends the newest connection, and refuses new ones until `heal`; the others stay. */
  cutNewest(): void;
  /** Ends all connections; new ones are taken. */
  reset(): void;
  /** Lets nothing through, one way or both, and tells nobody: connections stay, and new ones are taken. */
  hold(...ways: readonly Way[]): void;
  /** From now on bytes take so much longer, each way. */
  delay(delayMs: number): void;
  /** From now on a connection carries so many bytes a millisecond, each way: what is sent last waits for all before it. */
  throttle(bytesPerMs: number): void;
  /** All is well again; what was held back arrives, also from those who have gone meanwhile. */
  heal(): void;
  close(): Promise<void>;
}

const clock = systemClock();

/** What happens to bytes that go one way. */
class Passage {
  delayMs = 0;
  bytesPerMs = Number.POSITIVE_INFINITY;
  #open = Promise.resolve();
  #reopen = (): void => undefined;

  hold(): void {
    this.release();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    this.#reopen = resolve;
  }

  release(): void {
    this.#reopen();
  }

  async pass(arrivedAt: number, bytes: number): Promise<void> {
    const leftMs = Math.max(arrivedAt + this.delayMs - clock.now(), bytes / this.bytesPerMs);
    if (leftMs > 0) await clock.sleep(leftMs);
    await this.#open;
  }
}

/** @param port  asked for at each connection, when a function */
export async function startProxy(host: string, port: number | (() => number)): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const passages = { [Way.There]: new Passage(), [Way.Back]: new Passage() };
  let isCut = false;
  let newest: Socket | undefined;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  /** In order, and to the end: what a client sent before it went arrives all the same. */
  const relay = (from: Socket, to: Socket, passage: Passage): void => {
    let last = Promise.resolve();
    const then = (bytes: number, run: () => void): void => {
      const arrivedAt = clock.now();
      last = last.then(() => passage.pass(arrivedAt, bytes)).then(run);
    };
    from.on('data', (chunk) => then(chunk.length, () => void to.write(chunk)));
    from.on('close', () => then(0, () => to.destroySoon()));
  };
  const server: Server = createServer((near) => {
    keep(near);
    if (isCut) {
      near.destroy();
      return;
    }
    newest = near;
    const far = connect(typeof port === 'number' ? port : port(), host);
    keep(far);
    relay(near, far, passages[Way.There]);
    relay(far, near, passages[Way.Back]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const reset = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const cut = (): void => {
    isCut = true;
    reset();
  };
  const cutNewest = (): void => {
    isCut = true;
    newest?.destroy();
  };
  const heal = (): void => {
    isCut = false;
    for (const passage of Object.values(passages)) {
      passage.delayMs = 0;
      passage.bytesPerMs = Number.POSITIVE_INFINITY;
      passage.release();
    }
  };
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    cut,
    cutNewest,
    reset,
    hold(...ways) {
      for (const way of ways) passages[way].hold();
    },
    delay(delayMs) {
      for (const passage of Object.values(passages)) passage.delayMs = delayMs;
    },
    throttle(bytesPerMs) {
      for (const passage of Object.values(passages)) passage.bytesPerMs = bytesPerMs;
    },
    heal,
    async close() {
      cut();
      heal();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
