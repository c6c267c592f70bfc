// The host of a machine, as a process has it that reaches the machine by a socket: so the machine outlives whoever plays the role
// on its node. One line of JSON a call, and one an answer, in any order; a Map and a bigint are spelt in a way of their own.
//
// Invariants:
//   TEST-MACHINE-LINE-1. A call is not begun once its connection has ended, or its caller has given it up; what was begun goes on to its end.
//   TEST-MACHINE-LINE-2. A call is sent once. When its connection ends, or no answer comes in time, nobody knows how the call has ended.
import { createServer, connect as open, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Code, StatusError, UnknownEndError } from '../../../../adapters/csi-proxy/base/status.ts';
import type { Host } from '../../../../adapters/csi-proxy/hosts/host.ts';
import { type Clock, type Timer, toErrorData } from '../../../../bus/mod.ts';

/** A call as it comes to the machine. */
export interface Calling {
  /** `volume.formatVolume` */
  readonly name: string;
  readonly args: readonly unknown[];
  /** Whether somebody waits for it still (TEST-MACHINE-LINE-1). */
  isAwaited(): boolean;
}

/** A timer of Node may fire so much before its time, in milliseconds. */
const EARLY_MS = 2;

/** Nothing is answered. */
export const SILENCE = Symbol('silence');

export interface MachineServer {
  readonly port: number;
  /** Ends all connections. */
  reset(): void;
  close(): void;
}

export const GROUPS = ['disk', 'volume', 'filesystem', 'smb', 'iscsi', 'system'] as const;

interface Asked {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
  /** When whoever asked does not wait any more, on the clock of this computer. */
  readonly until: number;
}

interface Answered {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: Code; readonly message: string; readonly isEndUnknown: boolean };
}

interface Waiting {
  readonly timer: Timer;
  resolve(value: unknown): void;
  reject(error: StatusError): void;
}

export interface DistantHostDeps {
  readonly clock: Clock;
  /** Of 127.0.0.1. */
  readonly port: number;
  /** Longest that an answer is waited for, in milliseconds, by the name of the call. */
  readonly limitMs: (name: string) => number;
}

/** It connects when it is first asked, and again whenever it is not connected. */
export function distantHost({ clock, port, limitMs }: DistantHostDeps): Host {
  const waiting = new Map<number, Waiting>();
  let socket: Socket | undefined;
  let lastId = 0;
  const end = (id: number): Waiting | undefined => {
    const found = waiting.get(id);
    if (found !== undefined) clock.clearTimeout(found.timer);
    waiting.delete(id);
    return found;
  };
  const connection = (): Socket => {
    if (socket !== undefined) return socket;
    const made = open(port, '127.0.0.1');
    socket = made;
    // Its end is told by `close`.
    made.on('error', () => made.destroy());
    made.on('close', () => {
      if (socket === made) socket = undefined;
      const error = new UnknownEndError(
        Code.Unknown,
        'the way to the machine is lost; whether the work was done is not known',
      );
      for (const id of [...waiting.keys()]) end(id)?.reject(error);
    });
    createInterface({ input: made })
      .on('line', (line) => {
        const { id, value, error } = decoded(line) as Answered;
        const found = end(id);
        if (error === undefined) found?.resolve(value);
        else found?.reject(new (error.isEndUnknown ? UnknownEndError : StatusError)(error.code, error.message));
      })
      .on('error', () => made.destroy());
    return made;
  };
  const ask = (name: string, args: readonly unknown[]): Promise<unknown> => {
    const id = ++lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const limit = limitMs(name);
    // What the machine is told ends before the caller gives up (TEST-MACHINE-LINE-1): a call that arrives right then is not begun.
    const until = clock.now() + limit;
    const late = (): void => {
      const message = `the machine did not answer to ${name} within ${limit} ms; whether the work was done is not known`;
      end(id)?.reject(new UnknownEndError(Code.DeadlineExceeded, message));
    };
    waiting.set(id, { timer: clock.setTimeout(late, limit + EARLY_MS), resolve, reject });
    connection().write(`${encoded({ id, name, args, until } satisfies Asked)}\n`);
    return promise;
  };
  const groups = GROUPS.map((group) => {
    const calls = new Proxy(
      {},
      {
        get:
          (_, call) =>
          (...args: unknown[]) =>
            ask(`${group}.${String(call)}`, args),
      },
    );
    return [group, calls] as const;
  });
  return { ...(Object.fromEntries(groups) as unknown as Host), close: async () => void socket?.destroy() };
}

/** @param answer  what becomes of a call; a StatusError is told as one */
export async function serveMachine({
  clock,
  answer,
}: {
  readonly clock: Clock;
  readonly answer: (calling: Calling) => Promise<unknown>;
}): Promise<MachineServer> {
  const sockets = new Set<Socket>();
  const hear = async (socket: Socket, line: string): Promise<void> => {
    const { id, name, args, until } = decoded(line) as Asked;
    const isAwaited = (): boolean => !socket.closed && clock.now() < until;
    const report = (answered: Omit<Answered, 'id'>): void => void socket.write(`${encoded({ id, ...answered })}\n`);
    if (!isAwaited()) return;
    try {
      const value = await answer({ name, args, isAwaited });
      if (value !== SILENCE) report({ value });
    } catch (error) {
      const { message } = toErrorData(error);
      const code = error instanceof StatusError ? error.code : Code.Internal;
      report({ error: { code, message, isEndUnknown: error instanceof UnknownEndError } });
    }
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    createInterface({ input: socket })
      .on('line', (line) => void hear(socket, line))
      .on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const reset = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    reset,
    close() {
      server.close();
      reset();
    },
  };
}

function encoded(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'bigint') return { $bigint: String(member) };
    return member instanceof Map ? { $map: [...member] } : member;
  });
}

function decoded(line: string): unknown {
  return JSON.parse(line, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null) return member;
    if ('$bigint' in member) return BigInt(String(member.$bigint));
    return '$map' in member ? new Map(member.$map as readonly (readonly [unknown, unknown])[]) : member;
  });
}
