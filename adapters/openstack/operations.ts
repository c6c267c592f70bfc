// What is done for the objects of a kind, from the kind's tables alone.
//
// Invariants:
//   O1. A list that failed is an error, never an empty result (Q5); so is an answer that makes no sense.
//   O2. Nothing fallible follows a create in the same operation, unless it was refused.
//   O3. A look-up that leaves out an unknown reference says so, and an import waits for its references instead.
//   O4. Of an answer only what the kind declares is looked at and returned (A1).
import type { JsonObject } from '../../bus/bus.ts';
import { ConflictError, TerminalError, TransientError, UnansweredError } from '../../bus/errors.ts';
import type { Observation } from '../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import { type Criterion, equalTo, matchesAll, queryOf } from './criteria.ts';
import { adoptionCriteria, createAttributes, filterCriteria, nameOf } from './desired.ts';
import { isJsonObject, readFields } from './kinds/fields.ts';
import { projected } from './kinds/projection.ts';
import type { OperationsDeps, TableKind } from './kinds/table.ts';
import { classified, refused, type WatchingOperations } from './refusals.ts';
import { HttpError, type Session, type Sessions } from './session.ts';
import { unheededFields } from './unheeded.ts';
import { callOf, notFound, pathOf, runUpdate, specMissing } from './update.ts';

/** Reason of an object that no change of its spec can help (openstack-common, chapter 2). */
const UNRECOVERABLE = { reason: 'UnrecoverableError' };

export function openstackOperations(
  kind: TableKind,
  { sessions, lookUps, poller, servers }: OperationsDeps,
): WatchingOperations {
  const open = ({
    object,
    credentialsVersion,
    deadlineAt,
  }: Pick<OperationRequest, 'object' | 'credentialsVersion' | 'deadlineAt'>): Promise<Session> => {
    return sessions.open(object.metadata.namespace ?? '', credentialsOf(object), credentialsVersion, deadlineAt);
  };

  const identityOf = ({ object, credentialsVersion, deadlineAt }: OperationRequest): ReturnType<Sessions['identify']> =>
    sessions.identify(object.metadata.namespace ?? '', credentialsOf(object), credentialsVersion, deadlineAt);

  const read = async (request: OperationRequest, id: string): Promise<Observation | undefined> => {
    const found = await lookUps.read(await open(request), kind, id, request);
    return found === undefined ? undefined : observationOf(kind, found, request);
  };

  const importByFilter = async (request: OperationRequest, filter: JsonObject): Promise<Observation | undefined> => {
    const { stated, missing } = filterCriteria(kind, filter, request.dependencies);
    if (missing.length > 0) throw new TransientError(`no id is known of ${missing.join(', ')}`);
    const [first, ...others] = await listMatching(kind, await open(request), stated, request);
    if (others.length > 0) throw new TerminalError('found more than one matching OpenStack resource during import');
    return first === undefined ? undefined : observationOf(kind, first, request);
  };

  const operations: WatchingOperations = {
    async find(request) {
      if (resourceOf(request) === undefined) return { matches: [], exact: true };
      const { stated, missing } = adoptionCriteria(kind, request.object, request.dependencies);
      const found = await lookUps.find(await open(request), kind, stated, request);
      const { scope } = await identityOf(request);
      return {
        matches: found.map((attributes) => observationOf(kind, attributes, request)),
        exact: missing.length === 0,
        // Whatever else is looked for, the name is: it is what the look-ups of two objects have in common.
        sought: JSON.stringify([scope, kind.collection, nameOf(kind, request.object)]),
      };
    },

    async identify(request) {
      return (await identityOf(request)).cloud;
    },

    async import(request) {
      const { id, filter } = (request.object.spec?.['import'] ?? {}) as {
        readonly id?: string;
        readonly filter?: JsonObject;
      };
      if (filter !== undefined) return importByFilter(request, filter);
      if (id === undefined) throw new TerminalError('Not creating unmanaged resource');
      const found = await read(request, id);
      if (found === undefined)
        throw new TerminalError('referenced resource does not exist in OpenStack', UNRECOVERABLE);
      return found;
    },

    async create(request) {
      if (request.object.spec?.['managementPolicy'] === 'unmanaged')
        throw new TerminalError('Not creating unmanaged resource');
      const resource = resourceOf(request);
      if (resource === undefined) throw specMissing('Creation');
      const { stated, missing } = createAttributes(kind, request.object, request.dependencies);
      if (missing.length > 0) throw new TransientError(`no id is known of ${missing.join(', ')}`);
      const attributes = kind.complete(stated, resource);
      const session = await open(request);
      const call = {
        ...callOf(kind, `/${kind.collection}`, request),
        method: 'POST',
        body: { [kind.member]: attributes },
      } as const;
      try {
        const answer = await session.call(call);
        if (answer.status === 404) throw notFound(call, answer);
        return observationOf(kind, answer.body[kind.member], request);
      } catch (error) {
        const known = refused(error, 'creating resource');
        if (!(known instanceof TerminalError)) throw known;
        // What is in the way may be what an earlier, interrupted create made, which came to the cloud after it was looked for.
        const { matches, exact } = await operations.find(request);
        const [own, ...others] = matches;
        if (own === undefined || others.length > 0 || !exact) throw known;
        // Whose it is has to be found out, as with all that is found (M8).
        throw new ConflictError('what is to be made is there by now', { cause: error });
      }
    },

    async observe(request) {
      const found = await read(request, request.id);
      if (found === undefined) refuseLoss(request);
      return found;
    },

    async watch(request) {
      const session = await open({ ...request, deadlineAt: poller.deadlineAt() });
      return poller.watch(session, kind, [equalTo('id', request.id)], request, (found) => {
        if (found === undefined) refuseLoss(request);
        return found && observationOf(kind, found, request);
      });
    },

    async update(request) {
      if (resourceOf(request) === undefined) throw specMissing('Update');
      const outcome = await runUpdate(kind, { session: await open(request), request, servers });
      const { object, observation, dependencies } = request;
      const unheeded = unheededFields(kind, object, observation.resource, dependencies);
      return unheeded.length === 0 ? outcome : { ...outcome, unheeded };
    },

    async remove(request) {
      // The chart never asks for it. Whoever does must not have it.
      if (request.object.spec?.['managementPolicy'] === 'unmanaged')
        throw new TerminalError('Not deleting unmanaged resource');
      const session = await open(request);
      const call = callOf(kind, pathOf(kind, request.id), request);
      try {
        await session.call({ ...call, method: 'DELETE' });
      } catch (error) {
        if (kind.removable === undefined || !(error instanceof HttpError) || error.status !== 409) throw error;
        await session.call({ ...call, method: kind.service.updateMethod, body: { [kind.member]: kind.removable } });
        await session.call({ ...call, method: 'DELETE' });
      }
    },
  };
  return classified(operations);
}

