// An adapter from outside, with what keeps its faults from the objects of others: its code is called through here.
//
// Invariants:
//   PLUG-IN-1. What its kinds make of people's words (`view`, `status`, `references`, `children`, `standing`) ends within LIMIT_MS, or
//        fails, the first time that it is asked of a state of an object. JavaScript that runs as an action of its machines, or
//        between two awaits of an operation, cannot be stopped.
//   PLUG-IN-2. An exception of a plug-in is always reported with its name, without a stack, and without the values that
//       `readSecret` gave it for that namespace.
//   PLUG-IN-3. A promise that it lets fail unheard, or an exception in one of its timers, is logged with its name, and ends nothing.
//   PLUG-IN-4. No start ever waits for `serve` longer than SERVE_MS: operations fail as transient until it has
//       returned.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Script } from 'node:vm';
import type {
  AdapterLog,
  Configured,
  DeclaredKind,
  Operation,
  Operations,
  SecretContent,
  Served,
  ServePorts,
} from '../../adapters/api/adapter.ts';
import { hiding } from '../../adapters/http/secrets.ts';
import { fromErrorData, TerminalError, TransientError, TroupeError, toAnswerData } from '../../bus/errors.ts';
import type { OperationRequest } from '../../machines/kind.ts';

/** Timeout of a function that reads an object, in milliseconds. */
const LIMIT_MS = 2_000;
/** Maximum time that a start of the process waits for `serve`, in milliseconds. */
const SERVE_MS = 10_000;
/** Secrets whose contents are kept to be hidden; the oldest are forgotten. */
const MOST_SECRETS = 1_000;
/** Minimum length in characters: shorter values are no secrets, or occur by chance. */
const LEAST_VALUE = 6;

/** Whose code runs, also in what it began: timers, promises. */
const running = new AsyncLocalStorage<{ readonly realm: string; readonly log: AdapterLog }>();

/** @param limits  in milliseconds */
export function contained(
  realm: string,
  { kinds, serve, ...configured }: Configured,
  { limitMs = LIMIT_MS, serveMs = SERVE_MS } = {},
): Configured {
  return {
    ...configured,
    kinds: kinds.map((kind) => boundedKind(realm, kind, limitMs)),
    async serve(ports) {
      const handedOut = new HandedOut();
      const own = { realm, log: ports.log };
      const stop = catchUnheard();
      const read = async (namespace: string, name: string): Promise<SecretContent | undefined> => {
        const secret = await ports.readSecret(namespace, name);
        if (secret !== undefined) handedOut.add(namespace, name, secret);
        return secret;
      };
      const begun = running.run(own, () => begin(serve, { ...ports, readSecret: read }));
      const plugIn = { own, kinds, handedOut };
      const within = await settledWithin(begun, ports.clock, serveMs);
      let known = within instanceof Error ? undefined : within;
      if (within instanceof Error) {
        stop();
        throw new TerminalError(`adapter '${realm}' cannot be served: ${within.message}`);
      }
      if (within === undefined) {
        ports.log.error({ afterMs: serveMs }, "its 'serve' has not returned yet: its objects wait, all others do not");
        begun.then(
          (late) => {
            known = late;
            ports.log.info({}, "its 'serve' has returned");
          },
          (error: Error) => ports.log.error({ error: error.message }, "its 'serve' failed: its objects wait"),
        );
      }
      const load = within?.load;
      return {
        operations: containedOperations(plugIn, begun, within),
        ...(load !== undefined && { load: () => load.call(within) }),
        async close() {
          try {
            await known?.close();
          } catch (error) {
            ports.log.warn({ error: messageOf(error) }, 'closing the adapter failed');
          }
          stop();
        },
      };
    },
  };
}

/** @throws a failure with a message, whatever was thrown */
async function begin(serve: Configured['serve'], ports: ServePorts): Promise<Served> {
  try {
    const served: Partial<Served> | undefined = await serve(ports);
    if (typeof served?.operations !== 'object' || typeof served.close !== 'function') {
      throw new TerminalError("'serve' must return 'operations' and 'close'");
    }
    return served as Served;
  } catch (error) {
    throw new TerminalError(messageOf(error));
  }
}

/** @returns the failure, if it failed; undefined: it is not through */
async function settledWithin<Value>(
  promise: Promise<Value>,
  clock: ServePorts['clock'],
  limitMs: number,
): Promise<Value | Error | undefined> {
  const limit = new AbortController();
  const settled = promise.catch((error: Error) => error).finally(() => limit.abort());
  return Promise.race([settled, clock.sleep(limitMs, limit.signal).then(() => undefined)]).then((first) =>
    limit.signal.aborted ? settled : first,
  );
}

interface PlugIn {
  readonly own: { readonly realm: string; readonly log: AdapterLog };
  readonly kinds: readonly DeclaredKind[];
  readonly handedOut: HandedOut;
}

/** All that its kinds declare; what they do not is not called. */
function containedOperations(plugIn: PlugIn, begun: Promise<Served>, served: Served | undefined): Operations {
  let known = served;
  begun.then(
    (late) => {
      known = late;
    },
    () => undefined,
  );
  const { realm } = plugIn.own;
  const operation =
    (plural: string, name: string): Operation =>
    async (request: OperationRequest) => {
      if (known === undefined) throw new TransientError(`adapter '${realm}' does not serve yet`);
      const run = known.operations[plural]?.[name];
      try {
        return await running.run(plugIn.own, async () => run?.(request as never));
      } catch (error) {
        throw reported(error, `adapter '${realm}' failed in '${name}' of ${plural}`, plugIn.handedOut.of(request));
      }
    };
  return Object.fromEntries(
    plugIn.kinds.map(({ plural, operations }) => {
      // After a finished start, missing operations must be noticed (`checkOperations`).
      const there = operations.filter(
        (name) => served === undefined || served.operations[plural]?.[name] !== undefined,
      );
      return [plural, Object.fromEntries(there.map((name) => [name, operation(plural, name)]))];
    }),
  );
}

