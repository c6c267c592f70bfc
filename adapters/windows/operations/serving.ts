// Common part of all operations: they run on the requested machine, and report their outcome with Troupe's codes.
//
// Invariants:
//   WIN-SERVING-1. Nothing is done on another machine than the one that was asked for.
//   WIN-SERVING-2. Running work is never stopped: a caller may stop waiting for it.
import { TerminalError, TransientError, TroupeError, toErrorData } from '../../../bus/errors.ts';
import type { JsonObject } from '../../../bus/json.ts';
import type { Clock } from '../../../bus/time.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { ServePorts } from '../../api/adapter.ts';
import { Code, StatusError, UnknownEndError } from '../../csi-proxy/base/status.ts';
import type { KeyedMutex } from '../../csi-proxy/hosts/keyed-mutex.ts';
import type { PathRules } from '../../csi-proxy/server/path-rules.ts';
import type { Foreign, ForeignReach } from '../../http/egress-policy.ts';
import { hiding } from '../../http/secrets.ts';
import { Reason } from '../conditions.ts';
import { explained } from '../read-only.ts';
import { textOf } from '../values.ts';
import type { Storage } from './storage.ts';

/** A hash of a text that is hard to guess it from, the same for the same salt. */
export type Derive = (text: string, salt: string) => Promise<Buffer>;

/** A machine, by the way that leads to it. */
export interface Machine {
  readonly host: Storage;
  /** The same for pure reads, which are answered together with other reads. Undefined: `host` does so. */
  readonly looks?: Storage;
  /** The serial number of the machine; empty: it has none. */
  machine(): Promise<string>;
  /** Served versions of csi-proxy, if one is used. */
  served?(): Promise<readonly ServedGroup[]>;
}

/** Versions of a group that csi-proxy serves, the newest first, and which one is used, as far as there are any. A type, as an interface would be no JSON. */
export type ServedGroup = {
  readonly group: string;
  readonly served?: readonly string[];
  readonly used?: string;
};

export interface MachinePorts extends Machine, Pick<ServePorts, 'readSecret' | 'readObject' | 'listObjects'> {
  readonly clock: Clock;
  /** All operations have the same, so that a disk, a path or a share is changed by one of them at a time. */
  readonly lanes: KeyedMutex;
  readonly paths: PathRules;
  readonly encryption: 'required' | 'optional';
  /** For shares and portals, which Windows connects to. */
  readonly foreign: ForeignReach;
  /** Hash function for credentials. */
  readonly derive: Derive;
  /** The Kubernetes node that the machine is. */
  readonly node: string;
  /** The same machine by way of the csi-proxy that the object's node names; undefined: it names none any more. Not there: none ever does. */
  behind?(object: KubeObject, endpoint: string): Promise<Machine | undefined>;
}

/** @throws {TerminalError} Windows is not told to connect there */
export async function requireReach(
  { foreign }: Pick<MachinePorts, 'foreign'>,
  what: Foreign,
  host: string,
  port?: number,
): Promise<void> {
  const problem = await foreign.refusalOf(what, host, port);
  if (problem !== undefined) throw new TerminalError(problem);
}

/** Node whose machine has the object's resource: its own, or that of its dependency. */
export function nodeOf({
  object,
  dependencies,
}: Pick<OperationRequest, 'object' | 'dependencies'>): string | undefined {
  const own = textOf(object.spec?.['nodeName']);
  const others = Object.values(dependencies).map(({ attributes }) => textOf(attributes?.['nodeName']));
  return [own, ...others].find((name) => name !== '');
}

/** Endpoint of csi-proxy, from an object's node, or the node itself; empty if there is none. */
function endpointOf({ object, dependencies }: Pick<OperationRequest, 'object' | 'dependencies'>): string {
  const others = Object.values(dependencies).map(({ attributes }) => textOf(attributes?.['endpoint']));
  return [textOf(object.spec?.['endpoint']), ...others].find((endpoint) => endpoint !== '') ?? '';
}

/**
 * An operation that is done here or not at all.
 *
 * @param work  is given the ports with the way that leads to the machine
 * @param secrets removed from its failures; the work may add secrets that it reads
 */
