// Calls to external systems as trace events of the actors they are made for.
import type { CallRecord, Operation, Operations } from '../../adapters/api/adapter.ts';
import { type Address, CALL_EVENT, type Trace } from '../../bus/mod.ts';
import type { OperationRequest } from '../../machines/kind.ts';

export interface CallTrace {
  /** Emits an event `call`: which request, its answer and how long it took. */
  onCall(record: CallRecord): void;
  /** The same operations of a realm; while one runs, its calls are known to be its object's. */
  follow(realm: string, operations: Operations): Operations;
}

export function callTrace(trace: Trace): CallTrace {
  const running = new Map<string, { readonly actor: Address; count: number }>();

  return {
    onCall({ traceparent, service, method, path, status, durationMs, requestId }) {
      const actor = running.get(traceparent)?.actor;
      if (actor === undefined) return;
      const known = requestId !== undefined && { requestId };
      const data = { service, method, path, status: status ?? null, durationMs, ...known };
      trace.emit({ actor, traceparent, type: CALL_EVENT, data });
    },
    follow(realm, operations) {
      const wrap =
        (plural: string, run: Operation): Operation =>
        async (request: OperationRequest) => {
          const { traceparent, object } = request;
          const { namespace = '', name } = object.metadata;
          const entry = running.get(traceparent) ?? { actor: { realm, plural, namespace, name }, count: 0 };
          entry.count++;
          running.set(traceparent, entry);
          try {
            return await run(request as never);
          } finally {
            if (--entry.count === 0) running.delete(traceparent);
          }
        };
      return Object.fromEntries(
        Object.entries(operations).map(([plural, own]) => [
          plural,
          Object.fromEntries(Object.entries(own).map(([name, run]) => [name, wrap(plural, run)])),
        ]),
      );
    },
  };
}
