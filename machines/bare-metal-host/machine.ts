// The life of a bare-metal host: the states of `provisioning.state`, and in each of them what is being done.
//
//   admitting -> routing -> new | unmanaged -> registering -> inspecting -> preparing -> available
//     available -> provisioning -> provisioned -> deprovisioning -> available; externallyProvisioned
//     any of them -> detaching -> routing; deprovisioning | poweringOff -> deleting -> gone
//   In each: deciding (-> queueing | lacking | joining) -> judging -> what is done there -> awaiting | pausing | backingOff
//
// Invariants:
//   BARE-METAL-HOST-1. A paused host does nothing: no call, no timer, no write.
//   BARE-METAL-HOST-2. A lifecycle always starts from the status alone; a running operation is recognized by the state
//       of the node.
//   BARE-METAL-HOST-3. What was decided is stored before anything else is done for it.
//   BARE-METAL-HOST-4. A state that needs room is entered when there is some, and not said to be entered before.
//   BARE-METAL-HOST-5. Nothing is asked of Ironic for a host without the credentials of its BMC, except on its way out.
//   BARE-METAL-HOST-6. An answer to what was asked of Ironic is waited for, deletion or not: what it made is removed then.
//   BARE-METAL-HOST-7. The node is registered again only when the spec, the credentials or the state changed, when Ironic
//       lost it, or when it was too busy to be configured and has changed since.
//   BARE-METAL-HOST-8. An error in the status is always counted and retried with backoff; any other failure is retried
//       soon, and reported by the conditions when it happens twice.
//   BARE-METAL-HOST-9. Others hold a deleted host until they have let go: its node is removed after that, and the own finalizer last.
//   BARE-METAL-HOST-10. Conditions concern a generation of the host only once it was processed, and then also without
//       any other effect.
//   BARE-METAL-HOST-11. A Secret that is being deleted is yielded by a host that was never registered (P1): it waits for the next one.
//   BARE-METAL-HOST-12. What is heard while something is under way is decided upon before anything is waited for.
//   BARE-METAL-HOST-13. Nothing is done to a node that was too busy to be configured, once it has changed, before it is
//       registered again.
import { Tag } from '../lifecycle.ts';
import { NOTHING_SEEN_TO, NOTHING_SENT, NOTHING_TO_SEND } from './context.ts';
import { leaving } from './deleting.ts';
import { deploying } from './deploying.ts';
import { detaching } from './detaching.ts';
import { admitting, arriving, routing, unknown } from './enrolling.ts';
import { hostSetup } from './setup.ts';
import { becomesPaused, storeDependencies, storeObject } from './shared-states.ts';
import { keeping } from './steady.ts';

const isLostRace = { type: 'isLostRace', params: ({ event }: { event: { error: unknown } }) => event } as const;

/** The status writer follows the decisions independently. */
const telling = hostSetup.createStateConfig({
  description: 'What is decided is stored, and told.',
  initial: 'reported',
  states: {
    reported: {
      description: 'There is nothing to store.',
      always: { guard: 'mayWrite', target: 'writing' },
    },
    writing: {
      description: 'The status is being stored.',
      entry: 'noteWriting',
      invoke: {
        id: 'writeStatus',
        src: 'writeStatus',
        input: ({ context: { key, status, node, problem, unannotate, events, measures } }) => ({
          key,
          status,
          node: node && { fault: node.fault, health: node.health },
          problem,
          unannotate,
          events,
          measures,
        }),
        onDone: {
          target: 'reported',
          actions: 'noteWritten',
        },
        onError: [
          { guard: isLostRace, target: 'reported', actions: 'countWriteFailure' },
          { target: 'retryingWrite', actions: 'countWriteFailure' },
        ],
      },
    },
    retryingWrite: {
      description: 'The status could not be stored.',
      after: { writePause: 'reported' },
    },
  },
});

export const bareMetalHostMachine = hostSetup.createMachine({
  id: 'bareMetalHost',
  context: ({ input: { key, object, dependencies, at } }) => ({
    key,
    object,
    dependencies,
    status: object.host.status ?? {},
    ...NOTHING_TO_SEND,
    revision: 0,
    writing: 0,
    written: 0,
    sending: NOTHING_SENT,
    writeFailures: 0,
    withdrawnUids: [],
    node: undefined,
    basis: '',
    joined: undefined,
    unconfigured: undefined,
    unusable: undefined,
    isAdopted: false,
    isAdmitted: false,
    plan: undefined,
    seenTo: NOTHING_SEEN_TO,
    reboots: [],
    pauseMs: 0,
    retries: 0,
    error: undefined,
    problem: undefined,
    isReleased: false,
    unappliedFields: 'nothing',
    heardAt: at,
  }),
  type: 'parallel',
  states: {
    lifecycle: {
      description: 'From a registered machine to one that runs the wanted image, and back.',
      initial: 'starting',
      on: {
        'object.changed': [{ guard: becomesPaused, target: '#paused', actions: storeObject }, { actions: storeObject }],
        'dependencies.changed': { actions: storeDependencies },
      },
      states: {
        starting: {
          description: 'Deciding whether anything is to be done at all.',
          tags: Tag.Busy,
          on: {
            'lifecycle.started': [{ guard: 'isPaused', target: 'paused' }, { target: 'admitting' }],
          },
        },
        paused: {
          id: 'paused',
          description: 'Nothing is done as long as the annotation is there.',
          tags: Tag.Settled,
          on: {
            'object.changed': [
              { guard: becomesPaused, actions: storeObject },
              { target: 'admitting', actions: [storeObject, 'forgetDecisions'] },
            ],
          },
        },
        admitting,
        routing,
        ...arriving,
        ...keeping,
        ...deploying,
        detaching,
        ...leaving,
        unknown,
        deleted: {
          id: 'deleted',
          description: 'Nothing is left to do: the host is deleted, or will be without us.',
          tags: [Tag.Deleting, Tag.Busy],
        },
      },
    },
    telling,
  },
});
