// The API of the kind: the fields of a Lamp, and its status. Its CustomResourceDefinition is made of this.
import {
  integer,
  type KindContract,
  object,
  ref,
  required,
  secretRef,
  standardColumns,
  standardStatus,
} from 'troupe/adapter';

export const GROUP = 'lighting.example.org';

export const lampContract: KindContract = {
  group: GROUP,
  version: 'v1alpha1',
  kind: 'Lamp',
  plural: 'lamps',
  categories: ['lighting'],
  description: 'Lamp is a resource of the lighting service.',
  columns: [...standardColumns],
  spec: object('spec of the Lamp.', {
    tokenRef: secretRef('tokenRef is the Secret of this namespace whose key `token` is sent with each call.'),
    watts: required(integer('watts of it.', { minimum: 1, maximum: 1_000 })),
    // The other Lamp is waited for, and cannot be deleted before this one.
    behindRef: ref('Lamp', 'behindRef is another Lamp that this one gets its current from.', {
      guarded: true,
      finalizer: `${GROUP}/lamp-behind`,
    }),
  }),
  status: standardStatus({ watts: integer('watts as the service has them.') }),
};
