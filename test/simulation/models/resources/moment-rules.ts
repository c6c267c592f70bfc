// What may be done to a resource, a book or a Secret just when its life enters a state, and where that makes a difference.
import type { JsonObject } from '../../../../bus/mod.ts';
import type { Trouble } from '../../misfortunes.ts';
import type { Later, Means, Rule } from '../../moments.ts';
import type { Planned } from './manifests.ts';
import type { ResourceDeed } from './plan.ts';

/** What it is done to: the object whose life it is, the process that hosts it, and what it refers to. */
export interface Target {
  readonly object: Planned;
  readonly pod: number;
  readonly dependency: Planned | undefined;
  /** It has an id. */
  readonly isDependencyKnown: boolean;
}

type Soon = Later<ResourceDeed>;
type ResourceRule = Rule<Target, ResourceDeed>;
export type ResourceRules = Readonly<Record<string, ResourceRule>>;

/**
 * Where it makes a difference, how much more often it is drawn than others, and what happens: `what:how for T by T slow T @T`, with
 * `;` between several, and `calm: ` before what is no misfortune. `@T` is when; a time is a sum of milliseconds, of `for`, which
 * is drawn, and of what is left of that by a divisor (`for%100`).
 */
type Row = readonly [at: RegExp, weight: number, script: string, more?: More];

interface More {
  /** Others are left alone. */
  readonly only?: (target: Target) => boolean;
  readonly leadsTo?: ResourceRule['leadsTo'];
}

const CALM = 'calm: ';
const ANYWHERE = /./;
const LIVING = /^(?!deleting|deleted|secret)/;
const DELETING = /^deleting/;
const AT_WORK = /^(idle\.available|reconciling\.updating|reconciling\.awaitingReady)/;
const AVAILABLE = /^idle\.available/;
/** Whatever its id is, nobody has stored it yet. */
const UNBUILT =
  /^(claiming|building\.adopting|building\.creating|building\.importing|building\.awaitingExternal|building\.recording)/;
const UNSURE = /^(claiming|building\.adopting|building\.creating)/;
const RECORDING = /^building\.recording/;

const of =
  (...kinds: readonly string[]) =>
  ({ object }: Target): boolean =>
    kinds.includes(object.kind);
const [isPort, isNetwork] = [of('Port'), of('Network')];
/** The cloud says that it is at work on them. */
const isWatched = of('Network', 'Port', 'Router');

