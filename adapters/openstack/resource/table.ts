// Table of an OpenStack kind: its fields, its operations, and its field managers. Types only.

import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import type { FillStep } from '../../../machines/external-resource/context.ts';
import type { ResourceState } from '../../../machines/external-resource/lifecycle.ts';
import type { Observation, UpdateOutcome } from '../../../machines/external-resource/operations.ts';
import type { Child, Claimant, KnownDependencies, OperationRequest, Reference } from '../../../machines/kind.ts';
import type { Hint, Lifecycle, LongCallRequest } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { ServePorts } from '../../api/adapter.ts';
import type { InferShape, Rule, Schema } from '../../api/contract/contract.ts';
import type { KindContract, PrinterColumn } from '../../api/contract/crds.ts';
import type { FilterField, ResourceField, StatusField } from '../base/fields.ts';
import type { Projection } from '../base/projection.ts';
import type { Service } from '../base/services.ts';
import type { WatchingOperations } from '../client/checked-operations.ts';
import type { Identity } from '../client/identity.ts';
import type { LookUps } from '../client/lookups.ts';
import type { Poller } from '../client/poller.ts';
import type { Session, Sessions } from '../client/session.ts';
import type { Listing } from '../client/wire-format.ts';
import type { Downloads } from '../downloads/download-policy.ts';

export type ResourceFields = Readonly<Record<string, ResourceField>>;
export type FilterFields = Readonly<Record<string, FilterField>>;
export type StatusFields = Readonly<Record<string, StatusField>>;

/** One step of an update, beyond attributes and tags. Each runs on every pass, even when another one failed. */
export type UpdateStep = (pass: {
  readonly session: Session;
  readonly request: OperationRequest & { readonly observation: Observation };
  readonly readSecret: OperationsDeps['readSecret'];
}) => Promise<UpdateOutcome>;

/** Transfer of a resource's content. */
export interface Content {
  /** Fields of `status` about it. */
  readonly fields: Readonly<Record<string, Schema>>;
  readonly telling: ContentStatus;
  /** Hints about content whose transfer fails. */
  readonly hintFor: (object: KubeObject, message: string) => Hint | undefined;
  /** See `ResourceOperations.delegate`. */
  readonly delegate: (pass: {
    readonly session: Session;
    readonly request: OperationRequest & { readonly id: string };
  }) => Promise<UpdateOutcome | undefined>;
  /** See `ResourceOperations.fill`. */
  readonly fill: (pass: {
    readonly session: Session;
    readonly request: LongCallRequest & { readonly id: string };
    readonly deps: OperationsDeps;
  }) => Promise<void>;
}

/** Status of a content transfer, under a field manager of its own. */
export interface ContentStatus {
  /** After that of the kind. */
  readonly manager: string;
  /** Stored status of an object. */
  stored(object: KubeObject): JsonObject;
  /** Status at a step, before the next one. */
  announced(object: KubeObject, step: FillStep, now: number): JsonObject;
  status(standing: ResourceState, object: KubeObject, now: number): JsonObject;
}

/** Dependencies of the operations of a kind. */
export interface OperationsDeps {
  readonly clock: Clock;
  readonly downloads: Downloads;
  readonly sessions: Sessions;
  readonly lookUps: LookUps;
  readonly poller: Poller;
  /** A Secret as it is now; undefined: there is none. */
  readonly readSecret: ServePorts['readSecret'];
}

/** Precondition of a service for the removal of a resource. */
export interface Removable {
  /** The status of the answer by which it refuses. */
  readonly refusal: number;
  /** Type of the error that the answer names, where others have the same status. */
  readonly type?: string;
  readonly attributes: JsonObject;
  /** Attributes that are set again when the removal is refused all the same. */
  readonly otherwise?: JsonObject;
  /**
   * Removal requires that the user requests it in the current `spec.resource`: this field has this value. By default no
   * such request is needed.
   */
  readonly askedBy?: { readonly field: string; readonly value: Json };
}

