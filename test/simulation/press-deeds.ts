// What may be done to a book just when its life enters a state, and where that makes a difference.
import { type ResourceRule, replaced } from './deeds.ts';
import { Trouble } from './misfortunes.ts';

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
  /** Before the API server's slow answer says that its finalizer was stored. */
  unownEarly: {
    at: /^book working.guarding/,
    weight: 2,
    does: ({ object }) => [
      { what: 'slowKube', forMs: 3_000 },
      { what: 'unown', object, afterMs: 20 },
    ],
  },
  /** Its finalizer comes too late. */
  deleteUnowned: {
    at: /^book working.guarding/,
    weight: 4,
    does: ({ object }, { forMs }) => [
      { what: 'pin', object },
      { what: 'slowKube', forMs: 3_000 },
      { what: 'delete', object },
      { what: 'unpin', object, afterMs: 3_000 + forMs },
    ],
  },
  /** Somebody holds what has nothing left to do when another host takes it over. */
  takeOverGone: {
    at: /^book (finished.bound|deleting)/,
    weight: 2,
    does: ({ object, pod }, { forMs }) => [
      { what: 'pin', object },
      { what: 'delete', object },
      { what: 'unown', object, afterMs: 10 },
      { what: 'crash', pod, forMs: 300, afterMs: 20 },
      { what: 'unpin', object, afterMs: 40_000 + forMs },
    ],
  },
  /** What it has made refuses to be another, until somebody takes it away. */
  freeze: {
    at: /^book finished.bound/,
    weight: 3,
    does: ({ object }, { forMs }) => [
      { what: 'freeze', object, child: 0 },
      { what: 'edit', object, text: 'too late', afterMs: 20 },
      { what: 'takeChild', object, child: 0, afterMs: 1_000 + forMs },
    ],
  },
  /** While what it waits for to be done, or not, keeps it from saying what it was built on. */
  deleteWaiting: {
    at: /^book working.(waitingOut|probing|reserving)/,
    isCalm: true,
    weight: 3,
    does: ({ object }) => [{ what: 'delete', object }],
  },
  replaceLate: {
    at: /^book working.(reserving|looking|awaiting)/,
    weight: 3,
    does: ({ dependency, pod }, { forMs }) => [
      { what: 'lateCreates', forMs: 3_000, byMs: 500 + forMs },
      { what: 'crash', pod, forMs: 300, afterMs: 200 },
      ...replaced(dependency, forMs, 400),
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
  /** What is to be printed is listed, and the process sleeps before it asks. */
  sleepBeforePrint: {
    at: /^book working.printing/,
    weight: 3,
    does: ({ pod }, { forMs }) => [{ what: 'standStill', pod, slowMs: 20 + (forMs % 300), forMs: 15_000 + forMs }],
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
} as const satisfies Readonly<Record<string, ResourceRule>>;