export const RULES = rulesOf({
  delete: [LIVING, 3, 'calm: delete'],
  replace: [LIVING, 1, 'calm: delete; create @for'],
  edit: [/^(?!deleted|secret)/, 3, 'calm: edit:just now'],
  rename: [
    /^(building\.(adopting|creating|resolvingOwnership|recording)|backingOff|claiming\.probing)/,
    4,
    'calm: rename:just now',
  ],
  refer: [
    UNBUILT,
    1,
    'calm: unrefer; refer @for',
    { only: ({ object }) => object.resource['securityGroupRefs'] !== undefined },
  ],
  rotateSecret: [/^(claiming|deleting|backingOff|reconciling\.awaitingReady|secret)/, 2, 'calm: rotateSecret'],
  replaceSecret: [/^(claiming|building\.creating|deleting|secret)/, 2, 'calm: deleteSecret; createSecret @for'],
  stripSecret: [/^secret idle/, 1, 'pin; deleteSecret; unguard @500; unpin @1000; createSecret @1000+for'],
  replaceDependency: [/^(?!deleted|secret)/, 2, 'calm: replaceDependency'],
  /** What is looked for is there twice, a host that has seen nothing of it takes over, and what it would be built on goes. */
  orphan: [
    UNSURE,
    5,
    'twins; crash for 300; replaceDependency @400',
    {
      only: (target) => isNetwork(target) && target.dependency !== undefined,
      leadsTo: { phase: 'claiming.probing', deed: 'delete' },
    },
  ],
  /** The same, and it goes itself, before its dependency has an id. */
  orphanGone: [
    UNSURE,
    3,
    'twins; crash for 300; delete @400',
    { only: (target) => isNetwork(target) && target.dependency !== undefined && !target.isDependencyKnown },
  ],
  deleteImport: [/^building\.importing/, 1, 'calm: delete'],
  letGo: [DELETING, 1, 'calm: letGo'],
  pin: [/^(claiming|building\.creating|building\.recording|idle\.available)/, 1, 'calm: pin; delete; unpin @for'],
  foreground: [DELETING, 1, 'calm: deleteInForeground; unpinKeepsake @for'],
  unguard: [/^deleting.blocked/, 1, 'unguard'],
  /** Before the API server's slow answer says that it was stored. */
  unown: [/^building.addingFinalizer/, 2, 'slowKube for 3000; unown @20'],
  pullOut: [/^deleting.removingFinalizer/, 1, 'deleteInForeground; unown; unpinKeepsake @for'],
  forgetId: [AVAILABLE, 1, 'forgetId'],
  unsettle: [/^(idle\.available|idle\.unavailable|failed)/, 1, 'unsettle'],
  twins: [UNBUILT, 2, 'twins', { only: isNetwork }],
  usurp: [/^(building\.creating|building\.recording)/, 2, 'usurp', { only: isNetwork }],
  /** The loser cannot be removed at once. */
  usurpInTrouble: [RECORDING, 1, 'usurp; cloudTrouble:failing for 1000', { only: isNetwork }],
  usurpImport: [RECORDING, 3, 'usurp', { only: (target) => isNetwork(target) && target.object.filter !== undefined }],
  vanish: [AT_WORK, 2, 'vanish; loseKube for 3000 @1000', { only: isPort }],
  fail: [AT_WORK, 2, 'fail; unsettle @1500+for', { only: of('Network', 'Port') }],
  refusedEdit: [
    /^(idle\.available|building\.adopting|building\.creating|reconciling\.updating)/,
    4,
    'cloudTrouble:refusing for 2000; edit:refused',
  ],
  ignoredEdit: [AVAILABLE, 3, 'cloudTrouble:lying for 5000; edit:ignored; edit:ignored again @500+for'],
  ignoredRemoval: [/^deleting.removing/, 1, 'cloudTrouble:lying for 1000; letGo @500+for'],
  problem: [/^(?!deleted|secret)/, 4, 'cloudTrouble for for'],
  /** Where something is asked of the API server. */
  loseKube: [
    /addingFinalizers?|recording|clearingId|updating|removingChildren|removingFinalizers?|checkingReferences/,
    3,
    'loseKube for for',
  ],
  loseDisowning: [/removingChildren/, 4, 'loseKube for 1000+for'],
  /** What is asked to go is gone before the answer says that it goes. */
  slowDisowning: [/removingChildren/, 3, 'slowKube for 25'],
  slowKube: [ANYWHERE, 1, 'slowKube for for'],
  slowMail: [ANYWHERE, 1, 'slowMail for for'],
  standStill: [ANYWHERE, 1, 'standStill for 15000+for'],
  /** It hears that the resource is gone when its lease is another's. */
  sleepOver: [/confirming/, 2, 'standStill for 20000'],
  crash: [ANYWHERE, 2, 'crash for for'],
  cutBus: [ANYWHERE, 1, 'cutBus for for'],
  wipeMail: [ANYWHERE, 1, 'wipeMail'],
  /** While the cloud is at work on it: it goes, its id is taken out of the status, the cloud fails, the credentials change. */
  loseWatched: [AVAILABLE, 3, 'build; vanish @2700', { only: isPort }],
  forgetWatched: [AVAILABLE, 3, 'build; forgetId @2700', { only: isWatched }],
  troubleWatched: [AVAILABLE, 3, 'build; cloudTrouble for 1000+for @2700', { only: isWatched }],
  rotateWatched: [AVAILABLE, 2, 'build; rotateSecret @2700', { only: isWatched }],
  /** The cloud took the deletion and did not make it, and then it goes after all. */
  vanishAtLast: [/^deleting.removing/, 3, 'cloudTrouble:lying for 1000; vanish @1700', { only: isPort }],
});

