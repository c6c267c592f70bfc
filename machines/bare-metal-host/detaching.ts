// A host that is taken out of Ironic as it runs, and attached again: its `provisioning.state` stays what it is.
import { and } from 'xstate';
import { Tag } from '../lifecycle.ts';
import { hostOf } from './context.ts';
import { detachment } from './detachment.ts';
import { hostSetup } from './setup.ts';
import { answered, onEdited, refusedOrNot, succeeded, toDeleting, waits, was } from './shared-states.ts';

export const detaching = hostSetup.createStateConfig({
  id: 'detaching',
  description: 'Removing the node from Ironic while the machine continues to run.',
  initial: 'deciding',
  states: {
    deciding: {
      description: 'What was decided is stored, and what comes next is decided.',
      tags: Tag.Busy,
      entry: 'claim',
      exit: 'heed',
      always: [
        { guard: 'brings', target: '#admitting' },
        toDeleting(),
        { guard: 'mustAttach', target: '#routing', actions: 'attach' },
        { guard: 'isDetachmentOver', target: '#routing' },
        { guard: and(['isSaved', 'isDetachedForGood']), target: 'detached' },
        { guard: 'isSaved', target: 'removing' },
      ],
    },
    removing: {
      description: 'Its node is taken out of Ironic, and nothing on the machine is touched.',
      tags: Tag.Busy,
      invoke: {
        id: 'detach',
        src: 'remove',
        input: ({ context }) => {
          const found = detachment(hostOf(context));
          return { key: context.key, node: context.node, force: found.kind === 'detach' && found.force };
        },
        onDone: [
          { guard: was('done'), target: 'deciding', actions: [...succeeded, 'noteDetached'] },
          { guard: was('absent'), target: 'deciding', actions: [...succeeded, 'noteDetached'] },
          ...answered,
        ],
        onError: refusedOrNot,
      },
    },
    detached: {
      description: 'Ironic does not know it any more.',
      tags: Tag.Settled,
      entry: ['claim', 'noteDelayedDeletion', 'noteGeneration'],
      after: { detachedPause: 'removing' },
      on: { 'object.changed': onEdited('deciding') },
    },
    ...waits,
  },
});
