// An adapter of the group metal3.io without Ironic: its objects get their finalizer and are well, and that is all. For what the
// runtime and the commands make of finished definitions, and of clusters that do not have them.
import { assign, fromPromise, setup } from 'xstate';
import type { Adapter, Configured, ConfiguredAdapter, DeclaredKind } from '../../adapters/api/adapter.ts';
import { metal3Contracts } from '../../adapters/ironic/api/contracts.ts';
import { DEFINITION_FLAGS, metal3Definitions } from '../../adapters/ironic/definition-options.ts';
import { type Lifecycle, type LifecycleEvent, type LifecycleInput, Tag } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';

const FINALIZER = 'test.metal3.io';

interface View {
  readonly isDeleted: boolean;
}

const effect = fromPromise<void, { readonly key: string }>(() => {
  throw new Error('it was not provided');
});

const machine = setup({
  types: {
    context: {} as { readonly key: string; readonly object: View },
    events: {} as LifecycleEvent<View>,
    input: {} as LifecycleInput<View>,
    tags: {} as Tag,
  },
  actors: { addOwnFinalizer: effect, removeOwnFinalizer: effect },
  actions: {
    see: assign({
      object: ({ context, event }) => (event.type === 'object.changed' ? event.object : context.object),
    }),
  },
  guards: { isDeleted: ({ context }) => context.object.isDeleted },
}).createMachine({
  id: 'wellHost',
  context: ({ input }) => ({ key: input.key, object: input.object }),
  initial: 'asleep',
  on: { 'object.changed': { actions: 'see' } },
  states: {
    asleep: {
      description: 'Its life has not begun.',
      on: { 'lifecycle.started': [{ guard: 'isDeleted', target: 'releasing' }, { target: 'guarding' }] },
    },
    guarding: {
      description: 'The finalizer is being stored.',
      tags: [Tag.Busy],
      invoke: {
        id: 'addOwnFinalizer',
        src: 'addOwnFinalizer',
        input: ({ context: { key } }) => ({ key }),
        onDone: 'well',
      },
    },
    well: {
      description: 'There is nothing to do.',
      tags: [Tag.Settled, Tag.Available],
      always: { guard: 'isDeleted', target: 'releasing' },
    },
    releasing: {
      description: 'The finalizer is being removed.',
      tags: [Tag.Busy, Tag.Deleting],
      invoke: { id: 'removeOwnFinalizer', src: 'removeOwnFinalizer', input: ({ context: { key } }) => ({ key }) },
    },
  },
});

const life: Lifecycle = {
  machine,
  provide: (portsOf) =>
    machine.provide({
      actors: {
        addOwnFinalizer: fromPromise<void, { readonly key: string }>(({ input }) =>
          portsOf(input.key).addOwnFinalizer(),
        ),
        removeOwnFinalizer: fromPromise<void, { readonly key: string }>(({ input }) =>
          portsOf(input.key).removeOwnFinalizer(),
        ),
      },
    }),
  view: ({ metadata }: KubeObject): View => ({ isDeleted: metadata.deletionTimestamp !== undefined }),
  statusKey: () => undefined,
  status: () => [],
  mayHaveUnrecordedCreate: () => false,
  failureStatus: () => [],
  canPassivate: (snapshot) => snapshot.hasTag(Tag.Settled),
  stepDetails: () => ({}),
};

const kinds = metal3Contracts.map(
  ({ group, version, kind, plural }): DeclaredKind => ({
    realm: 'metal3',
    group,
    version,
    kind,
    plural,
    finalizer: FINALIZER,
    guards: [FINALIZER],
    life,
    fieldManagers: { finalizer: 'test/finalizer', guards: 'test/guards' },
    references: () => [],
    children: () => [],
    publicState: ({ metadata: { name } }) => ({ ready: true, id: name }),
    operations: [],
  }),
);

const configured: Configured = {
  kinds,
  serve: async () => ({
    operations: Object.fromEntries(kinds.map(({ plural }) => [plural, {}])),
    close: async () => undefined,
  }),
};

export const metal3: Adapter = {
  realm: 'metal3',
  role: 'ironic',
  contracts: metal3Contracts,
  definitionFlags: DEFINITION_FLAGS,
  definitions: metal3Definitions,
  reads: [{ group: 'ironic.metal3.io', plural: 'ironics' }],
  createsKinds: ['hardwaredata', 'hostfirmwaresettings'].map((owned) => ({ owner: 'baremetalhosts', owned })),
  configure: () => configured,
};

export const configuredMetal3: ConfiguredAdapter & Adapter = { ...metal3, ...configured };
