// Operations on the objects of a kind, from the kind's tables alone.
//
// Invariants:
//   OS-OPERATIONS-1. A list that failed is an error, never an empty result; so is an answer that makes no sense.
//   OS-OPERATIONS-2. Nothing fallible follows a create in the same operation, unless it was refused, or may be sent twice.
//   OS-OPERATIONS-3. A look-up that leaves out an unknown reference says so, and an import waits for its references instead.
//   OS-OPERATIONS-4. Of an answer only what the kind declares is looked at and returned (OS-PROJECTION-1).

import type { JsonObject } from '../../../bus/bus.ts';
import {
  ConflictError,
  TerminalError,
  TransientError,
  UnknownOutcomeError,
  WaitingError,
} from '../../../bus/errors.ts';
import type { Found, Observation } from '../../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import type { LongCallRequest } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Criterion, matchesAll, queryOf } from '../base/criteria.ts';
import { isJsonObject, readFields } from '../base/fields.ts';
import { projected } from '../base/projection.ts';
import { errorTypeOf, refused, unrecoverable } from '../client/call-errors.ts';
import { checkedOperations, type WatchingOperations } from '../client/checked-operations.ts';
import { type Identity, idCriteria, identityOf as identityOfParts } from '../client/identity.ts';
import { HttpError, type Session, type Sessions } from '../client/session.ts';
import { bodyOf, changeRequest, listCall, resourceIn, resourcesOf } from '../client/wire-format.ts';
import { watchWhole, withParts } from './composite-reads.ts';
import {
  adoptionCriteria,
  createAttributes,
  filterCriteria,
  intendedCriteria,
  intentOf,
  unappliedFieldsOf,
  type Wanted,
} from './desired.ts';
import { unlikeness } from './likeness.ts';
import { outdatedRemarks } from './references.ts';
import { contentsOf, secretsIn } from './secret-contents.ts';
import type { OperationsDeps, TableKind } from './table.ts';
import { appliedBy, callOf, notFound, pathOf, runReport, runUpdate, sendExpecting, specMissing } from './update.ts';
import { placed, placesOf } from './user-collections.ts';

/** For what no deadline bounds: longest time that it waits for a session, in milliseconds. */
const OPEN_MS = 10_000;

