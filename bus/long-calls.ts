// Long calls of a process, as caller and as server: one name for both, reserved on first use.
import type { LongCallHandle, LongCallOptions } from './bus.ts';
import type { JsonObject } from './json.ts';
import { LongCallClient } from './long-call-client.ts';
import { type LongCallTransport, type Opening, parseMessage } from './long-call-protocol.ts';
import { LongCallServer } from './long-call-server.ts';

export class LongCalls {
  readonly #wire: LongCallTransport;
  readonly #calls: LongCallClient;
  readonly #operations: LongCallServer;
  #known: { readonly name: string; readonly stop: () => void } | undefined;

  constructor(wire: LongCallTransport) {
    const name = (): string => this.#name();
    this.#wire = wire;
    this.#calls = new LongCallClient(wire, name);
    this.#operations = new LongCallServer(wire, name);
  }

  /** @see LongCallClient.hold */
  hold(
    subject: string,
    options: LongCallOptions,
    open: (opening: Opening, timeoutMs: number) => Promise<void>,
  ): Promise<JsonObject> {
    return this.#calls.hold(subject, options, open);
  }

  /** @see LongCallServer.open */
  open(
    opening: Opening,
    service: object,
    run: (held: LongCallHandle) => JsonObject | Promise<JsonObject>,
  ): Promise<void> {
    return this.#operations.open(opening, service, run);
  }

  /** Stops what runs for a service; resolves when its callers know. */
  end(service: object): Promise<void> {
    return this.#operations.end(service);
  }

  /** No further long calls or responses. Calls of others were ended with their services. */
  close(): void {
    this.#calls.close();
    this.abandon();
  }

  /** The process has crashed: no messages are sent. */
  abandon(): void {
    this.#calls.abandon();
    this.#operations.abandon();
    this.#known?.stop();
    this.#known = undefined;
  }

  #name(): string {
    if (this.#known === undefined) {
      const name = this.#wire.newName();
      this.#known = { name, stop: this.#wire.listen(name, (asked) => this.#answer(asked)) };
    }
    return this.#known.name;
  }

  #answer(asked: JsonObject): JsonObject {
    const message = parseMessage(asked);
    if (message === undefined) return {};
    if (message.say !== 'abort') return this.#calls.answer(message);
    this.#operations.abort(message.from, message.id);
    return {};
  }
}
