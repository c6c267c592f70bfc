// What a kind of OpenStack resource is: tables of its fields, and the names under which it writes (openstack-common,
// chapters 10 and 13).
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation, OperationRequest } from '../../../machines/kind.ts';
import type { InferShape, Rule } from '../../kubernetes/contract.ts';
import type { KindContract, PrinterColumn } from '../../kubernetes/crds.ts';
import type { Session } from '../session.ts';
import { contractOf, GROUP } from './common-contract.ts';
import type { FilterField, ResourceField, StatusField } from './fields.ts';
import type { Service } from './services.ts';

export type ResourceFields = Readonly<Record<string, ResourceField>>;
export type FilterFields = Readonly<Record<string, FilterField>>;
export type StatusFields = Readonly<Record<string, StatusField>>;

/** One step of an update, beyond attributes and tags. Each runs on every pass, even when another one failed. */
export type UpdateStep = (pass: {
  readonly session: Session;
  readonly request: OperationRequest & { readonly observation: Observation };
}) => Promise<{ readonly changed: boolean; readonly waiting?: readonly string[] }>;

/** A kind as its file states it. */
export interface KindTable<Resource extends ResourceFields = ResourceFields> {
  /** CamelCase. */
  readonly kind: string;
  readonly description: string;
  readonly service: Service;
  /** Path of the collection below the service's endpoint, without a slash. */
  readonly collection: string;
  /** Member of a body that holds one resource; lists are under the collection's name. */
  readonly member: string;
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
  };
  /** Attributes of a resource that can be used. By default any that was read. */
  readonly available?: (attributes: JsonObject) => boolean;
  /** How long to wait before another look, in milliseconds, while the cloud is at work on the resource. */
  readonly pollAfterMs?: (attributes: JsonObject) => number | undefined;
  /** Steps after those of attributes and tags. */
  readonly steps?: readonly UpdateStep[];
  /** Columns of `kubectl get` between Available and Message. */
  readonly columns?: readonly PrinterColumn[];
}

/** A kind as the rest of the adapter works with it. */
export interface OpenStackKind extends Omit<KindTable, 'adoption'> {
  readonly plural: string;
  /** The kind's own finalizer, which also guards what its objects refer to. */
  readonly finalizer: string;
  readonly fieldManagers: { readonly finalizer: string; readonly status: string; readonly guards: string };
  readonly adoption: { readonly query: readonly string[]; readonly check: readonly string[] };
  readonly available: (attributes: JsonObject) => boolean;
  readonly pollAfterMs: (attributes: JsonObject) => number | undefined;
  readonly contract: KindContract;
}

/** The type of `spec.resource` of a kind. */
export type ResourceOf<Kind extends Pick<OpenStackKind, 'resource'>> = InferShape<{
  readonly [Name in keyof Kind['resource']]: Kind['resource'][Name]['schema'];
}>;

/** Completes a table with what all kinds share. */
export function defineKind<const Resource extends ResourceFields>(
  table: KindTable<Resource>,
): OpenStackKind & { readonly resource: Resource } {
  const { kind, adoption } = table;
  const lower = kind.toLowerCase();
  const controller = `${GROUP}/${lower}controller`;
  return {
    ...table,
    plural: `${lower}s`,
    finalizer: `${GROUP}/${lower}`,
    fieldManagers: { finalizer: `${controller}/finalizer`, status: `${controller}/status`, guards: controller },
    adoption: { query: adoption.query, check: adoption.check ?? [] },
    available: table.available ?? (() => true),
    pollAfterMs: table.pollAfterMs ?? (() => undefined),
    contract: contractOf(table),
  };
}
