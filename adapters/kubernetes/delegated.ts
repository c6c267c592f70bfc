// Objects that are read by a watch and written for users: what they ask for is done with their rights.
import type { JsonObject } from '../../bus/bus.ts';
import {
  AbsentError,
  ConflictError,
  TerminalError,
  TransientError,
  toErrorData,
  UnknownOutcomeError,
} from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';
import type { KubeObject } from '../../machines/object.ts';
import { objects as kubeObjects } from './objects.ts';
import type { Impersonated, KubeCall, KubeClient } from './ports.ts';
import { ForbiddenError, InvalidError } from './refusals.ts';
import { type Resource, resourcePath, strip } from './resource.ts';
import { watchResource } from './watch.ts';

interface Place {
  readonly resource: Resource;
  readonly namespace: string;
}

interface WriteOptions {
  readonly as: Impersonated | undefined;
  readonly dryRun?: boolean;
}

interface Listener {
  onList(objects: readonly KubeObject[], resourceVersion: string): void;
  onChange(object: KubeObject): void;
  onGone(object: KubeObject): void;
}

type Refusal =
  | { readonly kind: 'absent' | 'conflict' | 'forbidden' }
  | { readonly kind: 'invalid'; readonly causes: InvalidError['causes'] }
  | Unavailable
  | { readonly kind: 'unknown'; readonly message: string };
interface Unavailable {
  readonly kind: 'unavailable';
  readonly retryAfterMs: number | undefined;
  readonly message: string;
}
type Written = { readonly kind: 'object'; readonly object: KubeObject } | Refusal;

export interface DelegatedDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Field manager of what is written. */
  readonly manager: string;
  /** A watch fails, or works again. */
  readonly onTrouble?: (resource: Resource, message: string | undefined) => void;
}

/** Writers for `adapters/ocm`: the port is `kubernetes-store/port.ts` there. */
export function delegatedObjects({ client, clock, manager, onTrouble }: DelegatedDeps) {
  const objects = kubeObjects({ client });
  const query = (dryRun: boolean | undefined): string =>
    `?fieldManager=${encodeURIComponent(manager)}${dryRun === true ? '&dryRun=All' : ''}`;
  const send = async (resource: Resource, call: KubeCall): Promise<Written> => {
    try {
      const { body } = await client.call(call);
      return { kind: 'object', object: strip(body, resource) };
    } catch (error) {
      return refusalFor(error);
    }
  };
  return {
    follow({ resource, namespace }: Place, listener: Listener, signal: AbortSignal): void {
      const handlers = {
        onList: (items: readonly KubeObject[], version: string) => listener.onList(items, version),
        onChange: (object: KubeObject) => listener.onChange(object),
        onGone: (object: KubeObject) => listener.onGone(object),
        onTrouble: (message: string) => onTrouble?.(resource, message),
        onRecovery: () => onTrouble?.(resource, undefined),
      };
      void watchResource({ client, objects, clock }, { resource, namespace }, handlers, signal);
    },
    get({ resource, namespace }: Place, name: string): Promise<Written> {
      return send(resource, { method: 'GET', path: resourcePath(resource, namespace, name) });
    },
    create({ resource, namespace }: Place, body: JsonObject, { as, dryRun }: WriteOptions): Promise<Written> {
      const path = `${resourcePath(resource, namespace)}${query(dryRun)}`;
      return send(resource, { method: 'POST', path, body, as });
    },
    patch(
      { resource, namespace }: Place,
      name: string,
      body: JsonObject,
      { as, dryRun }: WriteOptions,
    ): Promise<Written> {
      const path = `${resourcePath(resource, namespace, name)}${query(dryRun)}`;
      return send(resource, { method: 'PATCH', path, contentType: 'application/merge-patch+json', body, as });
    },
    async remove(
      { resource, namespace }: Place,
      { name, uid }: { readonly name: string; readonly uid: string },
      { as }: WriteOptions,
    ): Promise<Written | { readonly kind: 'gone' }> {
      const path = resourcePath(resource, namespace, name);
      try {
        const { body } = await client.call({
          method: 'DELETE',
          path,
          // mutant: delegated-deletes-successor drop
          body: { preconditions: { uid } },
          as,
        });
        if (body['kind'] === 'Status') return { kind: 'gone' };
        const object = strip(body, resource);
        // A server that answers with the deleted object returns it as deleting and without finalizers.
        const { deletionTimestamp, finalizers = [] } = object.metadata;
        return deletionTimestamp === undefined || finalizers.length === 0
          ? { kind: 'gone' }
          : { kind: 'object', object };
      } catch (error) {
        return refusalFor(error);
      }
    },
    async isAllowed(
      { user, groups }: Impersonated,
      verb: 'get' | 'list',
      { resource, namespace }: Place,
      name: string | undefined,
    ): Promise<boolean | Unavailable> {
      const review: KubeCall = {
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            user,
            groups: [...groups],
            resourceAttributes: {
              verb,
              namespace,
              group: resource.group,
              resource: resource.plural,
              ...(name !== undefined && { name }),
            },
          },
        },
      };
      try {
        const { body } = await client.call(review);
        return (body['status'] as JsonObject | undefined)?.['allowed'] === true;
      } catch (error) {
        const refusal = refusalFor(error);
        if (refusal.kind === 'unavailable') return refusal;
        // A review changes nothing, whether it was made or not.
        if (refusal.kind === 'unknown') return { ...refusal, kind: 'unavailable', retryAfterMs: undefined };
        throw error;
      }
    },
  };
}

function refusalFor(error: unknown): Refusal {
  if (error instanceof AbsentError) return { kind: 'absent' };
  if (error instanceof ConflictError) return { kind: 'conflict' };
  if (error instanceof ForbiddenError) return { kind: 'forbidden' };
  if (error instanceof InvalidError) return { kind: 'invalid', causes: error.causes };
  const { message, retryAfterMs } = toErrorData(error);
  if (error instanceof TerminalError) return { kind: 'invalid', causes: [] };
  // mutant: delegated-unknown-unavailable if -> false
  if (error instanceof UnknownOutcomeError) return { kind: 'unknown', message };
  if (error instanceof TransientError) return { kind: 'unavailable', retryAfterMs, message };
  throw error;
}
