// What the page and its server tell each other: JSON, plain data. The page imports these types and nothing else from here.
//
//   GET  api/hello                     Hello
//   GET  api/feed                      server-sent events: `forest` (Forest), `changes` (Changes), `problem` (Trouble)
//   GET  api/history?since=<ms>        Steps: all transitions that are kept
//   GET  api/object?key=<key>          Inspected
//   GET  api/messages?keys=<key>,...   Messages among these
//   GET  api/problems                  Problems
//   GET  api/machines/<name>           ChartNode
//
// A key is an address as one string (`addressKey`). Instants are milliseconds since the epoch. Nothing here is a secret:
// of objects only those with a life here are shown, and no Secret.
import type { JsonObject } from '../../bus/json.ts';
import type { StatusColor } from './page/tones.ts';

export { StatusColor } from './page/tones.ts';

export interface Hello {
  readonly version: string;
  /** What the bus and the API server are, for people. */
  readonly bus: string;
  readonly server: string;
  /** All kinds that have a life here, in the order in which people meet them, with the name of their machine. */
  readonly kinds: readonly {
    readonly kind: string;
    readonly realm: string;
    readonly plural: string;
    readonly machine: string;
  }[];
  /** Whether transitions are kept, so that one can go back. */
  readonly keepsHistory: boolean;
}

/** An object as the forest shows it. */
export interface Tree {
  readonly key: string;
  readonly kind: string;
  /** Empty: cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly tone: StatusColor;
  /** The leaf of its chart; empty: it rests, and nobody has told. */
  readonly state: string;
  /** Since when it is in that state; 0: not known. */
  readonly since: number;
  readonly createdAt: number;
  /** One line that it says of itself; may be empty. */
  readonly said: string;
  /** Keys of the objects that it refers to, Secrets and missing ones among them. */
  readonly needs: readonly string[];
}

export interface Forest {
  readonly at: number;
  readonly trees: readonly Tree[];
}

export interface Changes {
  readonly at: number;
  /** Objects that are new, or not as they were. */
  readonly trees: readonly Tree[];
  /** Keys of those that are gone. */
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
  /** Empty: it is gone. */
  readonly to: string;
  /** Type of the event that led there. */
  readonly cause: string;
  readonly tone: StatusColor;
  /** The object whose answer let it go on, if known. */
  readonly by?: string;
  /** What was in the way. */
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

/** What is wrong with what the page is told from; undefined: nothing any more. */
export interface Trouble {
  readonly what?: string | undefined;
}

/** Something that happened to one object. */
export interface RecentEvent {
  readonly at: number;
  /** Of the event: `transition`, `call`, `quarantined`, `gone`. */
  readonly type: string;
  readonly data: JsonObject;
  /** 32 hexadecimal digits; empty: none. */
  readonly traceId: string;
}

/** A last value of the mail. */
export interface MessageView {
  readonly topic: string;
  /** Keys; empty: the watch. */
  readonly from: string;
  readonly to: string;
  /** When it was stored. */
  readonly at: number;
  readonly payload: JsonObject;
}

export interface Verdict {
  readonly summary: string;
  readonly advice: string;
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
  /** Undefined: it is gone. */
  readonly object?: JsonObject;
  readonly machine: string;
  readonly mail: readonly MessageView[];
  /** Why the mail cannot be shown. */
  readonly mailTrouble?: string;
  /** Oldest first. */
  readonly history: readonly RecentEvent[];
  /** What it waits for, itself first; empty: for nothing. */
  readonly chain: readonly ChainLine[];
  readonly causes: readonly Verdict[];
}

export interface Messages {
  /** Oldest first. */
  readonly letters: readonly MessageView[];
  readonly problem?: string;
}

export interface Problem extends Verdict {
  readonly namespace: string;
  /** Greater: a person has more to do with it. */
  readonly weight: number;
  /** Key of the object that it lies with; empty: with none. */
  readonly key: string;
  /** Keys of those that wait for it. */
  readonly waiting: readonly string[];
}

export interface Problems {
  readonly at: number;
  /** The weightiest first. */
  readonly problems: readonly Problem[];
  readonly leases: readonly { readonly name: string; readonly holder: string }[];
  /** Foreign services that answered badly of late. */
  readonly services: readonly {
    readonly service: string;
    /** Of the last minutes. */
    readonly calls: number;
    readonly failed: number;
    /** Of the last failure: a status code, or that there was no answer. */
    readonly last: string;
    readonly at: number;
  }[];
  /** What is wrong with the bus, the API server or another controller. */
  readonly notes: readonly Verdict[];
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
  /** What people call the event; empty: taken at once, under a condition. */
  readonly event: string;
  /** Names of guards; empty: none. */
  readonly guard: string;
  /** Path of the target; that of the state itself: nothing but actions. */
  readonly target: string;
}

/** What the server asks, whoever answers: a running Troupe, or a test. */
export interface Source {
  hello(): Promise<Hello>;
  /**
   * Begins to tell: `onForest` once before anything else, and again whenever what was told is no base any more. Changes come at
   * most every hundred milliseconds; each has what happened since the last one.
   */
  follow(listener: FeedListener): Promise<{ close(): Promise<void> }>;
  history(since: number): Promise<Steps>;
  inspect(key: string): Promise<Inspected | undefined>;
  messages(keys: readonly string[]): Promise<Messages>;
  problems(): Promise<Problems>;
  /** Undefined: there is no such machine. */
  machine(name: string): Promise<ChartNode | undefined>;
}

export interface FeedListener {
  onForest(forest: Forest): void;
  onChanges(changes: Changes): void;
  onTrouble(problem: Trouble): void;
}
