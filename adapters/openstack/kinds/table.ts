// What a kind of OpenStack resource is: tables of its fields, what is done with them, and the names under which it writes
// (openstack-common, chapters 10 and 13). Types only.
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation, UpdateOutcome } from '../../../machines/external-resource/operations.ts';
import type { Child, KnownDependencies, OperationRequest, Reference } from '../../../machines/kind.ts';
import type { Advice } from '../../../machines/life.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { InferShape, Rule } from '../../kubernetes/contract.ts';
import type { KindContract, PrinterColumn } from '../../kubernetes/crds.ts';
import type { LookUps } from '../look-ups.ts';
import type { Poller } from '../poller.ts';
import type { WatchingOperations } from '../refusals.ts';
import type { Session, Sessions } from '../session.ts';
import type { FilterField, ResourceField, StatusField } from './fields.ts';
import type { Projection } from './projection.ts';
import type { Service } from './services.ts';

export type ResourceFields = Readonly<Record<string, ResourceField>>;
export type FilterFields = Readonly<Record<string, FilterField>>;
export type StatusFields = Readonly<Record<string, StatusField>>;

/** One step of an update, beyond attributes and tags. Each runs on every pass, even when another one failed. */
export type UpdateStep = (pass: {
  readonly session: Session;
  readonly request: OperationRequest & { readonly observation: Observation };
  readonly servers: OperationsDeps['servers'];
}) => Promise<UpdateOutcome>;

/** What the operations of a kind work with. */
export interface OperationsDeps {
  readonly sessions: Sessions;
  readonly lookUps: LookUps;
  readonly poller: Poller;
  /** The Server objects of a namespace; none where the kind is not installed. */
  readonly servers: (namespace: string) => Promise<readonly KubeObject[]>;
}

/** A kind as its file states it. */
export interface KindTable<Resource extends ResourceFields = ResourceFields> {
  /** CamelCase. */
  readonly kind: string;
  readonly description: string;
  readonly service: Service;
  /** Path of the collection below the service's endpoint, without a slash. */
  readonly collection: string;
  /** Member of a body that holds one resource. */
  readonly member: string;
  /** Member of a body that holds a list; the collection's name unless stated. */
  readonly members?: string;
  /** `spec.resource`. References are reported in this order. */
  readonly resource: Resource;
  /** CEL rules over `spec.resource`. */
  readonly rules?: readonly Rule[];
  /** `spec.import.filter`. References are reported in this order. */
  readonly filter: FilterFields;
  /** `status.resource`. */
  readonly status: StatusFields;
  /**
   * The fields whose attributes find what an interrupted create left behind: in the query, or, where the service cannot
   * query them, in the results.
   */
  readonly adoption: {
    readonly query: readonly (keyof Resource & string)[];
    readonly check?: readonly (keyof Resource & string)[];
    /**
     * Attributes by which a resource is known to be this object's where nothing in its spec tells it from others. A create
     * sends them in place of what the spec says, which the update after it sets: they are compared on every pass.
     */
    readonly mark?: (object: KubeObject) => JsonObject;
  };
  /** Whether a resource can be used as it was read, under this `spec.resource`. By default any that was read can. */
  readonly available?: (attributes: JsonObject, resource: JsonObject | undefined) => boolean;
  /** How long to wait before another look, in milliseconds, while the cloud is at work on the resource. */
  readonly pollAfterMs?: (attributes: JsonObject, resource: JsonObject | undefined) => number | undefined;
  /** Looks at the body of a create as a whole and completes it. @throws {TerminalError} no service would take it */
  readonly complete?: (attributes: JsonObject, resource: JsonObject) => JsonObject;
  /** What these functions and steps read of a resource, as far as no field of the tables does. Nothing else is there. */
  readonly reads?: Projection;
  /** Attributes without which the service refuses to remove a resource (409): they are set, and it is removed then. */
  readonly removable?: JsonObject;
  /** Steps after those of attributes and tags. */
  readonly steps?: readonly UpdateStep[];
  /** The kind of `children`. */
  readonly owns?: string;
  /** The objects that an object of this kind makes for itself. They are followed, not waited for. */
  readonly children?: (object: KubeObject) => readonly Child[];
  /** What those who refer to an object are told beyond its id. */
  readonly published?: (object: KubeObject) => JsonObject | undefined;
  /** Columns of `kubectl get` between Available and Message. */
  readonly columns?: readonly PrinterColumn[];
}

/** Any kind of this adapter, whether it is made from tables or not. */
export interface OpenStackKind {
  readonly kind: string;
  readonly plural: string;
  /** The kind's own finalizer, which also guards what its objects refer to. */
  readonly finalizer: string;
  readonly fieldManagers: { readonly finalizer: string; readonly status: string; readonly guards: string };
  readonly contract: KindContract;
  /** All that is kept of an answer of the cloud: what whoever looks at a resource reads of it. */
  readonly projection: Projection;
  /** The kind of the objects that objects of this kind make for themselves. */
  readonly owns?: string;
  /** Of several references that are not ready the status names all, or `first`: only the first. */
  readonly awaits: 'all' | 'first';
  references(object: KubeObject): readonly Reference[];
  operations(deps: OperationsDeps): WatchingOperations;
  published(object: KubeObject): JsonObject | undefined;
  children(object: KubeObject): readonly Child[];
  advise(object: KubeObject, message: string, known?: KnownDependencies): Advice | undefined;
  /** See `Life.unheeded`; undefined: all fields can be changed, or none. */
  unheeded?(object: KubeObject, known: KnownDependencies): readonly string[];
}

/** A kind made from tables. */
export interface TableKind extends OpenStackKind, Omit<KindTable, 'adoption' | 'published' | 'children' | 'reads'> {
  readonly members: string;
  readonly adoption: {
    readonly query: readonly string[];
    readonly check: readonly string[];
    readonly mark: (object: KubeObject) => JsonObject;
  };
  readonly available: (attributes: JsonObject, resource: JsonObject | undefined) => boolean;
  readonly pollAfterMs: (attributes: JsonObject, resource: JsonObject | undefined) => number | undefined;
  readonly complete: (attributes: JsonObject, resource: JsonObject) => JsonObject;
}

/** The type of `spec.resource` of a kind. */
export type ResourceOf<Kind extends Pick<TableKind, 'resource'>> = InferShape<{
  readonly [Name in keyof Kind['resource']]: Kind['resource'][Name]['schema'];
}>;
