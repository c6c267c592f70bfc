// An object of the API, as the store keeps it and requests carry it.
//
// Invariants:
//   KSIM-OBJECT-1. An object in the store is never changed in place; a writer copies it first.
import type { JsonMap } from '../../../text/json.ts';

/** An object of the API. `metadata` was checked when it was decoded. */
export interface KubeObject extends JsonMap {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface ObjectMeta extends JsonMap {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: unknown[];
}

export interface OwnerReference extends JsonMap {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
}
