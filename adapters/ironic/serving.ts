// Dependencies of the operations of this adapter.
import type { Clock } from '../../bus/time.ts';
import type { OperationRequest, Resource } from '../../machines/kind.ts';
import type { AdapterLog, ServePorts } from '../api/adapter.ts';
import type { ConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import type { ForeignReach } from '../http/egress-policy.ts';
import { GROUP } from './api/types.ts';
import type { IronicClient } from './client/client.ts';
import type { NodeCache } from './client/node-cache.ts';
import type { NodePoller } from './client/poller.ts';
import type { Asking } from './client/session.ts';
import type { IronicOptions } from './options.ts';

/** First part of the addresses of its actors. */
export const REALM = 'metal3';
/** Role of a process that serves the operations. */
export const ROLE = 'ironic';
/** The version that its actors read and write. */
export const VERSION = 'v1alpha1';

export interface IronicPorts {
  readonly clock: Clock;
  readonly log: AdapterLog;
  readonly options: IronicOptions;
  readonly ironic: IronicClient;
  readonly poller: NodePoller;
  readonly sights: NodeCache;
  /** Concurrency limit of attempts over nodes: as many at a time as calls. */
  readonly turns: ConcurrencyLimiter;
  /** For what tenants name, and Ironic, its machines or its networking service connect to. */
  readonly foreign: ForeignReach;
  readonly readSecret: ServePorts['readSecret'];
  readonly writeSecret: NonNullable<ServePorts['writeSecret']>;
  readonly readObject: ServePorts['readObject'];
  readonly listObjects: ServePorts['listObjects'];
}

/** A kind of the group, as the API server is asked for it. */
export function metal3Resource(kind: string, plural: string): Resource {
  return { realm: REALM, group: GROUP, version: VERSION, kind, plural };
}

/** For whom the calls of an operation are made. */
export function askingFor({
  object,
  deadlineAt,
  traceparent,
}: Pick<OperationRequest, 'object' | 'deadlineAt' | 'traceparent'>): Asking {
  return { namespace: object.metadata.namespace ?? '', deadlineAt, traceparent };
}
