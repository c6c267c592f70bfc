// Messages between the page and its server: JSON, plain data. The page imports these types and nothing else from here.
//
//   GET  api/hello                     Hello
//   GET  api/feed                      server-sent events: `snapshot` (ObjectsSnapshot), `changes` (Changes), `problem` (Trouble)
//   GET  api/history?since=<ms>        Steps: all transitions that are kept
//   GET  api/object?key=<key>          Inspected
//   GET  api/messages?keys=<key>,...   Messages among these
//   GET  api/problems                  Problems
//   GET  api/machines/<name>           Chart
//
// A key is an address as one string (`addressKey`). Instants are milliseconds since the epoch. Nothing here is a secret:
// of objects only those with a lifecycle here are shown, and no Secret.
import type { JsonObject } from '../../bus/json.ts';
import type { StatusColor } from './page/tones.ts';

export { StatusColor } from './page/tones.ts';

export interface Hello {
  readonly version: string;
  /** Addresses of the bus and the API server, for people. */
  readonly bus: string;
  readonly server: string;
  /** All kinds that have a lifecycle here, in the order in which people meet them, with the name of their machine; of those that others only
   * refer to, none. */
  readonly kinds: readonly {
    readonly kind: string;
    readonly realm: string;
    readonly plural: string;
    readonly machine: string;
  }[];
  /** Whether transitions are kept, so that one can go back. */
  readonly keepsHistory: boolean;
}

/** An object as the graph shows it. */
export interface Tree {
  readonly key: string;
  readonly kind: string;
  /** Empty: cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly tone: StatusColor;
  /** The leaf of its chart; empty: it is idle, and its state is not known. */
  readonly state: string;
  /** Since when it is in that state, whatever was tried meanwhile; 0: not known. */
  readonly since: number;
  /** Attempts that failed in a row. */
  readonly attempts: number;
  /** Time of the next try; 0: none, or not known. */
  readonly retryAt: number;
  readonly createdAt: number;
  /** One line that it says of itself; may be empty. */
  readonly said: string;
  /** Id of its external resource; empty: none yet. */
  readonly id: string;
  /** IP addresses that its status has. */
  readonly addresses: readonly string[];
  /** Keys of the objects that it refers to, Secrets and missing ones among them. */
  readonly needs: readonly string[];
}

export interface ObjectsSnapshot {
  readonly at: number;
  readonly trees: readonly Tree[];
}

export interface Changes {
  readonly at: number;
  /** Objects that are new, or not as they were. */
  readonly trees: readonly Tree[];
  /** Keys of deleted objects. */
  readonly gone: readonly string[];
  readonly steps: readonly Step[];
  /** Steps that were left out, as there were too many at once. */
  readonly missed: number;
}

/** One transition of an object. */
export interface Step {
  readonly key: string;
  readonly at: number;
  readonly from: string;
  /** Empty: it is deleted. */
  readonly to: string;
  /** Type of the event that led there. */
  readonly cause: string;
  readonly tone: StatusColor;
  /** The object whose answer let it continue, if known. */
  readonly by?: string;
  /** The error. */
  readonly failure?: string;
}

/** Transitions in columns: `rows` index into the lists of texts; -1: none. */
export interface Steps {
  readonly keys: readonly string[];
  readonly texts: readonly string[];
  /** `[key, at, from, to, cause, tone, by, failure]`: by and key are of `keys`, the others but `at` of `texts`. Oldest first. */
  readonly rows: readonly (readonly number[])[];
  /** There were more before, which are left out. */
  readonly truncated: boolean;
}

/** The problem of the page's sources; undefined: none any more. */
export interface Trouble {
  readonly what?: string | undefined;
}

/** Something that happened to one object. */
export interface RecentEvent {
  readonly at: number;
  /** Type of the event: `transition`, `call`, `quarantined`, `deleted`. */
  readonly type: string;
  readonly data: JsonObject;
  /** 32 hexadecimal digits; empty: none. */
  readonly traceId: string;
}

/** A last value of a mailbox. */
export interface MessageView {
  readonly topic: string;
  /** Keys; empty: the watch. */
  readonly from: string;
  readonly to: string;
  /** When it was stored. */
  readonly at: number;
  readonly payload: JsonObject;
}

