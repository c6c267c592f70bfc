// All routes of a model, for people.
import type { Model } from '../../model/mod.ts';
import type { Store } from '../store/store.ts';
import { treeOf } from './tree.ts';

export interface RouteEntry {
  readonly verb: string;
  readonly path: string;
  readonly service: string;
  readonly version: string;
  /** Name of the model's method. */
  readonly resource: string;
  readonly method: string;
  readonly status: number;
  /** The store that serves it; undefined: 501. */
  readonly binding: string | undefined;
}

/** In the order of services, versions and paths. @param store  undefined: nothing is bound */
export function routeTable(model: Model, store: Store | undefined): RouteEntry[] {
  return model.services.flatMap(({ versions }) =>
    versions.flatMap((of) =>
      treeOf(of).operations.map(({ method, path, collection }) => {
        const described = collection && store?.describe(collection);
        const isPlain =
          method.kind !== 'action' && method.kind !== 'Post' && method.kind !== 'AsyncPost' && method.kind !== 'Search';
        const isServed = isPlain || (collection && store?.bind(collection)?.methods?.has(method.name.camel)) === true;
        return {
          verb: method.verb,
          path,
          service: of.service.name.snake,
          version: of.name.snake,
          resource: method.owner.name.camel,
          method: method.name.camel,
          status: method.status,
          binding: isServed ? described : undefined,
        };
      }),
    ),
  );
}

/** The effect of a model's edit on its routes. */
export function changedRoutes(
  old: readonly RouteEntry[],
  now: readonly RouteEntry[],
): { added: string[]; removed: string[] } {
  const [before, after] = [old, now].map((entries) => new Set(entries.map(({ verb, path }) => `${verb} ${path}`)));
  return {
    added: [...(after ?? [])].filter((each) => before?.has(each) !== true),
    removed: [...(before ?? [])].filter((each) => after?.has(each) !== true),
  };
}
