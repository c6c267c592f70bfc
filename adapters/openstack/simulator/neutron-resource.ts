// What the collections of the simulated Neutron have in common.
import type { JsonObject } from '../../../bus/bus.ts';
import { neutronRefusal } from './exchange.ts';
import type { AttributeTable } from './neutron-attributes.ts';
import type { CollectionName, Item, Store } from './store.ts';
import type { Tokens } from './tokens.ts';

/** A collection: what is particular to it. */
export interface NeutronResource {
  readonly collection: CollectionName;
  readonly singular: string;
  readonly attributes: AttributeTable;
  /** Attributes that a list may be filtered by, besides `id`, `project_id` and tags. */
  readonly filters: readonly string[];
  /** Finishes a new item and says whether it may be; the caller stores it. */
  create(item: Item): void;
  /** Says whether the change may be, and makes it. */
  update(item: Item, change: JsonObject): void;
  /** Says whether the item may go, and removes what goes with it. */
  remove(item: Item): void;
  /** The item as clients see it. */
  show(item: Item): JsonObject;
}

export interface NeutronDeps {
  store: Store;
  tokens: Tokens;
  /** Whether networks have `dns_domain`. */
  dns: boolean;
  availabilityZones: readonly string[];
  maxPageSize: number | undefined;
}

/** Notes that an item was changed. */
export function bump(item: Item, store: Store): void {
  item['revision_number'] = Number(item['revision_number']) + 1;
  item['updated_at'] = store.now();
}

/** The answer to an id that is not there. */
export function notFound({ singular }: Pick<NeutronResource, 'singular'>, id: string): Error {
  const title = singular.charAt(0).toUpperCase() + singular.slice(1);
  return neutronRefusal(404, `${title}NotFound`, `${title} ${id} could not be found.`);
}
