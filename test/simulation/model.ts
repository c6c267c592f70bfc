// A model of what histories are about: the objects that users have, the external systems that these stand for, and what must hold of
// both. The engine plays histories of any model. It moves time, runs the processes of the runtime, brings the misfortunes of processes,
// bus and API server, and judges what holds of everything; it knows no kind of object.
import type { AnyStateMachine } from 'xstate';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import type { Contract } from '../../adapters/api/contract/crds.ts';
import type { Change } from '../../adapters/simulated/kubernetes/storage/store.ts';
import type { Address, MailboxMessage, MemoryBroker, Services } from '../../bus/mod.ts';
import type { Chronicle } from './chronicle.ts';
import type { Landing } from './clouds.ts';
import type { Cluster } from './cluster.ts';
import type { Misfortune } from './misfortunes.ts';
import type { Lives, Moment } from './moments.ts';
import type { Situations } from './situations.ts';
import type { ProcessClock, SimulatedTime } from './time.ts';
import type { Weather } from './weather.ts';

/** Something that happens: `what` and whatever else its model needs to know of it. */
export interface Deed {
  readonly what: string;
}

export type StepOf<Happens extends Deed> = Happens & { readonly atMs: number };

/** A history before it happens: made from a seed alone, and smaller when parts are left out. */
export interface Plan<Own extends Deed = Deed, Given = unknown> {
  readonly model: HistoryModel<Own, Given>;
  readonly seed: number;
  readonly pods: number;
  readonly namespaces: readonly string[];
  /** 0: never. */
  readonly resyncMs: number;
  /** Ordered by `atMs`. */
  readonly steps: readonly StepOf<Misfortune | Own>[];
  readonly moments: readonly Moment[];
  /** What there is from the beginning. */
  readonly given: Given;
}

/** Where a transition begins and leads to, and what it is taken on. */
export interface Place {
  readonly from: readonly string[];
  /** None: it stays. */
  readonly to: readonly (readonly string[])[];
  readonly cause: string;
}

/** A state machine of which histories are to take all transitions. */
export interface Chart {
  readonly machine: AnyStateMachine;
  /** What transitions are called; as the chart has them unless stated. */
  readonly tells?: (machine: AnyStateMachine) => (place: Place) => string;
}

export interface Coverage {
  readonly charts: readonly Chart[];
  /** All of which are to occur. */
  readonly situations?: Situations;
  /** What no history can take, each with the reason. A run fails on one that is taken after all, or that the charts no longer have. */
  readonly unreachable: readonly string[];
  /** What chance brings to one history in thousands; tests of the machines have each. Taken or not, both are well. */
  readonly rare: readonly string[];
}

export interface HistoryModel<Own extends Deed = Deed, Given = unknown> {
  /** As the command line calls it. */
  readonly name: string;
  /** What it is about, in words. */
  readonly about: string;
  /** One is played beside the histories of every so many seeds; odd, as processes share seeds in turn. */
  readonly every: number;
  readonly contracts: readonly Contract[];
  /** By when everything must be as it has to be, after the last misfortune, in milliseconds. */
  readonly restWithinMs: number;
  readonly coverage: Coverage;
  plan(seed: number): Plan<Own, Given>;
  /** Whether a smaller plan must keep the namespace. */
  needs?(plan: Plan<Own, Given>, namespace: string): boolean;
  begin(context: HistoryContext, plan: Plan<Own, Given>): Environment<Own> | Promise<Environment<Own>>;
}

/** What the engine has for the environment of one history. */
export interface HistoryContext {
  readonly time: SimulatedTime;
  /** Of what is no process of the runtime. */
  readonly clock: ProcessClock;
  readonly cluster: Cluster;
  readonly broker: MemoryBroker;
  readonly weather: Weather;
  readonly chronicle: Chronicle;
  /** Until when users try again what the API server does not take, in milliseconds since the beginning. */
  readonly patienceMs: number;
  readonly violate: (invariant: string, text: string) => void;
  /** The process that holds the lease on an object, by the bus. */
  readonly hostOf: (address: Address) => string | undefined;
  /** Something went wrong that any object may suffer from. */
  readonly onTrouble: () => void;
  readonly isTroubled: () => boolean;
  /** Something is to be looked at again. */
  readonly onChange: () => void;
  /** A request of a process reaches an external system. @param whose  for which object, in words */
  readonly lands: (where: string, landing: Landing, whose: () => string) => void;
  /** Runs until `unrest` finds nothing, and goes on finding nothing. */
  readonly rest: (when: string, unrest: Unrest) => Promise<void>;
}

/** One process, as what it has adapters for sees it. */
export interface Line {
  /** The name of the process. */
  readonly pod: string;
  readonly time: SimulatedTime;
  readonly clock: ProcessClock;
  /** Undefined: it belongs to no node. */
  readonly node: string | undefined;
  /** What has to end when the process is killed. */
  readonly ends: Set<() => void>;
}

/** What is not yet as it has to be; undefined when all is. */
export type Unrest = () => string | undefined | Promise<string | undefined>;

/** What one history is about, while it is played. */
export interface Environment<Own extends Deed = Deed> {
  /** Nodes that have a process each, which plays the roles of adapters there, and no other; the others do not play these. */
  readonly nodes?: readonly string[];
  adapters(line: Line): readonly ConfiguredAdapter[];
  /** The services of the bus as a process has them. */
  services?(pod: string, services: Services): Services;

  /** False: it must not happen after what has happened so far. */
  allows?(happening: Misfortune | Own): boolean;
  happens(happening: Own): void;
  expireTokens?(): void;
  /** Where things happen just when the life of an object enters a state. */
  readonly lives?: Lives<Own>;

  onChange(plural: string, change: Change): void;
  onMail?(mail: MailboxMessage): void;
  /** Of what is written or said, except in objects: mail, the log. */
  judgeText?(where: string, text: string): void;
  /** Changes of this plural are no work of the runtime's: who looks at something now and then has found news. */
  isLookedAt?(plural: string): boolean;

  /** What users have asked for and the API server has not taken yet. */
  readonly pending: number;
  /** Misfortunes are over: what only users, or others, can put right. */
  putRight(): void;
  readonly unrest: Unrest;
  /** Whether something may be written that nobody waits for. */
  isBusyUnseen(): boolean;
  /** Whether others have changed what only the life that saw it tells of. */
  isAltered?(): boolean;
  /** Before namespaces are deleted. */
  beforeTidying?(): Promise<void>;
  /** Before this namespace is deleted. */
  beforeDeletion?(namespace: string): void;
  /** Nobody waits for mail about the object of this uid. */
  isExcused?(uid: string): boolean;
  /** What is left when all is deleted, but for mail. */
  readonly leftover: Unrest;
}
