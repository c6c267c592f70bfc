// Facts that one attempt read from Ironic, by name: a decision requests them (`into` of a request) and then finds them
// here.
//
// A fact that is undefined was not read; null: Ironic answered that there is none (404). Facts last for one pass at most; they
// are dropped when a step begins it again. Each request that is made in the middle of a pass leaves a fact, so that none is
// made twice.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { IronicNode, IronicPort } from '../client/node-answer.ts';
import { isMap, mapOf } from '../json-values.ts';

export interface Facts {
  /** The node by the UUID that the host has recorded; by the host's name in Ironic; by its bare name. */
  readonly byId?: IronicNode | null;
  readonly byName?: IronicNode | null;
  readonly byBareName?: IronicNode | null;
  /** Ports of any node with the boot MAC address, and the node of the first. */
  readonly portsByMac?: readonly IronicPort[];
  readonly byPort?: IronicNode | null;
  /** By UUID of a node that lacks the host's name: whether another host has it. */
  readonly others?: Readonly<Record<string, boolean>>;
  /** The node as it was answered when it was made or changed, in this order. */
  readonly enrolled?: IronicNode | null;
  readonly updated?: IronicNode | null;
  readonly networked?: IronicNode | null;
  readonly configured?: IronicNode | null;
  /** Ports of the node. */
  readonly ports?: readonly IronicPort[];
  /** Ports of any node with one of the MAC addresses that the node has no port for. */
  readonly owners?: readonly IronicPort[];
  /** Ports that were made. */
  readonly made?: readonly IronicPort[];
  /** Firmware components. */
  readonly firmware?: readonly JsonObject[];
  /** Result of the last inspection: `inventory` and `plugin_data`. */
  readonly inventory?: JsonObject | null;
  /** Whether the node can be deployed, by interface. */
  readonly validation?: JsonObject | null;
  /** What Ironic recorded of the node, newest first. */
  readonly history?: readonly JsonObject[];
}

/** Name of the fact that a response of Ironic becomes. */
export type Fact = Exclude<keyof Facts, 'others'>;

/** Lists, and the member of an answer that holds them; what several requests answer is joined. */
const LISTS: Readonly<Partial<Record<Fact, string>>> = {
  portsByMac: 'ports',
  ports: 'ports',
  owners: 'ports',
  made: 'ports',
  firmware: 'firmware',
  history: 'history',
};

/**
 * The facts with one answer more.
 *
 * @param body  of a success; of a list that comes in pages, with the items of all of them; of any other answer that was expected, null
 */
export function gathered(facts: Facts, into: Fact, body: Json | undefined): Facts {
  const member = LISTS[into];
  if (member === undefined) return { ...facts, [into]: isMap(body) ? body : null };
  const before = (facts[into] ?? []) as readonly JsonObject[];
  return { ...facts, [into]: [...before, ...itemsIn(body, member)] };
}

/** A created item is returned alone. */
function itemsIn(body: Json | undefined, member: string): readonly JsonObject[] {
  if (!isMap(body)) return [];
  const { [member]: items, ...alone } = mapOf(body);
  return Array.isArray(items) ? items.filter(isMap).map(mapOf) : [{ ...alone }];
}