export function openstackOperations(kind: TableKind, deps: OperationsDeps): WatchingOperations {
  const { sessions, lookUps, poller, readSecret, clock } = deps;
  const { content } = kind;
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
    const session = await open(request);
    for await (const place of placesOf(kind, session, request)) {
      const found = await lookUps.read(session, place, id, request);
      const whole = found === undefined ? undefined : await withParts(kind, found, session, request);
      if (whole !== undefined) return observationOf(kind, whole, request);
    }
    return undefined;
  };

  /** Result of a list, in the form of a read. */
  const observed = async (found: JsonObject, request: OperationRequest): Promise<Observation | undefined> => {
    const shown = observationOf(kind, found, request);
    return kind.parts === undefined ? shown : read(request, shown.id);
  };

  const importByFilter = async (request: OperationRequest, filter: JsonObject): Promise<Observation | undefined> => {
    const { stated, missing } = filterCriteria(kind, filter, request.dependencies);
    if (missing.length > 0) throw new TransientError(`no id is known of ${missing.join(', ')}`);
    const session = await open(request);
    const [first, ...others] = await listMatching(await placed(kind, session, request), session, stated, request);
    if (others.length > 0) throw new TerminalError('found more than one matching OpenStack resource during import');
    return first === undefined ? undefined : observed(first, request);
  };

  const {
    creating = 'creating resource',
    unfound = 'what was made could not be found in OpenStack',
    lost = 'resource has been deleted from OpenStack',
  } = kind.words ?? {};

  /** Makes what has no id. It may be made twice, so that what follows may fail (OS-OPERATIONS-2). */
  const assign = async (
    session: Session,
    identity: Identity,
    attributes: JsonObject,
    request: OperationRequest,
  ): Promise<Observation> => {
    const id = identityOfParts(identity, attributes);
    if (id === undefined) throw new TransientError(`what it refers to makes no ${kind.member}`);
    await sendExpecting(session, { ...callOf(kind, pathOf(kind, id), request), method: 'PUT' }, (error) =>
      refused(error, creating),
    );
    const found = await lookUps.read(session, kind, id, request);
    if (found === undefined) throw unrecoverable(unfound);
    return observationOf(kind, found, request);
  };

  const matching = async (
    { criteria, common }: Wanted,
    request: OperationRequest,
  ): Promise<Pick<Found, 'matches' | 'completedLookup' | 'unlike'>> => {
    const session = await open(request);
    const place = await placed(kind, session, request);
    const found = await lookUps.find(session, place, criteria, request);
    const { cloud, scope } = await identityOf(request);
    const seen = kind.identity === undefined && kind.ofUser === undefined ? scope : cloud;
    const all = (await Promise.all(found.map((each) => observed(each, request)))).filter((each) => each !== undefined);
    return { ...sorted(kind, all, request), completedLookup: JSON.stringify([seen, place.collection, common]) };
  };

  const operations: WatchingOperations = {
    async find({ intents = [], ...request }) {
      if (resourceOf(request) === undefined) return { matches: [], exact: true };
      const now = JSON.stringify(intentOf(kind, request.object, request.dependencies));
      const left: string[] = [];
      for (const intent of intents.toReversed().filter((each) => JSON.stringify(each) !== now)) {
        const wanted = intendedCriteria(kind, intent);
        const earlier = wanted && (await matching(wanted, request));
        if (earlier !== undefined && earlier.matches.length > 0) return { ...earlier, exact: true, earlier: true };
        left.push(...(earlier?.unlike ?? []));
      }
      const { stated, missing } = adoptionCriteria(kind, request.object, request.dependencies);
      // mutant: unanswered-create-is-foreign === -> false
      const intended = intents.some((intent) => JSON.stringify(intent) === now);
      const { unlike = [], ...found } = await matching(stated, request);
      left.push(...unlike);
      return {
        ...found,
        exact: missing.length === 0,
        ...(intended && { intended }),
        ...(left.length > 0 && { unlike: [...new Set(left)] }),
      };
    },

    async identify(request) {
      const { cloud, user } = await identityOf(request);
      return kind.unique === 'user' ? user : cloud;
    },

    async import(request) {
      const { id, filter } = (request.object.spec?.['import'] ?? {}) as {
        readonly id?: string;
        readonly filter?: JsonObject;
      };
      if (filter !== undefined) return importByFilter(request, filter);
      if (id === undefined) throw new TerminalError('Not creating unmanaged resource');
      const found = await read(request, id);
      if (found === undefined) throw unrecoverable('referenced resource does not exist in OpenStack');
      return found;
    },

    async create(request) {
      if (request.object.spec?.['managementPolicy'] === 'unmanaged')
        throw new TerminalError('Not creating unmanaged resource');
      const resource = resourceOf(request);
      if (resource === undefined) throw specMissing('Creation');
      const { namespace = '' } = request.object.metadata;
      const contents = await contentsOf(kind.resource, resource, namespace, readSecret);
      const { stated, missing } = createAttributes(kind, request.object, request.dependencies, contents);
      if (missing.length > 0) throw unknown(missing, request);
      const attributes = kind.complete?.(stated, resource) ?? stated;
      const session = await open(request);
      if (kind.identity !== undefined) return assign(session, kind.identity, attributes, request);
      const call = {
        ...callOf(kind, `/${(await placed(kind, session, request)).collection}`, request),
        method: 'POST',
        body: bodyOf(kind, attributes),
        ...secretsIn(contents),
      } as const;
      try {
        const answer = await session.call(call);
        // mutant: unfound-create drop
        if (answer.status === 404) throw notFound(call, answer);
        const made = resourceIn(kind, answer.body);
        const observation = observationOf(kind, kind.created === 'id' ? onlyId(made) : made, request);
        // A revision that was not read may be outdated: Neutron still increments it after its response.
        const { revision_number: _, ...attributes } = observation.attributes;
        return { ...observation, attributes, ...appliedBy(kind, resource) };
      } catch (error) {
        const known = refused(error, creating);
        if (!(known instanceof TerminalError)) throw known;
        // The conflict may be with the result of an earlier, interrupted create, which took effect after the lookup.
        const { matches, exact } = await operations.find(request);
        const [own, ...others] = matches;
        if (own === undefined || others.length > 0 || !exact) throw known;
        // Whose it is has to be found out, as with all that is found (EXTERNAL-RESOURCE-8).
        throw new ConflictError('what is to be made is there by now', { cause: error });
      }
    },

    async observe(request) {
      const found = await read(request, request.id);
      if (found === undefined) refuseLoss(request, lost);
      return found;
    },

    async watch(request) {
      const first = { ...request, deadlineAt: poller.deadlineAt() };
      const session = await open(first);
      if (kind.parts !== undefined) {
        const readNow = () => read({ ...request, traceparent: '', deadlineAt: poller.deadlineAt() }, request.id);
        return watchWhole({ kind, poller, session, request, read: readNow, onGone: () => refuseLoss(request, lost) });
      }
      const place = await placed(kind, session, first);
      return poller.watch(session, place, idCriteria(kind, request.id), request, (found) => {
        // mutant: import-loss-remade drop
        if (found === undefined) refuseLoss(request, lost);
        return found && observationOf(kind, found, request);
      });
    },

    async update(request) {
      if (resourceOf(request) === undefined) throw specMissing('Update');
      // All that is known is that it was made.
      if (kind.created === 'id' && Object.keys(request.observation.attributes).length === 1) return { changed: true };
      const session = await open(request);
      const place = await placed(kind, session, request);
      const pass = { session, request, readSecret };
      const outcome = await (request.report === true ? runReport(place, pass) : runUpdate(place, pass));
      const { object, observation, dependencies } = request;
      const unappliedFields = unappliedFieldsOf(kind, object, observation.resource, dependencies);
      const statusNotes = outdatedRemarks(kind, object, observation.resource, dependencies);
      return {
        ...outcome,
        ...(unappliedFields.length > 0 && { unappliedFields }),
        ...(statusNotes.length > 0 && { statusNotes: statusNotes }),
      };
    },

    ...(content !== undefined && {
      async delegate(request: OperationRequest & { readonly id: string }) {
        return content.delegate({ session: await open(request), request });
      },

      async fill(request: LongCallRequest & { readonly id: string }) {
        const session = await open({ ...request, deadlineAt: clock.now() + OPEN_MS });
        return content.fill({ session, request, deps });
      },
    }),

    async remove(request) {
      // The state machine never requests it. Any other caller must not get it.
      if (request.object.spec?.['managementPolicy'] === 'unmanaged')
        throw new TerminalError('Not deleting unmanaged resource');
      const session = await open(request);
      const place = await placed(kind, session, request);
      if (kind.leaving !== undefined) {
        const found = await lookUps.read(session, place, request.id, request);
        if (found === undefined || kind.leaving(projected(kind.projection, found))) return;
      }
      const call = callOf(kind, pathOf(place, request.id), request);
      try {
        await session.call({ ...call, method: 'DELETE' });
      } catch (error) {
        const { refusal, type, attributes, otherwise, askedBy } = kind.removable ?? {};
        if (attributes === undefined || !(error instanceof HttpError) || error.status !== refusal) throw error;
        if (type !== undefined && errorTypeOf(error) !== type) throw error;
        // mutant: guarded-resource-removed if -> false
        if (askedBy !== undefined && resourceOf(request)?.[askedBy.field] !== askedBy.value) throw error;
        await session.call({ ...call, ...changeRequest(kind, attributes) });
        try {
          await session.call({ ...call, method: 'DELETE' });
        } catch (failure) {
          // mutant: refused-removal-changes drop
          if (otherwise !== undefined) await session.call({ ...call, ...changeRequest(kind, otherwise) });
          throw failure;
        }
      }
    },
  };
  return checkedOperations(operations);
}

