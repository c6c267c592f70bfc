// Contract between an adapter and the runtime: its kinds as data, which every pod has, and the operations on its
// external system, which only a process with its role serves. Types only.
//
// Invariants:
//   API-ADAPTER-1. Importing an adapter, and configuring it, touches nothing: no file, no connection, no secret.
//   API-ADAPTER-2. Only `serve` opens connections to the external system, and it is called only where the adapter's
//       role is played.
import type { JsonObject } from '../../bus/bus.ts';
import type { Clock } from '../../bus/time.ts';
import type { Kind, Operation, OperationRequest, ReferencedKind, Resource } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { CheckedKind, Exemption } from './contract/check/check.ts';
import type { Contract } from './contract/crds.ts';
import type { Manifests } from './manifests.ts';
import type { Companions } from './migration.ts';
import type { Webhooks } from './webhooks.ts';

/** Definition that an adapter exports as `adapter`: everything that is independent of its options. */
export interface Adapter {
  /** Short name of its API group, first part of its actors' addresses and of its operations' subjects: `openstack`. */
  readonly realm: string;
  /** Name of the role that serves its operations, for `--roles`. */
  readonly role: string;
  /**
   * The node whose process must run an operation; undefined: any that plays the role. An adapter with `route` is served
   * for a node, which the process must have been told: its role is played only where it is named.
   */
  readonly route?: (request: OperationRequest) => string | undefined;
  /** Permissions of a process with the role in the cluster, where they are not those of operations. */
  readonly roleRules?: readonly ClusterRule[];
  /** Contracts of all its kinds, for their CRDs: in contract notation, or as finished definitions. */
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
  /** Metrics that its lifecycles record (`LifecyclePorts.recordMetrics`), with names of its own. */
  readonly metrics?: readonly Metric[];
  /** Controller that managed the same objects before. */
  readonly legacyController?: LegacyController;
  /** Reads its options. Called once in every process; in `troupe dev` again, if its counterpart has any. @throws {TerminalError} names the flag or variable, the rule, what it got */
  configure(settings: Settings): Configured;
  /** External system of `troupe dev`: simulated, unless the environment names a real one. */
  readonly devBackend?: (ports: DevBackendPorts) => Promise<DevBackend>;
  /** Webhooks that the API server calls for objects of its kinds. */
  readonly webhooks?: Webhooks;
  /** Objects that must exist before others are stored in another version, for `troupe migrate`. */
  readonly companions?: readonly Companions[];
  /** Conversion of manifests in files to another version, for `troupe convert`. */
  readonly manifests?: Manifests;
  /** The files of a new kind, for `troupe scaffold`. */
  readonly scaffold?: KindScaffold;
  /**
   * Its kinds at work without an external system, for the check of their contracts; without it only the contracts are
   * checked.
   */
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
  /** Warnings about the options, logged at each start. */
  readonly warnings?: readonly string[];
  /**
   * Maximum time after its deadline at which a `create` may still take effect in the external system, in milliseconds;
   * 0 by default.
   */
  readonly lateEffectMs?: number;
  /** Begins to serve the operations. @throws {TerminalError} an option turns out to be wrong */
  serve(ports: ServePorts): Promise<Served>;
  /**
   * Checks access to the external systems of the objects, for `troupe doctor`: each once, and with no more than a
   * sign-in. @throws {TerminalError} as `serve`
   */
  readonly checkAccess?: (ports: AccessCheckPorts) => Promise<readonly AccessCheckResult[]>;
}

/** Dependencies of an access check. */
export interface AccessCheckPorts extends Pick<ServePorts, 'clock' | 'version' | 'apiServer'> {
  /** Readable objects of all its kinds. */
  readonly objects: readonly KubeObject[];
  /** As that of `ServePorts`. */
  readSecret(namespace: string, name: string): Promise<SecretContent | 'forbidden' | undefined>;
}

/** Access to one external system. Contains no part of a secret. */
export interface AccessCheckResult {
  /** For people: `cloud 'openstack' of Secret/clouds in namespace 'team-a'`. */
  readonly place: string;
  /** Undefined: it can be entered. */
  readonly problem?: {
    readonly what: string;
    readonly todo: string;
    /** The caller lacks the permissions to decide. */
    readonly isUndetermined?: true;
  };
}

export type ConfiguredAdapter = Omit<Adapter, 'configure'> & Configured;

/** A kind as data; of what its adapter does for its objects only the names. */
export type DeclaredKind = Omit<Kind, 'operations'> & { readonly operations: readonly string[] };

