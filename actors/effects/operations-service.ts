// Operations of adapters as NATS micro services: `nats micro ls` lists them, any pod can call them, and each can be
// scaled separately, or placed on the node that it concerns. A call to an adapter in the same process skips the wire.
import type { ConfiguredAdapter, Operation, Operations } from '../../adapters/api/adapter.ts';
import {
  type Bus,
  type Clock,
  type Endpoint,
  type JsonObject,
  type LongCallHandle,
  type LongCallOptions,
  operationSubject,
  type Service,
  TerminalError,
  type Timer,
  type Tracing,
  TransientError,
  UnknownOutcomeError,
} from '../../bus/mod.ts';
import type { Kind, OperationRequest } from '../../machines/kind.ts';
import type { LongCall } from '../../machines/lifecycle.ts';
import { type Registry, registry } from '../object/registry.ts';
import type { RequestAuthorizer } from './authorization/request-authorizer.ts';

/** Time after its deadline in which a local operation may report its own error, in milliseconds. */
const GRACE_MS = 100;
/** Time in which a canceled local operation must end, in milliseconds. */
const LINGER_MS = 5_000;

/** Called part of an adapter. */
export type CalledAdapter = Pick<ConfiguredAdapter, 'realm' | 'kinds' | 'route' | 'lateEffectMs'>;

/** The operations that this process serves, and the node that it serves them for. */
export interface ServedHere {
  readonly operations: Operations;
  readonly node: string | undefined;
}

/**
 * Offers the operations of an adapter, all of which are there (`checkOperations`), at `<realm>.<plural>.<operation>`,
 * and those of one with `route` at `<realm>.<node>.<plural>.<operation>` too.
 *
 * @param options.admission  says which requests are handled, and as what
 * @throws {TransientError} the bus is away
 */
export function serveOperations(
  bus: Bus,
  { realm, kinds, route }: CalledAdapter,
  { operations, node }: ServedHere,
  { version, admission }: { readonly version: string; readonly admission: Pick<RequestAuthorizer, 'admit' | 'note'> },
): Promise<Service> {
  const places = route === undefined || node === undefined ? [undefined] : [undefined, node];
  const endpoints: Endpoint[] = kinds.flatMap((kind) =>
    kind.operations.flatMap((operation) => {
      const run = operations[kind.plural]?.[operation];
      if (run === undefined) return [];
      return places.map((place) => ({
        subject: operationSubject({ realm, plural: kind.plural, operation, node: place }),
        // mutant: admission-skipped () -> Promise.resolve($2)
        admit: (request: JsonObject, bound: 'deadline' | 'caller') =>
          admission.admit({ kind, operation }, request, bound),
        async handle(request: JsonObject, _: Tracing, held?: LongCallHandle): Promise<JsonObject> {
          const admitted = request as unknown as OperationRequest;
          const progress = (reported: JsonObject): void => {
            admission.note(admitted, reported);
            held?.progress(reported);
          };
          // `undefined` is an answer too (nothing found), and has no place in JSON but by its absence.
          const result = await run({ ...request, ...held, ...(held !== undefined && { progress }) } as never);
          admission.note(admitted, result);
          return result === undefined ? {} : { result: result as JsonObject };
        },
      }));
    }),
  );
  const where = route === undefined || node === undefined ? realm : `${realm} on node ${node}`;
  return bus.services.serve(realm, version, `Operations on external resources of ${where}`, endpoints);
}

/** @throws {TerminalError} a kind declares an operation that is not there */
export function checkOperations({ realm, kinds }: CalledAdapter, operations: Operations): Operations {
  for (const { plural, operations: names } of kinds) {
    const missing = names.find((name) => operations[plural]?.[name] === undefined);
    if (missing !== undefined) throw new TerminalError(`adapter '${realm}' serves no '${missing}' of '${plural}'`);
  }
  return operations;
}

/** The same operation, with its calls counted and timed. */
export type Timed = (
  about: { readonly realm: string; readonly plural: string; readonly operation: string },
  run: Operation,
) => Operation;

