// A kind that is shown no more than it declares, and caught when it looks for more: what is not declared is not there, and a
// kind that asks for it would be told `undefined` for ever.

import { EVERY, type Projection } from '../../adapters/openstack/base/projection.ts';
import type { WatchingOperations } from '../../adapters/openstack/client/checked-operations.ts';
import { openstackOperations } from '../../adapters/openstack/resource/operations.ts';
import type { OpenStackKind, TableKind } from '../../adapters/openstack/resource/table.ts';
import type { Json, JsonObject } from '../../bus/bus.ts';

export function isTableKind(kind: OpenStackKind): kind is TableKind {
  return 'resource' in kind;
}

/**
 * The same kind; whatever looks at a resource fails when it reads what is not declared.
 *
 * @param onUndeclared  called with the kind and the name before that, for those who catch what operations throw
 */
export function attentive(kind: OpenStackKind, onUndeclared: (what: string) => void = () => undefined): OpenStackKind {
  const shown = (projection: Projection, attributes: JsonObject): JsonObject =>
    strict(projection, attributes, (name) => {
      const what = `${kind.kind} reads '${name}', which it does not declare`;
      onUndeclared(what);
      throw new TypeError(what);
    });
  const updating = (operations: WatchingOperations): WatchingOperations => ({
    ...operations,
    update(request) {
      const { observation } = request;
      const attributes = shown(kind.projection, observation.attributes);
      return operations.update({ ...request, observation: { ...observation, attributes } });
    },
  });
  if (!isTableKind(kind)) return { ...kind, operations: (deps) => updating(kind.operations(deps)) };
  const { available, pollAfterMs, status } = kind;
  const watched: TableKind = {
    ...kind,
    ...(available !== undefined && {
      available: (attributes, resource) => available(shown(kind.projection, attributes), resource),
    }),
    ...(pollAfterMs !== undefined && {
      pollAfterMs: (attributes, resource) => pollAfterMs(shown(kind.projection, attributes), resource),
    }),
    status: Object.fromEntries(
      Object.entries(status).map(([name, field]) => [
        name,
        { ...field, read: (attributes) => field.read(shown(field.projection, attributes)) },
      ]),
    ),
    operations: (deps) => updating(openstackOperations(watched, deps)),
  };
  return watched;
}

function strict(projection: Projection, attributes: JsonObject, onUndeclared: (name: string) => never): JsonObject {
  const shownAs = (inner: Projection, value: Json | undefined): Json | undefined => {
    if (Array.isArray(value)) return value.map((item: Json) => shownAs(inner, item) as Json);
    return typeof value === 'object' && value !== null ? strict(inner, value as JsonObject, onUndeclared) : value;
  };
  return new Proxy(attributes, {
    get(target, name) {
      if (typeof name !== 'string') return Reflect.get(target, name);
      const inner = Object.hasOwn(projection, name) ? projection[name] : projection[EVERY];
      return inner === undefined ? onUndeclared(name) : shownAs(inner, target[name]);
    },
  });
}
