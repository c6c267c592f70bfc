// What an adapter is to the runtime: its kinds as data, which every pod has, and the operations on its foreign system,
// which only a process that plays its role makes. Types only.
//
// Invariants:
//   API-ADAPTER-1. Importing an adapter, and configuring it, touches nothing: no file, no connection, no secret.
//   API-ADAPTER-2. `serve` alone opens what leads to the foreign system, and is called only where the adapter's role is played.
import type { JsonObject } from '../../bus/bus.ts';
import type { Clock } from '../../bus/time.ts';
import type { Kind, Operation, OperationRequest, ReferencedKind, Resource } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { CheckedKind, Exemption } from './contract/check/check.ts';
import type { Contract } from './contract/crds.ts';
import type { Manifests } from './manifests.ts';
import type { Companions } from './migration.ts';
import type { Webhooks } from './webhooks.ts';

/** What an adapter exports as `adapter`: all that can be said of it without its options. */
export interface Adapter {
  /** Short name of its API group, first part of its actors' addresses and of its operations' subjects: `openstack`. */
  readonly realm: string;
  /** What a process that serves it is asked to do, with `--roles`. */
  readonly role: string;
  /**
   * The node whose process must run an operation; undefined: any that plays the role. An adapter with `route` is served
   * for a node, which the process must have been told: its role is played only where it is named.
   */
  readonly route?: (request: OperationRequest) => string | undefined;
  /** What a process that plays the role may do in the cluster, where that is not what operations take. */
  readonly roleRules?: readonly ClusterRule[];
  /** Of all its kinds, for their CRDs: written, or as finished definitions. */
  readonly contracts: readonly Contract[];
  /** Flags of the commands that give the cluster its definitions, or look whether it has them; no process takes them. */
  readonly definitionFlags?: readonly Flag[];
  /**
   * The same kinds as `contracts`, as these flags say that the cluster is to have them; without it `contracts` are that.
   *
   * @param settings  whose flags are `definitionFlags`
   * @throws {TerminalError} names the flag or variable, the rule, what it got
   */
  readonly definitions?: (settings: Settings) => Promise<readonly Contract[]>;
  /** Kinds that its objects refer to and that have no life here. */
  readonly referencedKinds?: readonly ReferencedKind[];
  /** Kinds whose objects its operations read, beside its own and those that are followed. */
  readonly reads?: readonly Pick<Resource, 'group' | 'plural'>[];
  /** Kinds of which its operations read all objects at once. */
  readonly lists?: readonly Pick<Resource, 'group' | 'plural'>[];
  /** Its operations write what is in Secrets (`ServePorts.writeSecret`). */
  readonly writesSecrets?: true;
  /** Kinds whose objects are made by objects of its kinds. */
  readonly createsKinds?: readonly { readonly owner: string; readonly owned: string }[];
  /** Its own flags of the command line. */
  readonly flags?: readonly Flag[];
  /** What its lives count (`LifecyclePorts.measure`), under names of its own. */
  readonly metrics?: readonly Metric[];
  /** Who cared for the same objects before. */
  readonly legacyController?: LegacyController;
  /** Reads its options. Called once in every process; in `troupe dev` again, if its counterpart has any. @throws {TerminalError} names the flag or variable, the rule, what it got */
  configure(settings: Settings): Configured;
  /** The foreign system as `troupe dev` has it: simulated, unless the environment names a real one. */
  readonly devBackend?: (ports: DevBackendPorts) => Promise<DevBackend>;
  /** What the API server may ask while it serves objects of its kinds. */
  readonly webhooks?: Webhooks;
  /** What must be there before objects are stored in another version, for `troupe migrate`. */
  readonly companions?: readonly Companions[];
  /** How manifests in files come to another version, for `troupe convert`. */
  readonly manifests?: Manifests;
  /** The files of a new kind, for `troupe scaffold`. */
  readonly scaffold?: KindScaffold;
  /** Its kinds at work without a foreign system, for the check of their contracts; the contracts alone are checked without. */
  readonly contractChecks?: () => Promise<{
    readonly kinds: readonly CheckedKind[];
    readonly exemptions: readonly Exemption[];
  }>;
}