const OF_BOOK = /^book/;
const LIVING_BOOK = /^book (?!deleting|gone)/;
const WORKING_BOOK = /^book (working|recycling|backingOff)/;
const FINISHED_BOOK = /^book finished/;
const DELETING_BOOK = /^book deleting/;
const REFUSED_BOOK = /^book refused/;

export const PRESS_RULES = rulesOf({
  deleteBook: [LIVING_BOOK, 4, 'calm: delete'],
  replaceBook: [LIVING_BOOK, 2, 'calm: delete @0; create @for'],
  editBook: [LIVING_BOOK, 2, 'calm: edit:just now'],
  reprint: [LIVING_BOOK, 4, 'calm: reprint'],
  /** Another print, and the object goes while the first one is thrown away. */
  reprintAndDelete: [/^book finished.bound/, 2, 'calm: reprint; delete @20+for%120'],
  tamper: [FINISHED_BOOK, 2, 'calm: tamper:for%2'],
  takeChild: [FINISHED_BOOK, 2, 'calm: takeChild:for%2'],
  replacePaper: [LIVING_BOOK, 2, 'calm: replaceDependency'],
  pinBook: [LIVING_BOOK, 2, 'calm: pin; delete; unpin @for'],
  unownBook: [/^book (working|finished.bound|deleting)/, 1, 'unown; delete @20'],
  /** Before the API server's slow answer says that its finalizer was stored. */
  unownEarly: [/^book working.addingFinalizer/, 2, 'slowKube for 3000; unown @20'],
  /** Its finalizer comes too late. */
  deleteUnowned: [/^book working.addingFinalizer/, 4, 'pin; slowKube for 3000; delete; unpin @3000+for'],
  /** Somebody holds what has nothing left to do when another host takes it over. */
  takeOverGone: [/^book (finished.bound|deleting)/, 2, 'pin; delete; unown @10; crash for 300 @20; unpin @40000+for'],
  /** What it has made refuses to be another, until somebody takes it away. */
  freeze: [/^book finished.bound/, 3, 'freeze:0; edit:too late @20; takeChild:0 @1000+for'],
  /** While what it waits for to be done, or not, keeps it from saying what it was built on. */
  deleteWaiting: [/^book working.(waitingOut|probing|reserving)/, 3, 'calm: delete'],
  replaceLate: [
    /^book working.(reserving|looking|awaiting)/,
    3,
    'lateCreates for 3000 by 500+for; crash for 300 @200; replaceDependency @400',
  ],
  bookInForeground: [DELETING_BOOK, 1, 'calm: deleteInForeground; unpinKeepsake @for'],
  rob: [/^book (working|finished.bound|recycling)/, 2, 'vanish'],
  unsettleBook: [/^book (finished|refused)/, 1, 'unsettle'],
  shopTrouble: [/^book (?!gone)/, 4, 'cloudTrouble for for'],
  shopFails: [/^book (working|deleting|recycling|finished.bound)/, 2, 'cloudTrouble:failing for 500+for'],
  /** It refuses everything that is to be made, or to be thrown away. */
  shopRefuses: [/^book (working|finished.bound)/, 3, 'cloudTrouble:refusing for 4000; reprint'],
  deleteRefused: [REFUSED_BOOK, 3, 'delete @for%300'],
  editRefused: [REFUSED_BOOK, 3, 'edit:better now'],
  /** Where something is asked of the API server. */
  loseKubeOfBook: [
    /addingFinalizer|furnishing|recycling|clearing|discarding|endingClaims|removingFinalizer|bound/,
    3,
    'loseKube for 500+for',
  ],
  slowKubeOfBook: [OF_BOOK, 1, 'slowKube for for'],
  slowMailOfBook: [OF_BOOK, 1, 'slowMail for for'],
  /** In the middle of what takes as long as it takes. */
  sleepAtWork: [WORKING_BOOK, 2, 'standStill slow for%200 for 15000+for'],
  /** What is to be printed is listed, and the process sleeps before it asks. */
  sleepBeforePrint: [/^book working.printing/, 3, 'standStill slow 20+for%300 for 15000+for'],
  crashAtWork: [WORKING_BOOK, 4, 'crash for for'],
  stopAtWork: [WORKING_BOOK, 2, 'stop for for'],
  crashWhileGoing: [DELETING_BOOK, 2, 'crash for for'],
  cutBusAtWork: [WORKING_BOOK, 2, 'cutBus for for'],
  wipeMailAtWork: [WORKING_BOOK, 1, 'wipeMail'],
  /** What is asked for is done after its sender has given up, and perhaps after its process has ended. */
  lateAtWork: [WORKING_BOOK, 3, 'lateCreates for 2000 by 500+for; crashAtTimes for 300 @300'],
});

