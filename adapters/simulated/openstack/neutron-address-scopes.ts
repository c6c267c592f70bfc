// Address scopes of the simulated Neutron: they have neither tags nor revisions nor times.
import { neutronRefusal } from './exchange.ts';
import { type AttributeTable, asGiven, oneOf, toBoolean, toInteger, toText } from './neutron-attributes.ts';
import type { NeutronDeps, NeutronResource } from './neutron-resource.ts';
import { CollectionName } from './store.ts';

const ATTRIBUTES: AttributeTable = {
  id: { convert: asGiven, preset: 'unset', allowed: 'never' },
  name: { convert: toText, preset: '', allowed: 'always' },
  tenant_id: { convert: toText, preset: '', allowed: 'creation' },
  shared: { convert: toBoolean, preset: false, allowed: 'always' },
  ip_version: { convert: (value, name) => oneOf(4, 6)(toInteger(value, name), name), allowed: 'creation' },
};

export function addressScopes(_: NeutronDeps): NeutronResource {
  return {
    collection: CollectionName.AddressScopes,
    singular: 'address_scope',
    attributes: ATTRIBUTES,
    filters: ['name', 'shared', 'ip_version'],
    tags: 'none',
    create: () => undefined,
    update(item, change) {
      if (item['shared'] === true && change['shared'] === false) {
        const what = `Unable to update address scope ${item['id']} : Shared address scope can't be unshared.`;
        throw neutronRefusal(400, 'AddressScopeUpdateError', what);
      }
      Object.assign(item, change);
    },
    remove: () => undefined,
    show({ id, name, project_id, ip_version, shared }) {
      const project = project_id ?? '';
      return {
        id: id ?? '',
        name: name ?? '',
        tenant_id: project,
        project_id: project,
        ip_version: ip_version ?? 4,
        shared: shared === true,
      };
    },
  };
}
