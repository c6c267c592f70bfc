// One update pass: every step of the kind runs, even when another one failed, and their outcomes are one.
//
// Attributes come before tags: replacing tags makes a new revision, and an update that names the old one is refused (Q14).
import { TerminalError, TransientError } from '../../bus/errors.ts';
import type { UpdateOutcome } from '../../machines/external-resource/operations.ts';
import { differenceOf, differingTags } from './desired.ts';
import type { TableKind, UpdateStep } from './kinds/table.ts';
import { joined, refused, transient } from './refusals.ts';
import type { Answer, Call } from './session.ts';

type Pass = Parameters<UpdateStep>[0];

/** Brings a resource to its spec, as far as it differs from what was observed. */
export async function runUpdate(kind: TableKind, pass: Pass): Promise<UpdateOutcome> {
  const steps: readonly UpdateStep[] = [attributesStep(kind), tagsStep(kind), ...(kind.steps ?? [])];
  const outcomes: UpdateOutcome[] = [];
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      outcomes.push(await step(pass));
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw joined(errors);
  const waiting = outcomes.flatMap((outcome) => outcome.waiting ?? []);
  const fields = outcomes.flatMap((outcome) => outcome.fields ?? []);
  const pauses = outcomes.flatMap(({ pollAfterMs }) => pollAfterMs ?? []);
  return {
    changed: outcomes.some(({ changed }) => changed),
    ...(fields.length === 0 ? {} : { fields }),
    ...(waiting.length === 0 ? {} : { waiting }),
    ...(pauses.length === 0 ? {} : { pollAfterMs: Math.min(...pauses) }),
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
      method: kind.service.updateMethod,
      ...(typeof revision === 'number' ? { headers: { 'If-Match': `revision_number=${revision}` } } : {}),
      body: { [kind.member]: stated.attributes },
    };
    await sendExpecting(session, call, (error) => refused(error, 'updating resource'));
    return { changed: true, fields: stated.fields, waiting };
  };
}

function tagsStep(kind: TableKind): UpdateStep {
  return async ({ session, request }) => {
    const { object, observation } = request;
    const tags = differingTags(kind, object, observation.attributes);
    if (tags === undefined) return { changed: false };
    const path = `${pathOf(kind, observation.id)}/tags`;
    await sendExpecting(session, { ...callOf(kind, path, request), method: 'PUT', body: { tags } }, transient);
    return { changed: true, fields: ['tags'] };
  };
}

/** Sends a call to a resource that must be there: one that is gone is found gone by the next read. */
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

/** What a call is about, or what it refers to, is not in the cloud. */
export function notFound({ method, path }: Pick<Call, 'method' | 'path'>, { refusal }: Answer): TransientError {
  return new TransientError(refusal ?? `${method} ${path}: not found`);
}

export function pathOf({ collection }: Pick<TableKind, 'collection'>, id: string): string {
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