/** The machine of its process is paused, just when it is looked for what is there, or made. */
export const SUSPENDED_RULES = rulesOf({
  suspend: [UNSURE, 1, 'suspend for 15000+for'],
});

/** States that only the further kinds have, or dwell in: what it is made of is not there yet, its content is on its way. */
const FILLING = /^transferringContent/;
const FURTHER_AT_WORK = /^(transferringContent|building\.awaitingPrerequisite|reconciling\.(updating|awaitingReady))/;
/** Where something is said in the status. */
const SAYING = /^transferringContent\.(announcing|attempting|delegated)/;
const isOfSecret = ({ object }: Target): boolean => secretOf(object) !== undefined;

export const FURTHER_RULES = rulesOf({
  deleteAtWork: [FURTHER_AT_WORK, 4, 'calm: delete'],
  replaceAtWork: [FURTHER_AT_WORK, 1, 'calm: delete; create @for'],
  editAtWork: [FURTHER_AT_WORK, 3, 'calm: edit:just now'],
  renameUnmade: [
    /^(building\.(adopting|creating|resolvingOwnership|recording)|backingOff)/,
    3,
    'calm: rename:just now',
  ],
  fill: [/^building\.awaitingPrerequisite/, 3, 'calm: fill', { only: isOfSecret }],
  empty: [/^building\.(adopting|creating|awaitingPrerequisite)/, 3, 'calm: empty; fill @for', { only: isOfSecret }],
  /** It goes while it is found out that what it is to be made of is not there. */
  emptyGone: [/^building\.adopting/, 4, 'calm: empty; fill @for; delete @for%150', { only: isOfSecret }],
  /** What it says of itself is nonsense by the time that its content is to be brought. */
  nonsenseAtWork: [/^filling\.(announcing|attempting)/, 3, 'nonsense'],
  unsettleAtWork: [FURTHER_AT_WORK, 3, 'unsettle'],
  rotateAtWork: [FURTHER_AT_WORK, 1, 'calm: rotateSecret'],
  vanishAtWork: [FILLING, 2, 'vanish', { only: of('Image') }],
  troubleAtWork: [FURTHER_AT_WORK, 5, 'cloudTrouble for for'],
  /** Somebody else writes the status, too, while it is on its way. */
  race: [SAYING, 4, 'unsettle'],
  loseSaying: [SAYING, 6, 'loseKube for 500+for'],
  slowSaying: [FILLING, 1, 'slowKube for for'],
  crashFurther: [FURTHER_AT_WORK, 3, 'crash for for'],
  sleepFurther: [FURTHER_AT_WORK, 2, 'standStill for 15000+for'],
  cutAtWork: [FURTHER_AT_WORK, 1, 'cutBus for for'],
});