/** A part of a resource that another request tells. */
export interface Part {
  /** Below that of the resource, without a slash. */
  readonly path: string;
  readonly member: string;
}

/** A kind as its file states it. */
export interface KindTable<Resource extends ResourceFields = ResourceFields> {
  /** CamelCase. */
  readonly kind: string;
  readonly description: string;
  readonly service: Service;
  /** Path of the collection below the service's endpoint, or below a user, without a slash. */
  readonly collection: string;
  /** Member of a body that holds one resource. */
  readonly member: string;
  /** Member of a body that holds a list; the collection's name unless stated. */
  readonly members?: string;
  /** List request; that of the collection by default. */
  readonly listing?: Listing;
  /** See `OpenStackKind.shares`. */
  readonly shares?: boolean;
  /** Identity of a resource, for a kind whose resources have no id. */
  readonly identity?: Identity;
  /**
   * For a collection below a user: the field of `spec.resource`, and of `spec.import.filter`, that refers to the user.
   * The user is needed for as long as the object exists.
   */
  readonly ofUser?: string;
  /** Nothing of `spec.resource` can be changed, by one rule over all of it. */
  readonly immutable?: boolean;
  /** Words of messages that are other than those of most kinds. */
  readonly words?: {
    /** Name of the current action: `creating resource`. */
    readonly creating?: string;
    /** That what was made without a failure is not there. */
    readonly unfound?: string;
    /** Message about a lost imported resource. */
    readonly lost?: string;
  };
  /**
   * Extracts the resource from the object in which the service returns it, or adds an `id` if it has none; unchanged by
   * default.
   */
  readonly unwrapped?: (reported: JsonObject) => JsonObject;
  /** Within what one id is one resource: all of the cloud unless stated, or what is one user's. */
  readonly unique?: 'cloud' | 'user';
  /** How `spec.import.id` names a resource; by a UUID unless stated. */
  readonly importId?: Schema<string>;
  /** `spec.resource`. References are reported in this order. */
  readonly resource: Resource;
  /** CEL rules over `spec.resource`. */
  readonly rules?: readonly Rule[];
  /** CEL rules over `spec`, beside those of all kinds. */
  readonly specRules?: readonly Rule[];
  /** `spec.import.filter`. References are reported in this order. */
  readonly filter: FilterFields;
  /** Fewest fields of a filter; one unless stated. */
  readonly fewestFiltered?: number;
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
  /**
   * Attributes that requests of their own tell, below the path of the resource: the path, and the member of the answer. A list
   * shows none of them, so that what is found in one is read by its id.
   */
  readonly parts?: Readonly<Record<string, Part>>;
  /** `id`: of what a create made its answer tells no more, so that it is read before anything is compared. */
  readonly created?: 'id';
  /** Attributes of a create that stand beside the member in its body. */
  readonly beside?: readonly string[];
  /** Whether the service replaces tags in this state; `pollAfterMs` says when to look again. Always unless stated. */
  readonly taggable?: (attributes: JsonObject) => boolean;
  /** Whether a resource can be used as it was read, under this `spec.resource`. By default any that was read can. */
  readonly available?: (attributes: JsonObject, resource: JsonObject | undefined) => boolean;
  /** Polling interval while the cloud works on the resource, in milliseconds. */
  readonly pollAfterMs?: (attributes: JsonObject, resource: JsonObject | undefined) => number | undefined;
  /** Looks at the body of a create as a whole and completes it. @throws {TerminalError} no service would take it */
  readonly complete?: (attributes: JsonObject, resource: JsonObject) => JsonObject;
  /** Further attributes that these functions and steps read. Other attributes are not available. */
  readonly reads?: Projection;
  /** Fields that each update states, whether they have changed or not. */
  readonly restated?: readonly (keyof Resource & string)[];
  /** Attributes that are set before a removal that the service would reject otherwise. */
  readonly removable?: Removable;
  /** Whether a resource is on its way out as it was read: the service takes no second removal then, and none is asked for. */
  readonly leaving?: (attributes: JsonObject) => boolean;
  /** Steps after those of attributes and tags. */
  readonly steps?: readonly UpdateStep[];
  /** Transfer of content into a resource that is created empty; a step reports that it is (`UpdateOutcome.empty`). */
  readonly content?: Content;
  /** The kind of `children`. */
  readonly owns?: string;
  /** The objects that an object of this kind makes for itself. They are followed, not waited for. */
  readonly children?: (object: KubeObject) => readonly Child[];
  /** Attributes for the dependencies of an object, by their kind. No secrets. */
  readonly tells?: (object: KubeObject, kind: string) => JsonObject | undefined;
  /** Attributes for the dependents of an object, beside its id. */
  readonly published?: (object: KubeObject) => JsonObject | undefined;
  /** See `Lifecycle.isReflected`. */
  readonly isReflected?: (object: KubeObject, claimant: Claimant) => boolean;
  /** See `Lifecycle.isContradicted`. */
  readonly isContradicted?: NonNullable<Lifecycle['isContradicted']>;
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
  /** All attributes that are kept of a response: those that any code reads. */
  readonly projection: Projection;
  /** Status of a content transfer. */
  readonly telling?: ContentStatus;
  /** The kind of the objects that objects of this kind make for themselves. */
  readonly owns?: string;
  /** Fields of `status.resource` that are recorded when they come to be, by another hand than that of the status. */
  readonly recorded?: readonly string[];
  /** The external id that the status of an object names. */
  externalId(object: KubeObject): string | undefined;
  /** The status with this id, or without one, of a kind whose id is not `status.id`. */
  recording?(object: KubeObject, id: string | undefined): JsonObject;
  /** Its resources have names that their users choose, and may change. */
  readonly isNamed?: boolean;
  /** A relation between other resources, which several objects of one namespace may state: see `Lifecycle.shares`. */
  readonly shares?: boolean;
  /** Number of references that the status names if several are not ready; all unless stated. */
  readonly awaits?: 'first';
  references(object: KubeObject): readonly Reference[];
  operations(deps: OperationsDeps): WatchingOperations;
  published?(object: KubeObject): JsonObject | undefined;
  children?(object: KubeObject): readonly Child[];
  hintFor(object: KubeObject, message: string, known?: KnownDependencies): Hint | undefined;
  readonly isReflected?: (object: KubeObject, claimant: Claimant) => boolean;
  /** See `Lifecycle.isBuiltOnReplaced`; undefined: the status shows nothing of what the resource was made of. */
  isBuiltOnReplaced?(object: KubeObject, reference: Pick<Reference, 'kind' | 'name'>, id: string): boolean;
  /** See `Lifecycle.isContradicted`. */
  readonly isContradicted?: NonNullable<Lifecycle['isContradicted']>;
  /** See `Lifecycle.intent`; undefined: the fields that its look-ups go by cannot be edited. */
  intent?(request: Pick<OperationRequest, 'object' | 'dependencies'>): JsonObject | undefined;
  /** Why no service would accept a create of the object, whatever its references are; undefined: it may be sent. */
  readonly refusal?: (object: KubeObject) => string | undefined;
  /** See `Lifecycle.unappliedFields`; undefined: all fields can be changed, or none. */
  unappliedFields?(object: KubeObject, known: KnownDependencies): readonly string[];
}

/** A kind made from tables. */
export interface TableKind
  extends OpenStackKind,
    Omit<KindTable, 'reads' | 'specRules' | 'owns' | 'published' | 'children' | 'isReflected'> {
  readonly members: string;
}

/** The type of `spec.resource` of a kind. */
export type ResourceOf<Kind extends Pick<TableKind, 'resource'>> = InferShape<{
  readonly [Name in keyof Kind['resource']]: Kind['resource'][Name]['schema'];
}>;
