// A kind of OpenStack resource made from its tables.
import type { JsonObject } from '../../../bus/bus.ts';
import { adviceOn } from '../advice.ts';
import { openstackOperations } from '../operations.ts';
import { referencesOf } from '../references.ts';
import { unheededFields } from '../unheeded.ts';
import { contractOf, GROUP } from './common-contract.ts';
import { merged, plain, projectionOf } from './projection.ts';
import type { KindTable, OpenStackKind, ResourceFields, TableKind } from './table.ts';

/** Completes a table with what all kinds share. */
export function defineKind<const Resource extends ResourceFields>(
  table: KindTable<Resource>,
): TableKind & { readonly resource: Resource } {
  const { reads, ...shown } = table;
  const { adoption, published, children } = table;
  const kind: TableKind & { readonly resource: Resource } = {
    ...shown,
    ...namesOf(table.kind),
    members: table.members ?? table.collection,
    adoption: { query: adoption.query, check: adoption.check ?? [], mark: adoption.mark ?? (() => ({})) },
    available: table.available ?? (() => true),
    pollAfterMs: table.pollAfterMs ?? (() => undefined),
    complete: table.complete ?? ((attributes) => attributes),
    contract: contractOf(table),
    projection: merged([
      plain('id'),
      table.service.revisions ? plain('revision_number') : {},
      projectionOf(table.resource),
      projectionOf(table.status),
      reads ?? {},
    ]),
    awaits: 'all',
    references: (object) => referencesOf(kind, object),
    operations: (deps) => openstackOperations(kind, deps),
    published: published ?? (() => undefined),
    children: children ?? (() => []),
    advise: (object, message, known) => adviceOn(kind, object, message, known),
    unheeded: (object, known) => unheededFields(kind, object, (object.status?.['resource'] ?? {}) as JsonObject, known),
  };
  return kind;
}

/** The names under which a kind is known, and writes. */
export function namesOf(kind: string): Pick<OpenStackKind, 'plural' | 'finalizer' | 'fieldManagers'> {
  const lower = kind.toLowerCase();
  const controller = `${GROUP}/${lower}controller`;
  return {
    plural: `${lower}s`,
    finalizer: `${GROUP}/${lower}`,
    fieldManagers: { finalizer: `${controller}/finalizer`, status: `${controller}/status`, guards: controller },
  };
}
