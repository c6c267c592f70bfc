// What may be done to an object just when its life enters a state, and where that makes a difference.
import type { Planned } from './manifests.ts';
import { Trouble } from './misfortunes.ts';
import type { Later, Rule } from './moments.ts';
import type { ResourceDeed } from './plan.ts';

/** What it is done to: the object whose life it is, the process that hosts it, and what it refers to. */
export interface Target {
  readonly object: Planned;
  readonly pod: number;
  readonly dependency: Planned | undefined;
  /** It has an id. */
  readonly isDependencyKnown: boolean;
}

export type ResourceRule = Rule<Target, ResourceDeed>;
type Soon = Later<ResourceDeed>;

const LIVING = /^(?!deleting|gone|secret)/;
const DELETING = /^deleting/;
const AT_WORK = /^(resting\.available|keeping\.updating|keeping\.settling)/;
/** Kinds of which the cloud says that it is at work on them. */
const WATCHED: ReadonlySet<string> = new Set(['Network', 'Port', 'Router']);
/** Whatever its id is, nobody has stored it yet. */
const UNBUILT =
  /^(claiming|building\.adopting|building\.creating|building\.importing|building\.awaitingExternal|building\.recording)/;

export const replaced = (object: Planned | undefined, forMs: number, afterMs = 0): readonly Soon[] =>
  object === undefined
    ? []
    : [
        { what: 'delete', object, afterMs },
        { what: 'create', object, afterMs: afterMs + forMs },
      ];