export async function onMachine<Answer>(
  ports: MachinePorts,
  request: Pick<OperationRequest, 'object' | 'dependencies'>,
  work: (here: MachinePorts) => Promise<Answer>,
  secrets: readonly string[] = [],
): Promise<Answer> {
  const { node } = ports;
  const wanted = nodeOf(request);
  if (wanted !== node) throw new TransientError(`this is node '${node}', not '${wanted ?? ''}'`);
  return inWords(secrets, async () => {
    const endpoint = endpointOf(request);
    const here = endpoint === '' ? ports : { ...ports, ...(await ports.behind?.(request.object, endpoint)) };
    await requireSame(here, request);
    // mutant: change-by-shared-look -> return await work({ ...here, host: here.looks ?? here.host });
    return await work(here);
  });
}

/** Progress of one attempt to make something. */
export interface Attempt {
  /** From here on the machine may be changed. */
  begin(): void;
  /** The machine says that nothing was made. */
  end(): void;
}

/**
 * Runs an attempt to make something. Answers `{ undone }`, the failure, if nothing was made for certain: then the record
 * of the attempt is taken back, since another client may make the same next (WIN-SHARED-1).
 *
 * @param extra  added to that answer
 */
export async function attempting(
  secrets: readonly string[],
  work: (attempt: Attempt) => Answer,
  extra: () => JsonObject = () => ({}),
): Answer {
  let isBegun = false;
  const begin = (): void => {
    isBegun = true;
  };
  const end = (): void => {
    isBegun = false;
  };
  try {
    return await inWords(secrets, () => work({ begin, end }));
  } catch (error) {
    // mutant: unknown-end-undone if -> false
    if (isBegun) throw error;
    return { ...extra(), undone: { ...toErrorData(error) } };
  }
}

/** Whether the request that failed so has ended: otherwise its outcome is unknown. */
export function isEnded(error: unknown): error is StatusError {
  return error instanceof StatusError && !(error instanceof UnknownEndError);
}

/** @throws {TroupeError} what `work` throws, without the secrets and in Troupe's codes; @throws {Error} a defect */
async function inWords<Answer>(secrets: readonly string[], work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TroupeError) throw error;
    const hide = hiding(secrets);
    if (error instanceof StatusError) throw ofStatus(error, hide);
    // A defect may quote anything.
    // mutant: error-tells-secret throw -> $1.1.1.1
    throw new Error(hide(error instanceof Error ? error.message : String(error)));
  }
}

/** An operation that changes nothing. */
export function onLook<Answer>(
  ports: MachinePorts,
  request: Pick<OperationRequest, 'object' | 'dependencies'>,
  work: (here: MachinePorts) => Promise<Answer>,
): Promise<Answer> {
  return onMachine(ports, request, (here) => work({ ...here, host: here.looks ?? here.host }));
}

/**
 * A name may soon be reused by another machine, on which the same paths and shares belong to others (WIN-SERVING-1).
 *
 * @throws {TransientError} what the object refers to is on a machine that is known not to be this one
 */
async function requireSame(
  { node, machine }: Pick<MachinePorts, 'node' | 'machine'>,
  { dependencies }: Pick<OperationRequest, 'dependencies'>,
): Promise<void> {
  const known = Object.values(dependencies)
    .map(({ attributes }) => textOf(attributes?.['machine']))
    .find((serial) => serial !== '');
  if (known === undefined) return;
  const own = await machine();
  // mutant: machine-of-that-name if -> true
  if (own === '' || known === own) return;
  const message = `node '${node}' is the machine with the serial number ${own}, and was the one with ${known}`;
  throw new TransientError(message, { reason: Reason.DifferentMachine });
}

/** No cause: it may quote what is hidden. */
function ofStatus({ code, message }: StatusError, hide: (text: string) => string): Error {
  const isRefused = code === Code.InvalidArgument || code === Code.PermissionDenied;
  return isRefused ? new TerminalError(hide(message)) : new TransientError(hide(explained(message)));
}

/** Caller of a lock without a signal: it waits to the end. */
export const PATIENT = { aborted: false } as const;

/** Additional input of an operation, by name. */
export type Extra<Members extends object> = OperationRequest & Partial<Members>;

export type Answer = Promise<JsonObject>;
