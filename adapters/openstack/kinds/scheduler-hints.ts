// Scheduler hints of a server for Nova.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { type Infer, immutable, list, map, object, ref, type Schema, string } from '../../api/contract/contract.ts';
import { cidr } from '../base/values.ts';

/** Nova's filter of that name compares what comes after the operator with what comes first: it takes no less. */
const LEAST_QUERY = 3;

const cell = (description: string) => string(description, { maxLength: 255 });
const servers = (description: string): Schema<readonly string[]> =>
  list(description, ref('Server', 'The name of a Server.'), { type: 'set', maxItems: 64 });

const hints = object('schedulerHints say where the server wants to be.', {
  serverGroupRef: ref('ServerGroup', 'serverGroupRef is the ServerGroup that the server is in.', {
    shownBy: 'serverGroups',
  }),
  differentHostServerRefs: servers('differentHostServerRefs are Servers that it shares no host with.'),
  sameHostServerRefs: servers('sameHostServerRefs are Servers that it shares a host with.'),
  query: string('query is a condition that the host meets, as a JSON array.', { maxLength: 1024 }),
  targetCell: cell('targetCell is the name of the cell that it is in.'),
  differentCell: list(
    'differentCell are the names of cells that it is not in.',
    string('A name.', { maxLength: 1024 }),
    {
      type: 'set',
      maxItems: 64,
    },
  ),
  buildNearHostIP: cidr('buildNearHostIP is the network of hosts that it is on, as the address of one and a prefix.'),
  additionalProperties: map('additionalProperties are hints of other names.', string('What the hint says.')),
});

export const schedulerHints = immutable(hints);

/** As Nova takes them; references are ids by now. */
export function hintsOf(given: Infer<typeof hints>): JsonObject {
  const [near, prefix] = given.buildNearHostIP?.split('/') ?? [];
  const named: Readonly<Record<string, Json | undefined>> = {
    group: given.serverGroupRef,
    different_host: given.differentHostServerRefs,
    same_host: given.sameHostServerRefs,
    query: given.query === undefined ? undefined : (queryIn(given.query) ?? given.query),
    target_cell: given.targetCell,
    different_cell: given.differentCell,
    build_near_host_ip: near,
    cidr: prefix === undefined ? undefined : `/${prefix}`,
  };
  const stated = Object.entries(named).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return { ...given.additionalProperties, ...Object.fromEntries(stated) };
}

/** @throws {TerminalError} the query is none */
export function checkHints({ schedulerHints: given }: JsonObject): void {
  const { query } = (given ?? {}) as { readonly query?: string };
  if (query === undefined || queryIn(query) !== undefined) return;
  throw new TerminalError(
    `invalid scheduler hints query: it must be a JSON array of at least ${LEAST_QUERY} items, like ["=", "$free_ram_mb", 1]`,
  );
}

/** The query in the spelling that is sent; undefined: it is none. */
function queryIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length >= LEAST_QUERY ? JSON.stringify(value) : undefined;
  } catch {
    return undefined; // what is no JSON is no query
  }
}