function rulesOf(rows: Readonly<Record<string, Row>>): ResourceRules {
  return Object.fromEntries(
    Object.entries(rows).map(([name, [at, weight, script, { only, leadsTo } = {}]]) => {
      const isCalm = script.startsWith(CALM);
      const parts = script
        .slice(isCalm ? CALM.length : 0)
        .split('; ')
        .map(parsed);
      const does = (target: Target, means: Means): readonly Soon[] =>
        only?.(target) === false ? [] : parts.flatMap((part) => happening(part, target, means));
      return [name, { at, weight, does, ...(isCalm && { isCalm }), ...(leadsTo !== undefined && { leadsTo }) }];
    }),
  );
}

interface Part {
  readonly what: string;
  readonly how: string | undefined;
  /** By `for`, `by`, `slow` and `@`. */
  readonly times: ReadonlyMap<string, string>;
}

function parsed(text: string): Part {
  const [, what = '', how, rest = ''] = /^(\w+)(?::(.*?))?((?: (?:for|by|slow) \S+| @\S+)*)$/.exec(text) ?? [];
  if (what === '') throw new Error(`nobody knows what '${text}' is`);
  const times = [...rest.matchAll(/ (?:(for|by|slow) |(@))(\S+)/g)];
  return { what, how, times: new Map(times.map(([, word, at = '', time = '']) => [word ?? at, time])) };
}

function timeOf(text: string, forMs: number): number {
  const terms = text.split('+').map((term) => {
    const [, divisor] = /^for(?:%(\d+))?$/.exec(term) ?? ['', undefined];
    if (!term.startsWith('for')) return Number(term);
    return divisor === undefined ? forMs : forMs % Number(divisor);
  });
  return terms.reduce((sum, term) => sum + term, 0);
}

const OF_PROCESS = new Set(['crash', 'stop', 'cutBus', 'suspend']);
const OF_SECRET = new Set(['rotateSecret', 'deleteSecret', 'createSecret']);
const OF_CHILD = new Set(['tamper', 'takeChild', 'freeze']);

function happening({ what, how, times }: Part, target: Target, { forMs: drawnMs, problem }: Means): readonly Soon[] {
  const { object, pod, dependency } = target;
  const time = (word: string): number => timeOf(times.get(word) ?? '0', drawnMs);
  const later = times.has('@') ? { afterMs: time('@') } : {};
  const forMs = time('for');
  const soon = (fields: object): readonly Soon[] => [{ what, ...fields, ...later } as Soon];
  if (what === 'replaceDependency') {
    const afterMs = time('@');
    if (dependency === undefined) return [];
    return [
      { what: 'delete', object: dependency, afterMs },
      { what: 'create', object: dependency, afterMs: afterMs + drawnMs },
    ];
  }
  if (what === 'crashAtTimes') return drawnMs % 2 === 0 ? [{ what: 'crash', pod, forMs, ...later }] : [];
  if (what === 'cloudTrouble') return soon({ problem: (how as Trouble | undefined) ?? problem, forMs });
  if (what === 'lateCreates') return soon({ forMs, byMs: time('by') });
  if (what === 'standStill') return soon({ pod, slowMs: time('slow'), forMs });
  if (OF_PROCESS.has(what)) return soon({ pod, forMs });
  if (OF_SECRET.has(what)) return soon({ namespace: object.namespace });
  if (OF_CHILD.has(what)) return soon({ object, child: timeOf(how ?? '', drawnMs) });
  if (what === 'wipeMail') return soon({});
  if (times.has('for')) return soon({ forMs });
  if (what === 'empty' || what === 'fill') return soon({ object: secretOf(object) });
  return soon({ object, ...(how !== undefined && { text: how }) });
}

/** The Secret that the object is made of, if it is of one. */
function secretOf({ kind, namespace, resource }: Planned): Planned | undefined {
  const { passwordRef, secretRef, userData } = resource;
  const name = passwordRef ?? secretRef ?? (userData as JsonObject | undefined)?.['secretRef'];
  if (typeof name !== 'string') return undefined;
  return { kind: 'Secret', namespace, name, resource: { [kind === 'User' ? 'password' : 'value']: '' } };
}
