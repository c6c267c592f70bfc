// The common part of the simulated Neutron's collections.
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
  /** Attributes that a list may be sorted by; those of `filters` unless stated. */
  readonly sortKeys?: readonly string[];
  /** Whether items have tags; they do unless stated. */
  readonly tags?: 'none';
  /** A filter whose values are compared in a way of their own; `filters` names it too. */
  readonly matches?: Readonly<Record<string, (item: JsonObject, values: readonly string[]) => boolean>>;
  /** Finishes a new item and says whether it may be; the caller stores it. */
  create(item: Item): void;
  /** Says whether the change may be, and makes it. */
  update(item: Item, change: JsonObject): void;
  /** Says whether the item may go, and removes what goes with it. */
  remove(item: Item): void;
  /** The item as clients see it. */
  show(item: Item): JsonObject;
  /** Says whether these may be made by one request; each of them is asked about by `create` besides. */
  checkAll?(items: readonly Item[]): void;
  /** Actions on an item by PUT of `/<collection>/<id>/<action>`. */
  readonly actions?: Readonly<Record<string, (item: Item, body: JsonObject) => JsonObject>>;
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
  if (singular === 'floatingip')
    return neutronRefusal(404, 'FloatingIPNotFound', `Floating IP ${id} could not be found`);
  const [first = '', ...others] = singular.split('_');
  const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const type = [first, ...others].map(title).join('');
  const what = [title(first), ...others].join(' ');
  // Each part of the real one words it in its own way.
  const missing = type.startsWith('Security')
    ? 'does not exist'
    : type === 'Router'
      ? 'could not be found'
      : 'could not be found.';
  return neutronRefusal(404, `${type}NotFound`, `${what} ${id} ${missing}`);
}

/** The collection as it is named in paths. */
export function pathOf({ collection }: NeutronResource): string {
  return collection.replaceAll('_', '-');
}