/** Error of an operation for others: its own text is kept if it was made for that. */
function reported(error: unknown, where: string, secrets: readonly string[]): TroupeError {
  const data = toAnswerData(error);
  const message = error instanceof TroupeError ? data.message : `${where}: ${data.message}`;
  return fromErrorData({ ...data, message: hiding(secrets)(message) });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What Secrets held that were read, by namespace. */
class HandedOut {
  readonly #values = new Map<string, { readonly namespace: string; readonly values: readonly string[] }>();

  add(namespace: string, name: string, { data }: SecretContent): void {
    const key = `${namespace}/${name}`;
    const values = Object.values(data).flatMap((value) => valuesIn(Buffer.from(value, 'base64').toString()));
    this.#values.delete(key);
    this.#values.set(key, { namespace, values });
    const [oldest] = this.#values.keys();
    if (this.#values.size > MOST_SECRETS && oldest !== undefined) this.#values.delete(oldest);
  }

  /** Those that an operation may have read for its object. */
  of({ object }: OperationRequest): readonly string[] {
    const { namespace = '' } = object.metadata;
    return [...this.#values.values()].flatMap((each) => (each.namespace === namespace ? each.values : []));
  }
}

/** A value of a Secret, and where it is a file, what its lines give values to. */
function valuesIn(text: string): readonly string[] {
  const trimmed = text.trim();
  const lines = trimmed.split('\n');
  if (lines.length === 1) return [trimmed];
  const values = lines.flatMap((line) => /[:=]\s*["']?(.*?)["']?\s*$/.exec(line)?.[1] ?? line.trim());
  return [trimmed, ...values.filter((value) => value.length >= LEAST_VALUE)];
}

/**
 * Members of a kind and its lifecycle that read user input. A time limit costs the start of a thread, so other members
 * have none.
 */
const BOUNDED: ReadonlySet<string> = new Set(['references', 'children', 'standing', 'view', 'status']);

/** The kind, with what it fails to say named, and bounded where people's words may make it run for ever. */
function boundedKind(realm: string, kind: DeclaredKind, limitMs: number): DeclaredKind {
  const bounded = <Value extends object>(value: Value): Value => {
    const members = Object.entries(value).map(([name, member]) => {
      if (typeof member !== 'function') return [name, member];
      const ask = (...given: readonly unknown[]): unknown => member.apply(value, given);
      const what = `adapter '${realm}': '${name}' of ${kind.kind}`;
      return [name, named(BOUNDED.has(name) ? boundedBy(ask, what, limitMs) : ask, what)];
    });
    return Object.fromEntries(members) as Value;
  };
  return { ...bounded(kind), life: bounded(kind.life) };
}

type Question = (...given: readonly unknown[]) => unknown;

/** Target of a script: V8 can stop a script, and with it the code that it calls. */
const CALLED = Symbol.for('troupe.plug-in.called');
const SCRIPT = new Script("globalThis[Symbol.for('troupe.plug-in.called')]()");

function named(ask: Question, what: string): Question {
  return (...given) => {
    try {
      return ask(...given);
    } catch (error) {
      if (error instanceof TransientError) throw error;
      throw new TransientError(`${what} failed: ${messageOf(error)}`);
    }
  };
}

function boundedBy(ask: Question, what: string, limitMs: number): Question {
  /** States of objects of which an answer came in time: it does so again. */
  const answered = new WeakSet<object>();
  return (...given) => {
    const state = given.find(isObjectState);
    if (state !== undefined && answered.has(state)) return ask(...given);
    const world = globalThis as { [CALLED]?: (() => unknown) | undefined };
    const outer = world[CALLED];
    try {
      world[CALLED] = () => ask(...given);
      const answer: unknown = SCRIPT.runInThisContext({ timeout: limitMs });
      if (state !== undefined) answered.add(state);
      return answer;
    } catch (error) {
      const isLate = (error as Partial<NodeJS.ErrnoException> | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      throw isLate ? new TransientError(`${what} did not return within ${limitMs} ms`) : error;
    } finally {
      world[CALLED] = outer;
    }
  };
}

function isObjectState(given: unknown): given is object {
  return typeof given === 'object' && given !== null && 'metadata' in given && 'kind' in given;
}

/** Plug-ins that are served in this process. */
let served = 0;

/** Catches unhandled errors while a plug-in is served. @returns the function that stops it */
function catchUnheard(): () => void {
  if (served++ === 0) process.on('unhandledRejection', unheard).on('uncaughtException', unheard);
  let isStopped = false;
  return () => {
    if (isStopped) return;
    isStopped = true;
    if (--served === 0) process.off('unhandledRejection', unheard).off('uncaughtException', unheard);
  };
}

function unheard(error: unknown): void {
  const whose = running.getStore();
  if (whose === undefined) {
    // An error of our own is a defect, which ends the process as if this handler did not exist.
    process.off('unhandledRejection', unheard).off('uncaughtException', unheard);
    setImmediate(() => {
      throw error;
    });
    return;
  }
  whose.log.error({ error: messageOf(error) }, 'adapter code failed outside of any operation');
}
