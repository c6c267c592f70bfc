// What may be done to a book just when its life enters a state, and where that makes a difference.
import type { Rule } from './deeds.ts';
import { replaced } from './deeds.ts';
import { Trouble } from './plan.ts';

const LIVING = /^book (?!deleting|gone)/;
const WORKING = /^book (working|recycling|backingOff)/;
const AVAILABLE = /^book finished/;
const DELETING = /^book deleting/;

export const PRESS_RULES = {
  deleteBook: { at: LIVING, isCalm: true, weight: 4, does: ({ object }) => [{ what: 'delete', object }] },
  replaceBook: { at: LIVING, isCalm: true, weight: 2, does: ({ object }, { forMs }) => replaced(object, forMs) },
  editBook: {
    at: LIVING,
    isCalm: true,
    weight: 2,
    does: ({ object }) => [{ what: 'edit', object, text: 'just now' }],
  },
  reprint: { at: LIVING, isCalm: true, weight: 4, does: ({ object }) => [{ what: 'reprint', object }] },
  /** Another print, and the object goes while the first one is thrown away. */
  reprintAndDelete: {
    at: /^book finished.bound/,
    isCalm: true,
    weight: 2,
    does: ({ object }, { forMs }) => [
      { what: 'reprint', object },
      { what: 'delete', object, afterMs: 20 + (forMs % 120) },
    ],
  },
  tamper: {
    at: AVAILABLE,
    isCalm: true,
    weight: 2,
    does: ({ object }, { forMs }) => [{ what: 'tamper', object, child: forMs % 2 }],
  },
  takeChild: {
    at: AVAILABLE,
    isCalm: true,
    weight: 2,
    does: ({ object }, { forMs }) => [{ what: 'takeChild', object, child: forMs % 2 }],
  },
  replacePaper: {
    at: LIVING,
    isCalm: true,
    weight: 2,
    does: ({ dependency }, { forMs }) => replaced(dependency, forMs),
  },
  pinBook: {
    at: LIVING,
    isCalm: true,
    weight: 2,
    does: ({ object }, { forMs }) => [
      { what: 'pin', object },
      { what: 'delete', object },
      { what: 'unpin', object, afterMs: forMs },
    ],
  },
  unownBook: {
    at: /^book (working|finished.bound|deleting)/,
    does: ({ object }) => [
      { what: 'unown', object },
      { what: 'delete', object, afterMs: 20 },
    ],
  },
  bookInForeground: {
    at: DELETING,
    isCalm: true,
    does: ({ object }, { forMs }) => [
      { what: 'deleteInForeground', object },
      { what: 'unpinKeepsake', object, afterMs: forMs },
    ],
  },
  rob: {
    at: /^book (working|finished.bound|recycling)/,
    weight: 2,
    does: ({ object }) => [{ what: 'vanish', object }],
  },
  unsettleBook: { at: /^book (finished|refused)/, does: ({ object }) => [{ what: 'unsettle', object }] },
  shopTrouble: {
    at: /^book (?!gone)/,
    weight: 4,
    does: (_, { trouble, forMs }) => [{ what: 'cloudTrouble', trouble, forMs }],
  },
  shopFails: {
    at: /^book (working|deleting|recycling|finished.bound)/,
    weight: 2,
    does: (_, { forMs }) => [{ what: 'cloudTrouble', trouble: Trouble.Failing, forMs: 500 + forMs }],
  },
  /** It refuses everything that is to be made, or to be thrown away. */
  shopRefuses: {
    at: /^book (working|finished.bound)/,
    weight: 3,
    does: ({ object }) => [
      { what: 'cloudTrouble', trouble: Trouble.Refusing, forMs: 4_000 },
      { what: 'reprint', object },
    ],
  },
  deleteRefused: {
    at: /^book refused/,
    weight: 3,
    does: ({ object }, { forMs }) => [{ what: 'delete', object, afterMs: forMs % 300 }],
  },
  editRefused: {
    at: /^book refused/,
    weight: 3,
    does: ({ object }) => [{ what: 'edit', object, text: 'better now' }],
  },
  /** Where something is asked of the API server. */
  loseKubeOfBook: {
    at: /guarding|furnishing|recycling|clearing|discarding|unclaiming|releasing|bound/,
    weight: 3,
    does: (_, { forMs }) => [{ what: 'loseKube', forMs: 500 + forMs }],
  },
  slowKubeOfBook: { at: /^book/, does: (_, { forMs }) => [{ what: 'slowKube', forMs }] },
  slowMailOfBook: { at: /^book/, does: (_, { forMs }) => [{ what: 'slowMail', forMs }] },
  /** In the middle of what takes as long as it takes. */
  sleepAtWork: {
    at: WORKING,
    weight: 2,
    does: ({ pod }, { forMs }) => [{ what: 'standStill', pod, slowMs: forMs % 200, forMs: 15_000 + forMs }],
  },
  crashAtWork: { at: WORKING, weight: 4, does: ({ pod }, { forMs }) => [{ what: 'crash', pod, forMs }] },
  stopAtWork: { at: WORKING, weight: 2, does: ({ pod }, { forMs }) => [{ what: 'stop', pod, forMs }] },
  crashWhileGoing: { at: DELETING, weight: 2, does: ({ pod }, { forMs }) => [{ what: 'crash', pod, forMs }] },
  cutBusAtWork: { at: WORKING, weight: 2, does: ({ pod }, { forMs }) => [{ what: 'cutBus', pod, forMs }] },
  wipeMailAtWork: { at: WORKING, does: () => [{ what: 'wipeMail' }] },
  /** What is asked for is done after its sender has given up. */
  lateAtWork: {
    at: WORKING,
    weight: 3,
    does: ({ pod }, { forMs }) => [
      { what: 'lateCreates', forMs: 2_000, byMs: 500 + forMs },
      ...(forMs % 2 === 0 ? ([{ what: 'crash', pod, forMs: 300, afterMs: 300 }] as const) : []),
    ],
  },
} as const satisfies Readonly<Record<string, Rule>>;