/** A rule of RBAC. */
export interface ClusterRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** An adapter with its options. */
export interface Configured {
  /** All its kinds, in the order of `contracts`. */
  readonly kinds: readonly DeclaredKind[];
  /** What people should know of the options, in the log at each start. */
  readonly warnings?: readonly string[];
  /** How long after its deadline the foreign system may still do what `create` asked for, in milliseconds; 0 unless given. */
  readonly lateEffectMs?: number;
  /** Begins to serve the operations. @throws {TerminalError} an option turns out to be wrong */
  serve(ports: ServePorts): Promise<Served>;
  /**
   * Looks whether the foreign systems that objects lead to can be entered, for `troupe doctor`: each once, and no more than a
   * sign-in. @throws {TerminalError} as `serve`
   */
  readonly checkAccess?: (ports: AccessCheckPorts) => Promise<readonly AccessCheckResult[]>;
}

/** What an examination works with. */
export interface AccessCheckPorts extends Pick<ServePorts, 'clock' | 'version' | 'apiServer'> {
  /** Of all its kinds, as far as they may be read. */
  readonly objects: readonly KubeObject[];
  /** As that of `ServePorts`. */
  readSecret(namespace: string, name: string): Promise<SecretContent | 'forbidden' | undefined>;
}

/** One way into a foreign system. Nothing of a secret is in it. */
export interface AccessCheckResult {
  /** For people: `cloud 'openstack' of Secret/clouds in namespace 'team-a'`. */
  readonly place: string;
  /** Undefined: it can be entered. */
  readonly problem?: {
    readonly what: string;
    readonly todo: string;
    /** Whoever looks may not see enough to tell. */
    readonly isUndetermined?: true;
  };
}

export type ConfiguredAdapter = Omit<Adapter, 'configure'> & Configured;

/** A kind as data; of what its adapter does for its objects only the names. */
export type DeclaredKind = Omit<Kind, 'operations'> & { readonly operations: readonly string[] };

/** Operations by plural and name. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface Served {
  /** All that the kinds declare. */
  readonly operations: Operations;
  /** Calls to the foreign system now, where they are counted; asked for metrics. */
  load?(): CallLoad;
  /** Ends what `serve` opened. Called once, when nothing is asked any more. */
  close(): Promise<void>;
}

/** Calls to a foreign system. */
export interface CallLoad {
  readonly underWay: number;
  /** For others to end. */
  readonly waiting: number;
  /** How many this process may have under way; of several systems the sum. */
  readonly limit: number;
}

/** What an adapter works with. Only a process that plays its role has it. */
export interface ServePorts {
  readonly clock: Clock;
  readonly log: AdapterLog;
  /** Of Troupe, for `User-Agent` and the like. */
  readonly version: string;
  /** Of the node that the process runs on, when it was told. */
  readonly node: string | undefined;
  /** Of the Kubernetes API server, as it is connected to: `host:port`. */
  readonly apiServer?: string | undefined;
  /** The Secret as it is now; undefined: there is none. Nothing of it may be logged, mailed, or said in an error. */
  readSecret(namespace: string, name: string): Promise<SecretContent | undefined>;
  /**
   * Makes the data of a Secret say just this, values in base64; of an adapter that `writesSecrets`.
   *
   * @param read  as `readSecret` gave it
   * @throws {ConflictError} the Secret has changed since, or is another one
   */
  writeSecret?(
    namespace: string,
    name: string,
    read: Pick<SecretContent, 'uid' | 'resourceVersion'>,
    data: SecretContent['data'],
  ): Promise<void>;
  /** An object as it is now, for what its actor does not carry; undefined: there is none. */
  readObject(resource: Resource, namespace: string, name: string): Promise<KubeObject | undefined>;
  /** All objects of a kind as they are now, in the namespaces that are cared for; none of a kind that the cluster does not have. */
  listObjects(resource: Resource): Promise<readonly KubeObject[]>;
  /** Told of every call to the foreign system after its end, for traces and metrics. Never throws. */
  onCall(record: CallRecord): void;
  /** Who calls the foreign system too: a limit of calls is one for all of them. */
  readonly replicaCount: ReplicaCount;
}

