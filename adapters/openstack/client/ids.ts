// Ids of the cloud, checked wherever they come from: a status that anybody may have written, a spec, a request on the bus,
// an answer of the cloud. They become parts of paths, where `..` would lead elsewhere.
//
// Invariants:
//   OS-IDS-1. No path of a call holds a segment that is empty, `.` or `..`, or that hides a separator.
import { TerminalError, UnknownOutcomeError } from '../../../bus/errors.ts';
import type { Observation, ResourceOperations, WatchUpdate } from '../../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import { isJsonObject } from '../base/fields.ts';

/** UUIDs, with and without hyphens, and the names that some services use for ids (`default`, `m1.tiny`, `my key`). */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9_.-][A-Za-z0-9_.:@ -]{0,254}$/;

export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID.test(text);
}

/** Whether a path leads where its segments say (OS-IDS-1). */
export function isPlainPath(path: string): boolean {
  if (!path.startsWith('/') || /[?#\\]/.test(path)) return false;
  return path.slice(1).split('/').every(isPlainSegment);
}

function isPlainSegment(segment: string): boolean {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return false; // what is no encoding is nothing that was encoded here
  }
  // mutant: id-leads-elsewhere return -> $1
  return text !== '' && text !== '.' && text !== '..' && !/[/\\]/.test(text);
}

/** Whether it is bounded by a deadline or by the lease. */
type Asked = Pick<OperationRequest, 'dependencies'>;

/** Checks what a request names. @throws {TerminalError} says which is none */
function checkRequest(
  request: Asked & { readonly id?: unknown; readonly observation?: Observation | undefined },
): void {
  const { dependencies, id, observation } = request;
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

type CheckedOperations = ResourceOperations & Required<Pick<ResourceOperations, 'identify' | 'watch'>>;

/** Operations that begin only with ids, and answer only with ids. */
export function withCheckedIds(operations: CheckedOperations): CheckedOperations {
  const asked =
    <Request extends Asked, Result>(operation: (request: Request) => Promise<Result>) =>
    async (request: Request): Promise<Result> => {
      checkRequest(request);
      return operation(request);
    };
  const answered =
    <Request extends OperationRequest, Result extends Observation | undefined>(
      operation: (request: Request) => Promise<Result>,
    ) =>
    async (request: Request): Promise<Result> => {
      const answer = await asked(operation)(request);
      checkAnswer(answer);
      return answer;
    };
  return {
    async find(request) {
      const found = await asked(operations.find)(request);
      found.matches.forEach(checkAnswer);
      return found;
    },
    identify: operations.identify,
    async import(request) {
      const wanted = request.object.spec?.['import'];
      if (isJsonObject(wanted) && wanted['id'] !== undefined) checkId(wanted['id'], "'spec.import.id'");
      return answered(operations.import)(request);
    },
    create: answered(operations.create),
    observe: answered(operations.observe),
    update: asked(operations.update),
    remove: asked(operations.remove),
    ...(operations.delegate !== undefined && { delegate: asked(operations.delegate) }),
    ...(operations.fill !== undefined && { fill: asked(operations.fill) }),
    watch(request) {
      // An invalid response is not reported: the next poll may bring a valid one.
      const progress = (news: WatchUpdate): void => {
        if ('gone' in news || isId(news.observation.id)) request.progress(news);
      };
      return asked(operations.watch)({ ...request, progress });
    },
  };
}
