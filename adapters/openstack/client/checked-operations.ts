// Operations of a kind with their checks: they begin only with ids and valid options, answer only with ids, and every failure has a class.
import { TerminalError, TransientError, UnknownOutcomeError } from '../../../bus/errors.ts';
import type { Observation, ResourceOperations, WatchUpdate } from '../../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import { isJsonObject } from '../base/fields.ts';
import { resyncOf } from '../base/object-options.ts';
import { LATE_MS, transient, withFault } from './call-errors.ts';
import { isId } from './ids.ts';

/** Operations of an adapter with its own polling. */
export type WatchingOperations = ResourceOperations & Required<Pick<ResourceOperations, 'identify' | 'watch'>>;

/** Part of a request that is checked, for requests bounded by a deadline or by the lease. */
type Asked = Pick<OperationRequest, 'object' | 'dependencies'>;

interface Checks<Result> {
  /** Resources that an answer names. */
  readonly named?: (answer: Result) => readonly (Observation | undefined)[];
  /** An object whose options are invalid is removed all the same. */
  readonly isRemoval?: true;
}

/**
 * Objects with an invalid spec are rejected, except for removals. A create without a response gets the time until which it may still
 * take effect.
 */
export function checkedOperations(operations: WatchingOperations): WatchingOperations {
  const { delegate, fill } = operations;
  const checked =
    <Request extends Asked, Result>(
      operation: (request: Request) => Promise<Result>,
      { named, isRemoval }: Checks<Result> = {},
    ) =>
    async (request: Request): Promise<Result> => {
      try {
        if (isRemoval !== true) checkOptions(request);
        checkIds(request);
        const answer = await operation(request);
        for (const each of named?.(answer) ?? []) checkAnswer(each);
        return answer;
      } catch (error) {
        throw withFault(transient(error));
      }
    };
  const create = checked(operations.create, { named: one });
  return {
    find: checked(operations.find, { named: ({ matches }) => matches }),
    async identify(request) {
      try {
        return await operations.identify(request);
      } catch (error) {
        throw withFault(transient(error));
      }
    },
    import: checked(
      async (request) => {
        const wanted = request.object.spec?.['import'];
        if (isJsonObject(wanted) && wanted['id'] !== undefined) checkId(wanted['id'], "'spec.import.id'");
        return operations.import(request);
      },
      { named: one },
    ),
    async create(request) {
      try {
        return await create(request);
      } catch (error) {
        if (!(error instanceof UnknownOutcomeError)) throw error;
        const { message, retryAfterMs, fault } = error;
        throw new TransientError(message, {
          cause: error,
          retryAfterMs,
          // mutant: create-over-at-deadline : -> $1
          inDoubtUntil: request.deadlineAt + LATE_MS,
          fault,
        });
      }
    },
    observe: checked(operations.observe, { named: one }),
    update: checked(operations.update),
    remove: checked(operations.remove, { isRemoval: true }),
    watch: checked(async (request) => {
      // An invalid response is not reported: the next poll may bring a valid one.
      const progress = (news: WatchUpdate): void => {
        if ('gone' in news || isId(news.observation.id)) request.progress(news);
      };
      return operations.watch({ ...request, progress });
    }),
    ...(delegate !== undefined && { delegate: checked(delegate) }),
    ...(fill !== undefined && { fill: checked(fill) }),
  };
}

function one(answer: Observation | undefined): readonly (Observation | undefined)[] {
  return [answer];
}

/** @throws {TerminalError} the spec holds what is no option */
function checkOptions({ object }: Asked): void {
  const resync = resyncOf(object, 0);
  if (resync.kind === 'malformed' && object.metadata.deletionTimestamp === undefined)
    throw new TerminalError(resync.message);
}

/** Checks what a request names. @throws {TerminalError} says which is none */
function checkIds({
  dependencies,
  id,
  observation,
}: Asked & { readonly id?: unknown; readonly observation?: Observation | undefined }): void {
  // mutant: status-id-unchecked drop
  if (id !== undefined) checkId(id, "'status.id'");
  if (observation !== undefined) checkId(observation.id, 'the id of the observed resource');
  for (const [name, dependency] of Object.entries(dependencies)) checkId(dependency.id, `the id of ${name}`);
}

function checkId(id: unknown, what: string): void {
  // Not quoted: the value may be a secret, and its author knows it.
  if (!isId(id)) throw new TerminalError(`${what} is not an id of OpenStack`);
}

/** @throws {UnknownOutcomeError} the cloud says that it made something that cannot be named */
function checkAnswer(answer: Observation | undefined): void {
  if (answer !== undefined && !isId(answer.id)) throw new UnknownOutcomeError('the answer holds an id that is none');
}
