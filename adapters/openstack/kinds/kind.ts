// A kind of OpenStack resource made from its tables.
import type { JsonObject } from '../../../bus/bus.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { externalIdOf } from '../../../machines/external-resource/effects.ts';
import type { Reference } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { immutable } from '../../api/contract/contract.ts';
import { type Change, isJsonObject } from '../base/fields.ts';
import { merged, plain, projectionOf } from '../base/projection.ts';
import { recordedIdentity, resourceOfIdentity } from '../client/identity.ts';
import { contractOf, GROUP } from '../resource/common-contract.ts';
import { createAttributes, intentOf, unappliedFieldsOf } from '../resource/desired.ts';
import { hintOn } from '../resource/hints.ts';
import { openstackOperations } from '../resource/operations.ts';
import { isBuiltOnReplaced, referencesOf } from '../resource/references.ts';
import type { KindTable, OpenStackKind, ResourceFields, TableKind } from '../resource/table.ts';

const NEVER: Change = { kind: 'never' };

/** Completes a table with what all kinds share. */
export function defineKind<const Resource extends ResourceFields>(
  table: KindTable<Resource>,
): TableKind & { readonly resource: Resource } {
  const { reads, specRules: _, ...shown } = table;
  /** Cache of an object's references: they are read at each poll, and constant as long as the object is. */
  const known = new WeakMap<KubeObject, readonly Reference[]>();
  const kind: TableKind & { readonly resource: Resource } = {
    ...shown,
    ...namesOf(table.kind),
    members: table.members ?? table.collection,
    contract: contractOf(table),
    projection: merged([
      plain('id'),
      table.service.revisions ? plain('revision_number') : {},
      // mutant: update-without-basis drop
      projectionOf(table.resource),
      projectionOf(table.status),
      reads ?? {},
    ]),
    ...(table.content !== undefined && { telling: table.content.telling }),
    recorded: Object.entries(table.status).flatMap(([name, field]) => (field.recorded === true ? [name] : [])),
    ...(table.immutable === true && { resource: fixedOf(table.resource) }),
    externalId: (object) => (table.identity === undefined ? externalIdOf(object) : recordedIdentity(table, object)),
    ...(table.identity !== undefined && {
      recording(object, id) {
        const { resource: _, ...status } = object.status ?? {};
        return id === undefined ? status : { ...status, resource: resourceOfIdentity(table, id) };
      },
    }),
    references(object) {
      const references = known.get(object) ?? referencesOf(kind, object);
      known.set(object, references);
      return references;
    },
    isNamed: Object.values(table.resource).some(
      ({ role, schema }) => role === 'name' && table.immutable !== true && schema.immutable !== true,
    ),
    operations: (deps) => openstackOperations(kind, deps),
    hintFor: (object, message, known) => hintOn(kind, object, message, known),
    ...(table.complete !== undefined && { refusal: (object) => refusalOf(kind, object) }),
    intent: ({ object, dependencies }) => intentOf(kind, object, dependencies),
    isBuiltOnReplaced: (object, reference, id) => isBuiltOnReplaced(kind, object, reference, id),
    unappliedFields: (object, known) =>
      unappliedFieldsOf(kind, object, (object.status?.['resource'] ?? {}) as JsonObject, known),
  };
  return kind;
}

/** Error of the create itself before it is sent, as far as that needs no reference. */
function refusalOf(kind: TableKind, object: KubeObject): string | undefined {
  const resource = object.spec?.['resource'];
  if (!isJsonObject(resource)) return undefined;
  try {
    kind.complete?.(createAttributes(kind, object, {}).stated, resource);
    return undefined;
  } catch (error) {
    if (error instanceof TerminalError) return error.message;
    throw error;
  }
}

/** A field that is immutable as a whole is so in each part, and is never compared with the observation. */
function fixedOf<Resource extends ResourceFields>(fields: Resource): Resource {
  const fixed = Object.entries(fields).map(([name, field]) => [
    name,
    { ...field, schema: immutable(field.schema), change: NEVER },
  ]);
  return Object.fromEntries(fixed) as Resource;
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
