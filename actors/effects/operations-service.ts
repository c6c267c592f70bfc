// Adapters as NATS micro services: `nats micro ls` shows them, any pod can call them, each can be scaled by itself.
// A call to an adapter in the same process skips the wire.
import {
  type Bus,
  type Endpoint,
  type JsonObject,
  type Service,
  TransientError,
  UnansweredError,
} from '../../bus/mod.ts';
import type { Kind, Operation } from '../../machines/kind.ts';

/** Offers the operations of all kinds of a realm, at `<realm>.<plural>.<operation>`. @throws {TransientError} the bus is away */
export function serveOperations(bus: Bus, realm: string, kinds: readonly Kind[], version: string): Promise<Service> {
  const endpoints: Endpoint[] = kinds.flatMap(({ plural, operations }) =>
    Object.entries(operations).map(([name, operation]) => ({
      subject: `${realm}.${plural}.${name}`,
      async handle(request: JsonObject): Promise<JsonObject> {
        // `undefined` is an answer too (nothing found), and has no place in JSON but by its absence.
        const result = await operation(request as never);
        return result === undefined ? {} : { result: result as unknown as JsonObject };
      },
    })),
  );
  return bus.services.serve(realm, version, `Operations on external resources of ${realm}`, endpoints);
}

/**
 * The same kinds, their operations called over the bus.
 *
 * @param lateMs  how long after its deadline the foreign system may still do what is created, in milliseconds
 */
export function withRemoteOperations(bus: Bus, kinds: readonly Kind[], lateMs: number): readonly Kind[] {
  return kinds.map((kind) => {
    const call =
      (operation: string) =>
      async (request: unknown): Promise<never> => {
        const { deadlineAt } = request as { deadlineAt: number };
        const subject = `${kind.realm}.${kind.plural}.${operation}`;
        try {
          const { result } = await bus.services.request(subject, request as JsonObject, deadlineAt);
          return result as never;
        } catch (error) {
          if (operation !== 'create' || !(error instanceof UnansweredError)) throw error;
          throw new TransientError(error.message, { cause: error, landedBy: deadlineAt + lateMs });
        }
      };
    const operations = Object.fromEntries(
      Object.keys(kind.operations).map((name): [string, Operation] => [name, call(name)]),
    );
    return { ...kind, operations };
  });
}
