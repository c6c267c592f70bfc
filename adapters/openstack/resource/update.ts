// One update pass: every step of the kind runs, even when another one failed, and their outcomes are one.
//
// Attributes come before tags: replacing tags makes a new revision, and an update that names the old one is refused.
import type { JsonObject } from '../../../bus/bus.ts';
import { TerminalError, TransientError, WaitingError } from '../../../bus/errors.ts';
import type { UpdateOutcome } from '../../../machines/external-resource/operations.ts';
import { joined, refused, transient } from '../client/call-errors.ts';
import { partsOf } from '../client/identity.ts';
import type { Answer, Call } from '../client/session.ts';
import { changeRequest } from '../client/wire-format.ts';
import { differenceOf, differingTags, wiredOf } from './desired.ts';
import { contentsOf, secretsIn } from './secret-contents.ts';
import type { TableKind, UpdateStep } from './table.ts';

type Pass = Parameters<UpdateStep>[0];

/** Brings a resource to its spec, as far as it differs from what was observed. */
export async function runUpdate(kind: TableKind, pass: Pass): Promise<UpdateOutcome> {
  const steps: readonly UpdateStep[] = [
    contentsStep(kind),
    attributesStep(kind),
    tagsStep(kind),
    ...(kind.steps ?? []),
  ];
  const outcomes: UpdateOutcome[] = [];
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      outcomes.push(await step(pass));
    } catch (error) {
      errors.push(error);
    }
  }
  const applied: JsonObject = Object.assign({}, ...outcomes.map((outcome) => outcome.applied));
  // Applied changes would be lost with the failure of another step, so they are recorded first: the next attempt does
  // the rest.
  if (errors.length > 0 && Object.keys(applied).length === 0) throw joined(errors);
  const waiting = outcomes.flatMap((outcome) => outcome.waiting ?? []);
  const unused = outcomes.flatMap((outcome) => outcome.unused ?? []);
  const fields = outcomes.flatMap((outcome) => outcome.fields ?? []);
  const pauses = outcomes.flatMap(({ pollAfterMs }) => pollAfterMs ?? []);
  return {
    changed: outcomes.some(({ changed }) => changed),
    ...(outcomes.some(({ empty }) => empty) && { empty: true }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(Object.keys(applied).length === 0 ? {} : { applied }),
    ...(waiting.length === 0 ? {} : { waiting }),
    ...(unused.length === 0 ? {} : { unused }),
    ...(outcomes.some(({ used }) => used) && { used: true }),
    ...(pauses.length === 0 ? {} : { pollAfterMs: Math.min(...pauses) }),
  };
}

/** Changes that an update would make, without making them. Waits and failures are reported as usual. */
export async function runReport(kind: TableKind, pass: Pass): Promise<UpdateOutcome> {
  let wouldChange = false;
  const outcome = await runUpdate(kind, {
    ...pass,
    session: withoutWrites(pass.session, () => {
      wouldChange = true;
    }),
  });
  if (!wouldChange) {
    const { empty: _, applied: __, ...rest } = outcome;
    return { ...rest, changed: false };
  }
  return { changed: false, left: outcome.fields ?? [] };
}

/** Writes are skipped and reported as successful. */
function withoutWrites(session: Pass['session'], onWrite: () => void): Pass['session'] {
  return {
    ...session,
    async call(call) {
      if (call.method === 'GET') return session.call(call);
      onWrite();
      return { status: 200, body: {} };
    },
  };
}

/** Attributes that the create of this resource applied, for the status. */
export function appliedBy(
  { resource: fields }: Pick<TableKind, 'resource'>,
  resource: JsonObject,
): Pick<UpdateOutcome, 'applied'> {
  const applied = Object.entries(fields).flatMap(([name, { applied: status }]) => {
    const value = resource[name];
    return status === undefined || value === undefined ? [] : [[status, value] as const];
  });
  return applied.length === 0 ? {} : { applied: Object.fromEntries(applied) };
}

