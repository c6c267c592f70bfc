// Limits of a server for all clients together, over all pipes.
//
// Invariants:
//   CSI-GUARD-1. When a limit is reached, the client that has held its part longest without need is always
//       disconnected; only without one is the new client rejected. So silent or endless clients never block others.
//   CSI-GUARD-2. Whatever was entered is left again, however it ended.

export interface GuardLimits {
  readonly connectionsPerPipe: number;
  /** On all pipes. */
  readonly connections: number;
  /** Calls whose request has not come to its end, of all connections. */
  readonly unfinishedRequests: number;
  /** Size of all unanswered requests, in bytes. */
  readonly heldBytes: number;
  readonly heldBytesPerConnection: number;
}

export const Closing = {
  /** It did not finish its handshake in time. */
  Handshake: 'handshake',
  /** No call in a long time. */
  Idle: 'idle',
  /** There were too many, and it was silent the longest; or all others had calls. */
  Full: 'full',
  /** The data was no HTTP/2. */
  Protocol: 'protocol',
} as const;
export type Closing = (typeof Closing)[keyof typeof Closing];

export const Refusal = {
  /** The request did not come to its end in time. */
  Slow: 'slow',
  /** There were too many unfinished requests. */
  Unfinished: 'unfinished',
  /** Requests held too many bytes. */
  Bytes: 'bytes',
} as const;
export type Refusal = (typeof Refusal)[keyof typeof Refusal];

/** A connection, as far as the guard knows it. */
export interface Guest {
  readonly pipe: string;
  heldBytes: number;
  close(why: Closing): void;
}

/** A call whose request is on its way, or that is not answered yet. */
export interface Load {
  readonly guest: Guest;
  bytes: number;
  refuse(why: Refusal): void;
}

export class Guard {
  readonly #limits: GuardLimits;
  readonly #guests = new Set<Guest>();
  /** Without a call; the longest first. */
  readonly #silent = new Set<Guest>();
  readonly #byPipe = new Map<string, number>();
  /** The oldest first. */
  readonly #unfinished = new Set<Load>();
  #heldBytes = 0;

  constructor(limits: GuardLimits) {
    this.#limits = limits;
  }

  get connections(): number {
    return this.#guests.size;
  }

  get unfinished(): number {
    return this.#unfinished.size;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** @returns whether there is room (CSI-GUARD-1); then `leave` is called in the end */
  enter(guest: Guest): boolean {
    const onPipe = this.#byPipe.get(guest.pipe) ?? 0;
    const pipeIsFull = onPipe >= this.#limits.connectionsPerPipe;
    if (pipeIsFull || this.#guests.size >= this.#limits.connections) {
      const silent = this.#silent.values().find((other) => !pipeIsFull || other.pipe === guest.pipe);
      if (silent === undefined) return false;
      this.leave(silent);
      silent.close(Closing.Full);
    }
    this.#guests.add(guest);
    this.#silent.add(guest);
    this.#byPipe.set(guest.pipe, (this.#byPipe.get(guest.pipe) ?? 0) + 1);
    return true;
  }

  leave(guest: Guest): void {
    this.#silent.delete(guest);
    if (this.#guests.delete(guest)) this.#byPipe.set(guest.pipe, (this.#byPipe.get(guest.pipe) ?? 1) - 1);
  }

  busy(guest: Guest): void {
    this.#silent.delete(guest);
  }

  silent(guest: Guest): void {
    if (this.#guests.has(guest)) this.#silent.add(guest);
  }

  /** A request begins; `finish` and `drop` follow. */
  begin(load: Load): void {
    if (this.#unfinished.size >= this.#limits.unfinishedRequests) this.#refuseOldest(Refusal.Unfinished);
    this.#unfinished.add(load);
  }

  /** `bytes` more of a request have come. @returns whether they may be kept */
  hold(load: Load, bytes: number): boolean {
    const { guest } = load;
    load.bytes += bytes;
    guest.heldBytes += bytes;
    this.#heldBytes += bytes;
    if (guest.heldBytes > this.#limits.heldBytesPerConnection) return false;
    while (this.#heldBytes > this.#limits.heldBytes) {
      const [oldest] = this.#unfinished;
      if (oldest === undefined || oldest === load) return false;
      this.#refuseOldest(Refusal.Bytes);
    }
    return true;
  }

  /** The request has come to its end; its bytes are held until `drop`. */
  finish(load: Load): void {
    this.#unfinished.delete(load);
  }

  /** Nothing of the call is held any more. A second time does nothing. */
  drop(load: Load): void {
    this.#unfinished.delete(load);
    load.guest.heldBytes -= load.bytes;
    this.#heldBytes -= load.bytes;
    load.bytes = 0;
  }

  #refuseOldest(why: Refusal): void {
    const [oldest] = this.#unfinished;
    if (oldest === undefined) return;
    this.drop(oldest);
    oldest.refuse(why);
  }
}