/** For an object that is being deleted, without what its create cannot have made. */
function sorted(
  kind: TableKind,
  matches: readonly Observation[],
  { object, dependencies }: Pick<OperationRequest, 'object' | 'dependencies'>,
): Pick<Found, 'matches' | 'unlike'> {
  // mutant: deletion-takes-what-differs if -> true
  if (object.metadata.deletionTimestamp === undefined) return { matches };
  const judged = matches.map((match) => ({ match, reason: unlikeness(kind, object, dependencies, match) }));
  const unlike = judged.flatMap(({ match: { id }, reason }) => (reason === undefined ? [] : [`${id}: ${reason}`]));
  const alike = judged.flatMap(({ match, reason }) => (reason === undefined ? [match] : []));
  return { matches: alike, ...(unlike.length > 0 && { unlike }) };
}

function onlyId(made: unknown): JsonObject {
  const { id = null } = isJsonObject(made) ? made : {};
  return { id };
}

/**
 * A dependency with an id and without its other attributes will have them soon: its status follows its lifecycle
 * (OS-SECRET-CONTENTS-2).
 */
function unknown(missing: readonly string[], { dependencies }: Pick<OperationRequest, 'dependencies'>): TransientError {
  // mutant: untold-id-fails if -> true
  if (missing.some((key) => dependencies[key]?.id === undefined))
    return new TransientError(`no id is known of ${missing.join(', ')}`);
  return new WaitingError(missing.map((key) => `Waiting for ${key} to be ready`).join('\n'));
}