/** Sends the contents of Secrets that the spec names and that were not sent yet. */
function contentsStep(kind: TableKind): UpdateStep {
  return async ({ session, request, readSecret }) => {
    const { object, dependencies, observation } = request;
    const { resource = {} } = (object.spec ?? {}) as { readonly resource?: JsonObject };
    const reported = (object.status?.['resource'] ?? {}) as JsonObject;
    const fields = Object.fromEntries(
      Object.entries(kind.resource).filter(([name, { applied }]) => {
        return applied !== undefined && resource[name] !== undefined && resource[name] !== reported[applied];
      }),
    );
    const names = Object.keys(fields);
    if (names.length === 0) return { changed: false };
    try {
      const contents = await contentsOf(fields, resource, object.metadata.namespace ?? '', readSecret);
      const attributes = Object.entries(fields).map(([name, field]) => {
        const wired = wiredOf(name, field, object, dependencies, contents);
        return wired === undefined ? {} : field.encode(wired.value, wired.published);
      });
      const call: Call = {
        ...callOf(kind, pathOf(kind, observation.id), request),
        ...changeRequest(kind, Object.assign({}, ...attributes)),
        ...secretsIn(contents),
      };
      await sendExpecting(session, call, (error) => refused(error, 'updating resource'));
    } catch (error) {
      if (error instanceof WaitingError) return { changed: false, waiting: [error.message] };
      throw error;
    }
    return { changed: true, fields: names, ...appliedBy({ resource: fields }, resource) };
  };
}

function attributesStep(kind: TableKind): UpdateStep {
  return async ({ session, request }) => {
    const { object, dependencies, observation } = request;
    const { stated, missing } = differenceOf(kind, object, dependencies, observation.attributes);
    const waiting = missing.map((reference) => `Waiting for ${reference} to be ready`);
    if (Object.keys(stated.attributes).length === 0) return { changed: false, waiting };
    const isRevised = kind.service.revisions && !stated.extension;
    const revision = isRevised ? observation.attributes['revision_number'] : undefined;
    const call: Call = {
      ...callOf(kind, pathOf(kind, observation.id), request),
      ...(typeof revision === 'number' ? { headers: { 'If-Match': `revision_number=${revision}` } } : {}),
      ...changeRequest(kind, stated.attributes),
    };
    await sendExpecting(session, call, (error) => refused(error, 'updating resource'));
    return { changed: true, fields: stated.fields, waiting };
  };
}

function tagsStep(kind: TableKind): UpdateStep {
  return async ({ session, request }) => {
    const { object, observation } = request;
    const { taggable = () => true } = kind;
    const tags = differingTags(kind, object, observation.attributes);
    if (tags === undefined || !taggable(observation.attributes)) return { changed: false };
    const path = `${pathOf(kind, observation.id)}/tags`;
    await sendExpecting(session, { ...callOf(kind, path, request), method: 'PUT', body: { tags } }, transient);
    return { changed: true, fields: ['tags'] };
  };
}

/** Sends a call to a resource that must exist: the next read detects a deletion. */
export async function sendExpecting(
  session: Pass['session'],
  call: Call,
  translate: (error: unknown) => unknown,
): Promise<void> {
  const answer = await session.call(call).catch((error: unknown) => {
    throw translate(error);
  });
  if (answer.status === 404) throw notFound(call, answer);
}

/** The resource of a call, or one that it refers to, is not in the cloud. */
export function notFound({ method, path }: Pick<Call, 'method' | 'path'>, { refusal }: Answer): TransientError {
  return new TransientError(refusal ?? `${method} ${path}: not found`);
}

/** Path of a resource. @throws {TerminalError} the id is invalid for the kind */
export function pathOf({ collection, identity }: Pick<TableKind, 'collection' | 'identity'>, id: string): string {
  if (identity !== undefined) {
    const parts = partsOf(identity, id);
    return identity.path((name) => (parts[name] === undefined ? undefined : encodeURIComponent(String(parts[name]))));
  }
  return `/${collection}/${encodeURIComponent(id)}`;
}

export function callOf(
  { service }: Pick<TableKind, 'service'>,
  path: string,
  { deadlineAt, traceparent }: Pick<Call, 'deadlineAt' | 'traceparent'>,
): Omit<Call, 'method'> {
  return { service: service.type, path, deadlineAt, traceparent };
}

/** For an object whose policy wants a resource and whose spec has none; the API server lets none through. */
export function specMissing(doing: 'Creation' | 'Update'): TerminalError {
  return new TerminalError(`${doing} requested, but spec.resource is not set`);
}