/** How many processes of the deployment call a foreign system, this one among them. */
export interface ReplicaCount {
  /** Undefined: it is not known yet, and the least part is taken. */
  readonly count: number | undefined;
  /** Told when it is another one. Returns the way to stop. */
  onChange(listener: () => void): () => void;
}

/** A Secret, for who works with what is in it. */
export interface SecretContent {
  readonly uid: string;
  readonly resourceVersion: string;
  /** `Opaque`, `kubernetes.io/dockerconfigjson` and the like. */
  readonly type?: string;
  /** Values in base64, as stored. */
  readonly data: Readonly<Record<string, string>>;
}

/** The message is a constant, values are fields. */
export interface AdapterLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One request to a foreign system. */
export interface CallRecord {
  readonly service: string;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** Undefined: no answer, or none that could be read. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** Of the operation that it was made for. */
  readonly traceparent: string;
  /** By which the foreign system logs the request, if its answer said so. */
  readonly requestId?: string | undefined;
}

/** A flag of the command line, and the variable that stands for it: the flag goes first. */
export interface Flag {
  /** Without dashes: `calls-in-flight`. */
  readonly name: string;
  /** `TROUPE_CALLS_IN_FLIGHT`. */
  readonly variable: string;
  /** What follows it, for people: `N`. */
  readonly value: string;
  /** What holds without it, for people. */
  readonly fallback?: string;
  /** For `troupe help`, after the variable. */
  readonly help: string;
}

/** A setting as the user gave it. */
export interface FlagValue {
  /** Of the flag or of the variable, for error messages. */
  readonly name: string;
  readonly value: string | undefined;
}

/** Where an adapter reads its options. */
export interface Settings {
  /** One of the adapter's `flags`, by name. An empty variable is not set. */
  flag(name: string): FlagValue;
  /** A variable that programs share, such as HTTPS_PROXY. */
  variable(name: string): string | undefined;
  /** `development`: the foreign system is on this machine, as with `troupe dev`. */
  readonly purpose?: 'development';
}

/** A counter, or a histogram. */
export interface Metric {
  /** As Prometheus has it. */
  readonly name: string;
  /** For people. */
  readonly help: string;
  /** `namespace` and `host` are those of the object. */
  readonly labels: readonly string[];
  /** Of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

/** A controller that cares for the same objects elsewhere: while it leads, nothing is acted on. */
export interface LegacyController {
  /** For people. */
  readonly name: string;
  /** Its leader lease, in whatever namespace. */
  readonly lease: string;
}

export interface DevBackendPorts extends Settings {
  readonly clock: Clock;
  /** A folder for files that people need. */
  readonly folder: string;
  /** `started` for this process: nobody has objects there that are of a real system. */
  readonly cluster: 'started' | 'given';
}

/** What stands in for a foreign system, or leads to the real one. */
export interface DevBackend {
  /** One line: `cloud: http://127.0.0.1:5000 (simulated)`. */
  readonly description: string;
  /** Commands that people copy, one a line. */
  readonly usage: readonly string[];
  /** What it has the adapter's `flags` say, by their names, instead of what was said. */
  readonly options?: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export interface ScaffoldedFile {
  /** From `KindScaffold.root`, with slashes. */
  readonly path: string;
  readonly text: string;
}

export interface KindScaffold {
  /** Of the paths; ends with a slash. */
  readonly root: URL;
  /** The file that knows all kinds. */
  readonly registry: string;
  /** A kind for the usage line. */
  readonly example: string;
  /** @throws {RangeError} `kind` is not CamelCase, or registered already */
  plan(
    kind: string,
    registry: string,
  ): { readonly files: readonly ScaffoldedFile[]; readonly registry: ScaffoldedFile };
}

export type { JsonObject, Operation };