/** The kinds of an adapter with their operations: in this process as far as it serves them, over the bus otherwise. */
export function withOperations(
  bus: Bus,
  { realm, kinds, route, lateEffectMs = 0 }: CalledAdapter,
  here: ServedHere | undefined,
  clock: Clock,
  timed?: Timed,
): readonly Kind[] {
  return kinds.map((kind) => {
    const callOf = (operation: string): Operation => {
      const local = here?.operations[kind.plural]?.[operation];
      return async (request: OperationRequest) => {
        const node = route?.(request);
        const subject = operationSubject({ realm, plural: kind.plural, operation, node });
        const isHere = node === undefined || node === here?.node;
        const run = isHere ? local : undefined;
        if ('signal' in request) {
          const call = request as unknown as LongCall;
          return run === undefined ? held(bus, subject, call) : heldHere(run(request as never), subject, call, clock);
        }
        const { deadlineAt } = request;
        try {
          return await (run === undefined
            ? asked(bus, subject, request)
            : answeredBy(deadlineAt + GRACE_MS, run(request as never), subject, clock));
        } catch (error) {
          if (operation !== 'create' || !(error instanceof UnknownOutcomeError)) throw error;
          // The server may have called the external system, which may itself take effect late.
          throw new TransientError(error.message, {
            cause: error,
            inDoubtUntil: error.inDoubtUntil ?? deadlineAt + lateEffectMs,
          });
        }
      };
    };
    const { plural } = kind;
    const operations = kind.operations.map((operation) => {
      const call = callOf(operation);
      return [operation, timed?.({ realm, plural, operation }, call) ?? call];
    });
    return { ...kind, operations: Object.fromEntries(operations) };
  });
}

async function asked(bus: Bus, subject: string, request: OperationRequest): Promise<unknown> {
  const { deadlineAt, traceparent } = request;
  const sent = request as unknown as JsonObject;
  const { result } = await bus.services.request(subject, sent, deadlineAt, { traceparent });
  return result;
}

/** The answer of an operation in this process, which has no longer for it than one behind the bus. */
function answeredBy(untilAt: number, running: Promise<unknown>, subject: string, clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new UnknownOutcomeError(`'${subject}' did not answer in time`));
    const timer = clock.setTimeout(late, Math.max(0, untilAt - clock.now()));
    const end = (): void => clock.clearTimeout(timer);
    running.finally(end).then(resolve, reject);
  });
}

/** Long call within this process; after a cancel its end is not awaited. */
function heldHere(running: Promise<unknown>, subject: string, { signal }: LongCall, clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let timer: Timer | undefined;
    const late = (): void => reject(new UnknownOutcomeError(`'${subject}' continues although it was canceled`));
    const onAbort = (): void => {
      timer = clock.setTimeout(late, LINGER_MS);
    };
    const end = (): void => {
      signal.removeEventListener('abort', onAbort);
      if (timer !== undefined) clock.clearTimeout(timer);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    running.finally(end).then(resolve, reject);
  });
}

/** Long call over the bus, which handles lease, cancellation and progress. */
async function held(bus: Bus, subject: string, call: LongCall): Promise<unknown> {
  const { signal, progress, beginBy, validUntil, ...request } = call;
  // mutant: held-elsewhere-unbound {}.4 -> $: () => Infinity
  const options: LongCallOptions = { signal, onProgress: progress, beginBy, validUntil };
  const { traceparent } = request;
  const { result } = await bus.services.callLong(subject, request as unknown as JsonObject, options, { traceparent });
  return result;
}

/** The kinds of an adapter for who only reads: no operation can be called. */
export function withoutOperations({ kinds }: Pick<CalledAdapter, 'kinds'>): readonly Kind[] {
  return kinds.map((kind) => {
    const refuse = (operation: string) => async (): Promise<never> => {
      throw new TerminalError(`this process may not call '${operation}' of '${kind.plural}'`);
    };
    const operations = Object.fromEntries(kind.operations.map((name) => [name, refuse(name)]));
    return { ...kind, operations };
  });
}

/** All kinds of adapters, for readers that run no operations. */
export function registryOf(adapters: readonly Pick<ConfiguredAdapter, 'kinds' | 'referencedKinds'>[]): Registry {
  return registry(
    adapters.flatMap((adapter) => withoutOperations(adapter)),
    adapters.flatMap(({ referencedKinds = [] }) => referencedKinds),
  );
}
