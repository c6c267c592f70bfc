// What a run with hosts must not have shown, beside what is judged of every run.
import { type Entry, unasked } from '../../../adapters/ironic/orders.ts';

type Violate = (what: string) => void;

export interface HostFigures {
  /** Orders that Ironic took. */
  readonly orders: number;
  /** Images on disks, and disks that were wiped. */
  readonly written: number;
  readonly wiped: number;
  /** Nodes that were made. */
  readonly made: number;
}

/** What has to be ordered in any run, or nothing was seen. */
const USUAL = ['inspect', 'provide', 'active', 'deleted'];

/** Nothing was done to a machine that nobody asked for, or twice (TEST-ORDERS-1 to TEST-ORDERS-4). @returns what was seen */
export function judgeOrders(entries: readonly Entry[], violate: Violate): HostFigures {
  for (const line of unasked(entries)) violate(line);
  const taken = entries.flatMap((entry) => (entry.what === 'ordered' && entry.status === 202 ? [entry.target] : []));
  for (const target of USUAL) if (!taken.includes(target)) violate(`nothing was seen of '${target}'`);
  const count = (what: Entry['what']): number => entries.filter((entry) => entry.what === what).length;
  return { orders: taken.length, written: count('written'), wiped: count('wiped'), made: count('made') };
}

/** What is left when all is deleted. */
export interface Leftovers {
  readonly objects: readonly {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly finalizers?: readonly string[] };
    readonly status?: object;
  }[];
  /** By name; undefined: Ironic is away. */
  readonly nodes: readonly string[] | undefined;
}

/** @returns a line each */
export function leftoversOf({ objects, nodes }: Leftovers): readonly string[] {
  return [
    ...objects.map(
      ({ kind, metadata, status }) =>
        `${kind}/${metadata.name} is not gone: ${JSON.stringify(metadata.finalizers)} ${JSON.stringify(status)}`,
    ),
    ...(nodes ?? []).map((node) => `the node '${node}' is still in Ironic`),
    ...(nodes === undefined ? ['Ironic is away'] : []),
  ];
}
