// Calls to foreign systems as trace events of the actors they are made for.
import type { CallRecord } from '../../adapters/openstack/mod.ts';
import { type Address, type Trace, traceparentOf } from '../../bus/mod.ts';
import type { ManagedKind, ManagedOperations, OperationRequest } from '../../machines/kind.ts';

export interface CallTrace {
  /** Emits an event `call`: which request, its answer and how long it took. */
  onCall(record: CallRecord): void;
  /** The same kinds; while an operation runs, its calls are known to be its object's. */
  follow(kinds: readonly ManagedKind[]): readonly ManagedKind[];
}

export function callTrace(trace: Trace): CallTrace {
  const running = new Map<string, { readonly actor: Address; count: number }>();

  const during = async <Output>(actor: Address, traceId: string, run: () => Promise<Output>): Promise<Output> => {
    const entry = running.get(traceId) ?? { actor, count: 0 };
    entry.count++;
    running.set(traceId, entry);
    try {
      return await run();
    } finally {
      if (--entry.count === 0) running.delete(traceId);
    }
  };

  return {
    onCall({ traceId, service, method, path, status, durationMs }) {
      const actor = running.get(traceId)?.actor;
      if (actor === undefined) return;
      const data = { service, method, path, status: status ?? null, durationMs };
      trace.emit({ actor, traceparent: traceparentOf(traceId), type: 'call', data });
    },
    follow(kinds) {
      return kinds.map((kind) => {
        const { realm, plural, operations } = kind;
        const wrap = (run: (request: never) => Promise<unknown>) => (request: OperationRequest) => {
          const { namespace = '', name } = request.object.metadata;
          return during({ realm, plural, namespace, name }, request.traceId, () => run(request as never));
        };
        const names = Object.keys(operations) as (keyof ManagedOperations)[];
        const followed = Object.fromEntries(names.map((name) => [name, wrap(operations[name])]));
        return { ...kind, operations: followed as unknown as ManagedOperations };
      });
    },
  };
}