export const RULES = {
  delete: { at: LIVING, isCalm: true, weight: 3, does: ({ object }) => [{ what: 'delete', object }] },
  replace: {
    at: LIVING,
    isCalm: true,
    does: ({ object }, { forMs }) => [
      { what: 'delete', object },
      { what: 'create', object, afterMs: forMs },
    ],
  },
  edit: {
    at: /^(?!gone|secret)/,
    isCalm: true,
    weight: 3,
    does: ({ object }) => [{ what: 'edit', object, text: 'just now' }],
  },
  rename: {
    at: /^(building\.(adopting|creating|contending|recording)|backingOff|claiming\.probing)/,
    isCalm: true,
    weight: 4,
    does: ({ object }) => [{ what: 'rename', object, text: 'just now' }],
  },
  refer: {
    at: UNBUILT,
    isCalm: true,
    does: ({ object }, { forMs }) =>
      object.resource['securityGroupRefs'] === undefined
        ? []
        : [
            { what: 'unrefer', object, text: '' },
            { what: 'refer', object, afterMs: forMs },
          ],
  },
  rotateSecret: {
    at: /^(claiming|deleting|backingOff|keeping\.settling|secret)/,
    isCalm: true,
    weight: 2,
    does: ({ object: { namespace } }) => [{ what: 'rotateSecret', namespace }],
  },
  replaceSecret: {
    at: /^(claiming|building\.creating|deleting|secret)/,
    isCalm: true,
    weight: 2,
    does: ({ object: { namespace } }, { forMs }) => [
      { what: 'deleteSecret', namespace },
      { what: 'createSecret', namespace, afterMs: forMs },
    ],
  },
  stripSecret: {
    at: /^secret watching/,
    does: ({ object }, { forMs }) => [
      { what: 'pin', object },
      { what: 'deleteSecret', namespace: object.namespace },
      { what: 'unguard', object, afterMs: 500 },
      { what: 'unpin', object, afterMs: 1_000 },
      { what: 'createSecret', namespace: object.namespace, afterMs: 1_000 + forMs },
    ],
  },
  replaceDependency: {
    at: /^(?!gone|secret)/,
    isCalm: true,
    weight: 2,
    does: ({ dependency }, { forMs }) => replaced(dependency, forMs),
  },
  /** What is looked for is there twice, a host that has seen nothing of it takes over, and what it would be built on goes. */
  orphan: {
    at: /^(claiming|building\.adopting|building\.creating)/,
    weight: 5,
    leadsTo: { phase: 'claiming.probing', deed: 'delete' },
    does: ({ object, dependency, pod }, { forMs }) =>
      object.kind === 'Network' && dependency !== undefined
        ? [{ what: 'twins', object }, { what: 'crash', pod, forMs: 300 }, ...replaced(dependency, forMs, 400)]
        : [],
  },
  /** The same, and it goes itself, before its dependency has an id. */
  orphanGone: {
    at: /^(claiming|building\.adopting|building\.creating)/,
    weight: 3,
    does: ({ object, dependency, isDependencyKnown, pod }) =>
      object.kind === 'Network' && dependency !== undefined && !isDependencyKnown
        ? [
            { what: 'twins', object },
            { what: 'crash', pod, forMs: 300 },
            { what: 'delete', object, afterMs: 400 },
          ]
        : [],
  },
  deleteImport: {
    at: /^building\.importing/,
    isCalm: true,
    does: ({ object }) => [{ what: 'delete', object }],
  },
  letGo: { at: DELETING, isCalm: true, does: ({ object }) => [{ what: 'letGo', object }] },
  pin: {
    at: /^(claiming|building\.creating|building\.recording|resting\.available)/,
    isCalm: true,
    does: ({ object }, { forMs }) => [
      { what: 'pin', object },
      { what: 'delete', object },
      { what: 'unpin', object, afterMs: forMs },
    ],
  },
  foreground: {
    at: DELETING,
    isCalm: true,
    does: ({ object }, { forMs }) => [
      { what: 'deleteInForeground', object },
      { what: 'unpinKeepsake', object, afterMs: forMs },
    ],
  },
  unguard: { at: /^deleting.guarded/, does: ({ object }) => [{ what: 'unguard', object }] },
  /** Before the API server's slow answer says that it was stored. */
  unown: {
    at: /^claiming.guarding/,
    weight: 2,
    does: ({ object }) => [
      { what: 'slowKube', forMs: 3_000 },
      { what: 'unown', object, afterMs: 20 },
    ],
  },
  pullOut: {
    at: /^deleting.releasing/,
    does: ({ object }, { forMs }) => [
      { what: 'deleteInForeground', object },
      { what: 'unown', object },
      { what: 'unpinKeepsake', object, afterMs: forMs },
    ],
  },
  forgetId: { at: /^resting\.available/, does: ({ object }) => [{ what: 'forgetId', object }] },
  unsettle: {
    at: /^(resting\.available|resting\.unavailable|failed)/,
    does: ({ object }) => [{ what: 'unsettle', object }],
  },
  twins: {
    at: UNBUILT,
    weight: 2,
    does: ({ object }) => (object.kind === 'Network' ? [{ what: 'twins', object }] : []),
  },
  usurp: {
    at: /^(building\.creating|building\.recording)/,
    weight: 2,
    does: ({ object }) => (object.kind === 'Network' ? [{ what: 'usurp', object }] : []),
  },
  /** The loser cannot be removed at once. */
  usurpInTrouble: {
    at: /^building\.recording/,
    does: ({ object }) =>
      object.kind === 'Network'
        ? [
            { what: 'usurp', object },
            { what: 'cloudTrouble', trouble: Trouble.Failing, forMs: 1_000 },
          ]
        : [],
  },
  usurpImport: {
    at: /^building\.recording/,
    weight: 3,
    does: ({ object }) => (object.kind === 'Network' && object.filter !== undefined ? [{ what: 'usurp', object }] : []),
  },
  vanish: {
    at: AT_WORK,
    weight: 2,
    does: ({ object }) =>
      object.kind === 'Port'
        ? [
            { what: 'vanish', object },
            { what: 'loseKube', forMs: 3_000, afterMs: 1_000 },
          ]
        : [],
  },
  fail: {
    at: AT_WORK,
    weight: 2,
    does: ({ object }, { forMs }) =>
      object.kind === 'Network' || object.kind === 'Port'
        ? [
            { what: 'fail', object },
            { what: 'unsettle', object, afterMs: 1_500 + forMs },
          ]
        : [],
  },
  refusedEdit: {
    at: /^(resting\.available|building\.adopting|building\.creating|keeping\.updating)/,
    weight: 4,
    does: ({ object }) => [
      { what: 'cloudTrouble', trouble: Trouble.Refusing, forMs: 2_000 },
      { what: 'edit', object, text: 'refused' },
    ],
  },
  ignoredEdit: {
    at: /^resting\.available/,
    weight: 3,
    does: ({ object }, { forMs }) => [
      { what: 'cloudTrouble', trouble: Trouble.Lying, forMs: 5_000 },
      { what: 'edit', object, text: 'ignored' },
      { what: 'edit', object, text: 'ignored again', afterMs: 500 + forMs },
    ],
  },
  ignoredRemoval: {
    at: /^deleting.removing/,
    does: ({ object }, { forMs }) => [
      { what: 'cloudTrouble', trouble: Trouble.Lying, forMs: 1_000 },
      { what: 'letGo', object, afterMs: 500 + forMs },
    ],
  },
  trouble: {
    at: /^(?!gone|secret)/,
    weight: 4,
    does: (_, { trouble, forMs }) => [{ what: 'cloudTrouble', trouble, forMs }],
  },
  /** Where something is asked of the API server. */
  loseKube: {
    at: /guarding|recording|forgetting|updating|removingChildren|releasing|storing|auditing/,
    weight: 3,
    does: (_, { forMs }) => [{ what: 'loseKube', forMs }],
  },
  loseDisowning: {
    at: /removingChildren/,
    weight: 4,
    does: (_, { forMs }) => [{ what: 'loseKube', forMs: 1_000 + forMs }],
  },
  /** What is asked to go is gone before the answer says that it goes. */
  slowDisowning: {
    at: /removingChildren/,
    weight: 3,
    does: () => [{ what: 'slowKube', forMs: 25 }],
  },
  slowKube: { does: (_, { forMs }) => [{ what: 'slowKube', forMs }] },
  slowMail: { does: (_, { forMs }) => [{ what: 'slowMail', forMs }] },
  standStill: {
    does: ({ pod }, { forMs }) => [{ what: 'standStill', pod, slowMs: 0, forMs: 15_000 + forMs }],
  },
  /** It hears that the resource is gone when its lease is another's. */
  sleepOver: {
    at: /confirming/,
    weight: 2,
    does: ({ pod }) => [{ what: 'standStill', pod, slowMs: 0, forMs: 20_000 }],
  },
  crash: { weight: 2, does: ({ pod }, { forMs }) => [{ what: 'crash', pod, forMs }] },
  cutBus: { does: ({ pod }, { forMs }) => [{ what: 'cutBus', pod, forMs }] },
  wipeMail: { does: () => [{ what: 'wipeMail' }] },
  /** While the cloud is at work on it: it goes, its id is taken out of the status, the cloud fails, the credentials change. */
  loseWatched: {
    at: /^resting\.available/,
    weight: 3,
    does: ({ object }) =>
      object.kind === 'Port'
        ? [
            { what: 'build', object },
            { what: 'vanish', object, afterMs: 2_700 },
          ]
        : [],
  },
  forgetWatched: {
    at: /^resting\.available/,
    weight: 3,
    does: ({ object }) =>
      WATCHED.has(object.kind)
        ? [
            { what: 'build', object },
            { what: 'forgetId', object, afterMs: 2_700 },
          ]
        : [],
  },
  troubleWatched: {
    at: /^resting\.available/,
    weight: 3,
    does: ({ object }, { trouble, forMs }) =>
      WATCHED.has(object.kind)
        ? [
            { what: 'build', object },
            { what: 'cloudTrouble', trouble, forMs: 1_000 + forMs, afterMs: 2_700 },
          ]
        : [],
  },
  rotateWatched: {
    at: /^resting\.available/,
    weight: 2,
    does: ({ object }) =>
      WATCHED.has(object.kind)
        ? [
            { what: 'build', object },
            { what: 'rotateSecret', namespace: object.namespace, afterMs: 2_700 },
          ]
        : [],
  },
  /** The cloud took the deletion and did not make it, and then it goes after all. */
  vanishAtLast: {
    at: /^deleting.removing/,
    weight: 3,
    does: ({ object }) =>
      object.kind === 'Port'
        ? [
            { what: 'cloudTrouble', trouble: Trouble.Lying, forMs: 1_000 },
            { what: 'vanish', object, afterMs: 1_700 },
          ]
        : [],
  },
} as const satisfies Readonly<Record<string, ResourceRule>>;