/** A Kubernetes Event about an object. */
export interface UserEventView {
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

export interface Verdict {
  readonly summary: string;
  readonly advice: string;
}

/** Why an object waits. */
export interface WaitCause extends Verdict {
  readonly severity: Severity;
}

/** A line of the chain of what an object waits for, deeper ones indented below. */
export interface ChainLine {
  readonly depth: number;
  readonly key: string;
  readonly label: string;
  readonly standing: string;
  readonly said: string;
}

export interface Inspected {
  /** Server time when reading began. */
  readonly at: number;
  /** Undefined: it is deleted. */
  readonly object?: JsonObject;
  readonly machine: string;
  readonly mail: readonly MessageView[];
  /** Reason why the messages cannot be shown. */
  readonly mailTrouble?: string;
  /** Oldest first. */
  readonly history: readonly RecentEvent[];
  /** Newest first. */
  readonly events: readonly UserEventView[];
  /** Why the Events cannot be shown. */
  readonly eventsTrouble?: string;
  /** Chain of waiting, itself first; empty: it does not wait. */
  readonly chain: readonly ChainLine[];
  /** Why, the root cause first. */
  readonly causes: readonly WaitCause[];
}

export interface Messages {
  /** Oldest first. */
  readonly letters: readonly MessageView[];
  readonly problem?: string;
}

/** Person that has to act on a problem. */
export const SEVERITIES = ['person', 'retrying', 'waiting'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Problem extends Verdict {
  readonly namespace: string;
  readonly severity: Severity;
  /** Key of the object that it lies with; empty: with none. */
  readonly key: string;
  /** Keys of those that wait for it. */
  readonly waiting: readonly string[];
}

/** Recent health of an external system; those that failed come first. */
export interface ServiceView {
  readonly service: string;
  /** Counts of the last minutes. */
  readonly calls: number;
  readonly failed: number;
  /** The last failure: a status code, or that there was no answer; empty: none. */
  readonly last: string;
  readonly at: number;
  /** The same by spans of equal length, the oldest first. */
  readonly spans: readonly { readonly calls: number; readonly failed: number }[];
}

export interface Problems {
  /** Server time when reading began. */
  readonly at: number;
  /** Those that need a person first; among equals, those that block most. */
  readonly problems: readonly Problem[];
  readonly leases: readonly { readonly name: string; readonly holder: string }[];
  readonly services: readonly ServiceView[];
  /** The problem of the bus, the API server or another controller. */
  readonly notes: readonly Verdict[];
}

/** A machine, and how it is drawn. */
export interface Chart {
  readonly root: ChartNode;
  readonly layout: ChartLayout;
}

/** An arrow between two outermost states, by their paths, with the points that it goes through. */
export type LaidArrow = readonly [from: string, to: string, points: readonly (readonly [x: number, y: number])[]];

/** Places of the outermost states of the lifecycle, which never change. */
export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  /** Keyed by path. */
  readonly states: Readonly<Record<string, readonly [x: number, y: number, width: number, height: number]>>;
  readonly arrows: readonly LaidArrow[];
  /** Paths of states that may be entered from any state, to which no arrows lead; and of those that may lead to any. */
  readonly anywhere: readonly string[];
  readonly goesAnywhere: readonly string[];
  /** Around those that may be entered from any state and stand aside. */
  readonly frame?: readonly [x: number, y: number, width: number, height: number];
}

/** A state of a machine, for drawing. */
export interface ChartNode {
  /** Names from the root, with dots between; empty: the root. */
  readonly path: string;
  readonly name: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly description: string;
  readonly tags: readonly string[];
  /** Path of the child that it begins with; empty: none. */
  readonly initial: string;
  readonly states: readonly ChartNode[];
  readonly transitions: readonly ChartArrow[];
}

export interface ChartArrow {
  /** Name of the event for people; empty: taken at once, under a condition. */
  readonly event: string;
  /** Names of guards; empty: none. */
  readonly guard: string;
  /** Path of the target; that of the state itself: nothing but actions. */
  readonly target: string;
}

/** Requests of the server, answered by a running Troupe, or a test. */
export interface Source {
  hello(): Promise<Hello>;
  /**
   * Starts to send: `onSnapshot` once first, and again whenever earlier data are no longer a base for changes. Changes come at
   * most every hundred milliseconds; each has what happened since the last one.
   */
  follow(listener: FeedListener): Promise<{ close(): Promise<void> }>;
  history(since: number): Promise<Steps>;
  inspect(key: string): Promise<Inspected | undefined>;
  messages(keys: readonly string[]): Promise<Messages>;
  problems(): Promise<Problems>;
  /** Undefined: there is no such machine. */
  machine(name: string): Promise<Chart | undefined>;
}

export interface FeedListener {
  onSnapshot(snapshot: ObjectsSnapshot): void;
  onChanges(changes: Changes): void;
  onTrouble(problem: Trouble): void;
}