/** Operations by plural and name. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Operations of an adapter that has begun to serve. */
export interface Served {
  /** All that the kinds declare. */
  readonly operations: Operations;
  /** Current calls to the external system, if they are counted; read for metrics. */
  load?(): CallLoad;
  /** Ends what `serve` opened. Called once, when nothing is asked any more. */
  close(): Promise<void>;
}

/** Load of calls to an external system. */
export interface CallLoad {
  readonly underWay: number;
  /** For others to end. */
  readonly waiting: number;
  /** Maximum number of concurrent calls of this process; the sum over several systems. */
  readonly limit: number;
}

/** Dependencies of a serving adapter. Only a process with its role has them. */
export interface ServePorts {
  readonly clock: Clock;
  readonly log: AdapterLog;
  /** Of Troupe, for `User-Agent` and the like. */
  readonly version: string;
  /** Name of the node that the process runs on, if it was configured. */
  readonly node: string | undefined;
  /** Address of the Kubernetes API server, as it is connected to: `host:port`. */
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
  /** Reads all current objects of a kind, in the managed namespaces; none of a kind that the cluster does not have. */
  listObjects(resource: Resource): Promise<readonly KubeObject[]>;
  /** Receives every call to the external system after its end, for traces and metrics. Never throws. */
  onCall(record: CallRecord): void;
  /** Number of processes that call the external system: they share one concurrency limit. */
  readonly replicaCount: ReplicaCount;
}

/** Number of processes of the deployment that call an external system, including this one. */
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
  /** For developers. */
  debug(fields: object, message: string): void;
  /** A change of state. */
  info(fields: object, message: string): void;
  /** A failure that is retried. */
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Record of one request to an external system. */
export interface CallRecord {
  readonly service: string;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** Undefined: no answer, or none that could be read. */
  readonly status: number | undefined;
  /** Time from the request to the end of its response, in milliseconds. */
  readonly durationMs: number;
  /** Trace context of the operation that sent it. */
  readonly traceparent: string;
  /** Id under which the external system logs the request, if its response named one. */
  readonly requestId?: string | undefined;
}

/** Command-line flag with its environment variable: the flag takes precedence. */
export interface Flag {
  /** Without dashes: `calls-in-flight`. */
  readonly name: string;
  /** `TROUPE_CALLS_IN_FLIGHT`. */
  readonly variable: string;
  /** Placeholder of its value, for people: `N`. */
  readonly value: string;
  /** Default value, for people. */
  readonly fallback?: string;
  /** For `troupe help`, after the variable. */
  readonly help: string;
}

/** A setting as the user gave it. */
export interface FlagValue {
  /** Name of the flag or of the variable, for error messages. */
  readonly name: string;
  readonly value: string | undefined;
}

/** Reader of an adapter's options. */
export interface Settings {
  /** One of the adapter's `flags`, by name. An empty variable is not set. */
  flag(name: string): FlagValue;
  /** A variable that programs share, such as HTTPS_PROXY. */
  variable(name: string): string | undefined;
  /** `development`: the external system is on this machine, as with `troupe dev`. */
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
  /** Bounds of a histogram's buckets, in seconds. */
  readonly buckets?: readonly number[];
}

/** Other controller that manages the same objects: while it leads, Troupe changes nothing. */
export interface LegacyController {
  /** For people. */
  readonly name: string;
  /** Its leader lease, in whatever namespace. */
  readonly lease: string;
}

/** Dependencies of `Adapter.devBackend`: its options, and what `troupe dev` has started. */
export interface DevBackendPorts extends Settings {
  readonly clock: Clock;
  /** A folder for files that people need. */
  readonly folder: string;
  /** `started` by this process: no object there represents anything in a real system. */
  readonly cluster: 'started' | 'given';
}

/** Stand-in for an external system, or connection to the real one. */
export interface DevBackend {
  /** One line: `cloud: http://127.0.0.1:5000 (simulated)`. */
  readonly description: string;
  /** Commands that people copy, one a line. */
  readonly usage: readonly string[];
  /** Values of the adapter's `flags`, by name, that replace the given ones. */
  readonly options?: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** File that `troupe scaffold` writes. */
export interface ScaffoldedFile {
  /** From `KindScaffold.root`, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Plan of the files of a new kind, for `troupe scaffold`. */
export interface KindScaffold {
  /** Root of the paths; ends with a slash. */
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