function credentialsOf({ spec }: KubeObject): { readonly secretName: string; readonly cloudName: string } {
  return spec?.['cloudCredentialsRef'] as { readonly secretName: string; readonly cloudName: string };
}

/** What was only imported is not made anew. @throws {TerminalError} the object lives on without its resource */
function refuseLoss({ object: { spec, metadata } }: Pick<OperationRequest, 'object'>): void {
  if (spec?.['managementPolicy'] === 'unmanaged' && metadata.deletionTimestamp === undefined)
    throw new TerminalError('resource has been deleted from OpenStack', UNRECOVERABLE);
}

/** What a list returned and the criteria accept; servers compare more loosely than that. */
async function listMatching(
  kind: TableKind,
  session: Session,
  criteria: readonly Criterion[],
  request: OperationRequest,
): Promise<readonly JsonObject[]> {
  const call = { ...callOf(kind, `/${kind.collection}`, request), query: queryOf(criteria) };
  const results = await session.list(call, kind.members);
  return results.filter((attributes) => matchesAll(criteria, attributes));
}

/** @throws {UnansweredError} what the cloud answered is no resource: of a create it says nothing */
export function observationOf(kind: TableKind, found: unknown, request: Pick<OperationRequest, 'object'>): Observation {
  const attributes = projected(kind.projection, isJsonObject(found) ? found : {});
  const { id } = attributes;
  if (typeof id !== 'string' || id === '') {
    throw new UnansweredError(`the answer holds no ${kind.member} with an id`);
  }
  const resource = resourceOf(request);
  const pollAfterMs = kind.pollAfterMs(attributes, resource);
  return {
    id,
    attributes,
    resource: readFields(kind.status, attributes),
    available: kind.available(attributes, resource),
    ...(pollAfterMs === undefined ? {} : { pollAfterMs }),
  };
}

function resourceOf({ object }: Pick<OperationRequest, 'object'>): JsonObject | undefined {
  return object.spec?.['resource'] as JsonObject | undefined;
}
