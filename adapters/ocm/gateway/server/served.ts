// A model as it is served: its URLs, and the tables and indexes behind them.
//
// Invariants:
//   OCM-SERVED-1. Requests read what the watch of a store delivered, never a store. A write that was answered is read from then on.

import type { Model } from '../../model/mod.ts';
import { Links } from '../envelope/links.ts';
import { ObjectWriter } from '../envelope/objects.ts';
import { type Tree, treeOf } from '../routes/tree.ts';
import type { FieldScope } from '../search/fields.ts';
import { ObjectIndex } from '../search/object-index.ts';
import type { Collection } from '../store/collections.ts';
import { Serial } from '../store/serial.ts';
import type { Store, Table } from '../store/store.ts';

/** A collection to which something is bound. */
export interface ServedTable {
  readonly collection: Collection;
  readonly table: Table;
  readonly index: ObjectIndex;
  /** Writes that give an object its name, where names are unique: by the name. */
  readonly naming: Serial;
  readonly writer: ObjectWriter;
  readonly scope: FieldScope;
}

interface Watched extends Pick<ServedTable, 'table' | 'index' | 'naming'> {
  readonly stop: () => void;
}

/** The watches of a store: they outlive changes of the model. */
export class Watches {
  readonly #watched = new Map<string, Watched>();
  readonly #onChange: () => void;

  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** A table with its index; a watch begins where there is none. */
  of(key: string, table: Table): Watched {
    const known = this.#watched.get(key);
    if (known?.table === table) return known;
    known?.stop();
    const index = new ObjectIndex();
    const stop = table.watch((change) => {
      index.apply(change);
      this.#onChange();
    });
    const watched = { table, index, naming: new Serial(), stop };
    this.#watched.set(key, watched);
    return watched;
  }

  /** Ends all but these. */
  retain(keys: ReadonlySet<string>): void {
    for (const [key, { stop }] of this.#watched) {
      if (keys.has(key)) continue;
      stop();
      this.#watched.delete(key);
    }
  }
}

/** The state from which requests are answered. Another model, or other bindings, make another one. */
export class Served {
  readonly model: Model;
  /** Keyed by service and version, in lower case as in URLs. */
  readonly services: ReadonlyMap<string, ReadonlyMap<string, Tree>>;
  readonly links: Links;
  readonly #tables = new Map<string, ServedTable>();

  constructor(model: Model, store: Store, watches: Watches) {
    this.model = model;
    this.services = new Map(
      model.services.map(({ name, versions }) => [
        name.snake,
        new Map(versions.map((version) => [version.name.snake, treeOf(version)])),
      ]),
    );
    const trees = [...this.services.values()].flatMap((versions) => [...versions.values()]);
    this.links = new Links(trees);
    for (const collection of trees.flatMap(({ collections }) => collections.all()))
      this.#bind(collection, store, watches);
    watches.retain(new Set(this.#tables.keys()));
  }

  /** Undefined where nothing is bound. */
  table(collection: Collection): ServedTable | undefined {
    return this.#tables.get(keyOf(collection));
  }

  /** Paths of the collections whose objects are not known yet. */
  get unread(): readonly string[] {
    return [...this.#tables.values()].flatMap(({ index, collection }) => (index.isComplete ? [] : collection.path));
  }

  #bind(collection: Collection, store: Store, watches: Watches): void {
    const table = store.bind(collection);
    if (table === undefined) return;
    const key = keyOf(collection);
    const writer = new ObjectWriter(collection, this.links);
    const scope: FieldScope = {
      type: collection.type,
      searchFields: table.searchFields,
      hrefOf: (object) => writer.hrefOf(object),
      linkHref: (attribute, id, object) => writer.linkHref(attribute, id, object),
    };
    this.#tables.set(key, { ...watches.of(key, table), collection, writer, scope });
  }
}

function keyOf({ path, singleton }: Collection): string {
  return `${path} ${singleton}`;
}
