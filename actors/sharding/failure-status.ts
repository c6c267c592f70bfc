// The status of an object whose code has failed.
import type { AnyMachineSnapshot } from 'xstate';
import { ErrorCode, toErrorData } from '../../bus/mod.ts';
import type { StatusPart } from '../../machines/lifecycle.ts';
import type { ObjectContext } from '../object/object-context.ts';
import { StatusWriter } from '../object/status-writer.ts';

/** A stopped state machine: its state says nothing. */
const STOPPED = { hasTag: () => false } as unknown as AnyMachineSnapshot;

/** Writes that the object waits for its code to be mended, until that is stored. @returns the way to stop */
export function writeFailureStatus(context: ObjectContext, message: string): () => void {
  const { kind, object } = context;
  if (kind === undefined || object === undefined) return () => undefined;
  const { uid } = object.metadata;
  const error = { code: ErrorCode.Transient, message };
  const partsOf: (now: number) => readonly StatusPart[] = (now) => {
    try {
      return context.object === undefined ? [] : kind.life.failureStatus(context.object, error, now);
    } catch (failure) {
      const problem = toErrorData(failure).message;
      context.host.log.debug({ ...context.address, error: problem }, 'the status of an object cannot be told');
      writer.stop();
      return [];
    }
  };
  const subject = {
    lifecycle: { statusKey: () => message, status: (_: unknown, __: unknown, now: number) => partsOf(now) },
    get object() {
      return context.object?.metadata.uid === uid ? context.object : undefined;
    },
    isUnanswered: false,
    onWritten: () => undefined,
  };
  const writer = new StatusWriter(context, subject, uid);
  writer.enter();
  writer.consider(STOPPED);
  return () => writer.stop();
}