function credentialsOf({ spec }: KubeObject): { readonly secretName: string; readonly cloudName: string } {
  return spec?.['cloudCredentialsRef'] as { readonly secretName: string; readonly cloudName: string };
}

/** An imported resource is never created. @throws {TerminalError} the object remains without its resource */
function refuseLoss({ object: { spec, metadata } }: Pick<OperationRequest, 'object'>, lost: string): void {
  if (spec?.['managementPolicy'] === 'unmanaged' && metadata.deletionTimestamp === undefined) throw unrecoverable(lost);
}

/** Results of a list that meet the criteria; servers compare more loosely. */
async function listMatching(
  kind: TableKind,
  session: Session,
  criteria: readonly Criterion[],
  request: OperationRequest,
): Promise<readonly JsonObject[]> {
  const { deadlineAt, traceparent } = request;
  const call = { ...listCall(kind, queryOf(criteria)), deadlineAt, traceparent };
  const results = resourcesOf(kind, await session.list(call, kind.members));
  return results.filter((attributes) => matchesAll(criteria, attributes));
}

/** @throws {UnknownOutcomeError} the response is no resource: after a create the outcome is unknown */
export function observationOf(kind: TableKind, found: unknown, request: Pick<OperationRequest, 'object'>): Observation {
  const attributes = projected(kind.projection, isJsonObject(found) ? found : {});
  const { id } = attributes;
  if (typeof id !== 'string' || id === '') {
    // mutant: create-without-id new.0 -> TransientError
    throw new UnknownOutcomeError(`the answer holds no ${kind.member} with an id`);
  }
  const resource = resourceOf(request);
  const pollAfterMs = kind.pollAfterMs?.(attributes, resource);
  return {
    id,
    attributes,
    resource: readFields(kind.status, attributes),
    available: kind.available?.(attributes, resource) ?? true,
    ...(pollAfterMs === undefined ? {} : { pollAfterMs }),
  };
}

function resourceOf({ object }: Pick<OperationRequest, 'object'>): JsonObject | undefined {
  return object.spec?.['resource'] as JsonObject | undefined;
}
