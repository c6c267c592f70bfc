// What may be done to an object of the further kinds just when its life enters a state that only these have, or dwell in: what
// it is made of is not there yet, its content is on its way, the cloud is at work on it.
import type { JsonObject } from '../../bus/mod.ts';
import type { ResourceRule, Target } from './deeds.ts';
import type { Planned } from './manifests.ts';
import type { Later, Means } from './moments.ts';
import type { ResourceDeed } from './plan.ts';

const FILLING = /^filling/;
const LACKING = /^building\.lacking/;
const AT_WORK = /^(filling|building\.lacking|keeping\.(updating|settling))/;
/** Where something is said in the status. */
const SAYING = /^filling\.(announcing|attempting|delegated)/;

export const FURTHER_RULES = {
  deleteAtWork: { at: AT_WORK, isCalm: true, weight: 4, does: ({ object }) => [{ what: 'delete', object }] },
  replaceAtWork: {
    at: AT_WORK,
    isCalm: true,
    does: ({ object }, { forMs }) => [
      { what: 'delete', object },
      { what: 'create', object, afterMs: forMs },
    ],
  },
  editAtWork: {
    at: AT_WORK,
    isCalm: true,
    weight: 3,
    does: ({ object }) => [{ what: 'edit', object, text: 'just now' }],
  },
  renameUnmade: {
    at: /^(building\.(adopting|creating|contending|recording)|backingOff)/,
    isCalm: true,
    weight: 3,
    does: ({ object }) => [{ what: 'rename', object, text: 'just now' }],
  },
  fill: { at: LACKING, isCalm: true, weight: 3, does: ({ object }) => ofSecret(object, 'fill') },
  empty: { at: /^building\.(adopting|creating|lacking)/, isCalm: true, weight: 3, does: emptiedOf },
  /** It goes while it is found out that what it is to be made of is not there. */
  emptyGone: {
    at: /^building\.adopting/,
    isCalm: true,
    weight: 4,
    does: (target, means) => {
      const emptied = emptiedOf(target, means);
      const { object } = target;
      return emptied.length === 0 ? [] : [...emptied, { what: 'delete', object, afterMs: means.forMs % 150 }];
    },
  },
  /** What it says of itself is nonsense by the time that its content is to be brought. */
  nonsenseAtWork: {
    at: /^filling\.(announcing|attempting)/,
    weight: 3,
    does: ({ object }) => [{ what: 'nonsense', object }],
  },
  unsettleAtWork: { at: AT_WORK, weight: 3, does: ({ object }) => [{ what: 'unsettle', object }] },
  rotateAtWork: {
    at: AT_WORK,
    isCalm: true,
    does: ({ object: { namespace } }) => [{ what: 'rotateSecret', namespace }],
  },
  vanishAtWork: {
    at: FILLING,
    weight: 2,
    does: ({ object }) => (object.kind === 'Image' ? [{ what: 'vanish', object }] : []),
  },
  troubleAtWork: {
    at: AT_WORK,
    weight: 5,
    does: (_, { trouble, forMs }) => [{ what: 'cloudTrouble', trouble, forMs }],
  },
  /** Somebody else writes the status, too, while it is on its way. */
  race: {
    at: SAYING,
    weight: 4,
    does: ({ object }) => [{ what: 'unsettle', object }],
  },
  loseSaying: { at: SAYING, weight: 6, does: (_, { forMs }) => [{ what: 'loseKube', forMs: 500 + forMs }] },
  slowSaying: { at: FILLING, does: (_, { forMs }) => [{ what: 'slowKube', forMs }] },
  crashAtWork: { at: AT_WORK, weight: 3, does: ({ pod }, { forMs }) => [{ what: 'crash', pod, forMs }] },
  sleepAtWork: {
    at: AT_WORK,
    weight: 2,
    does: ({ pod }, { forMs }) => [{ what: 'standStill', pod, slowMs: 0, forMs: 15_000 + forMs }],
  },
  cutAtWork: { at: AT_WORK, does: ({ pod }, { forMs }) => [{ what: 'cutBus', pod, forMs }] },
} as const satisfies Readonly<Record<string, ResourceRule>>;

function emptiedOf({ object }: Target, { forMs }: Means): readonly Later<ResourceDeed>[] {
  const empty = ofSecret(object, 'empty');
  return empty.length === 0 ? [] : [...empty, ...ofSecret(object, 'fill').map((each) => ({ ...each, afterMs: forMs }))];
}

/** The same of the Secret that the object is made of, if it is of one. */
function ofSecret({ kind, namespace, resource }: Planned, what: 'empty' | 'fill'): readonly Later<ResourceDeed>[] {
  const { passwordRef, secretRef, userData } = resource;
  const name = passwordRef ?? secretRef ?? (userData as JsonObject | undefined)?.['secretRef'];
  if (typeof name !== 'string') return [];
  const key = kind === 'User' ? 'password' : 'value';
  return [{ what, object: { kind: 'Secret', namespace, name, resource: { [key]: '' } } }];
}
