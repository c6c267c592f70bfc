// The node of the host that an object beside it refers to.
import { TerminalError, WaitingError } from '../../../bus/errors.ts';
import type { OperationRequest } from '../../../machines/kind.ts';

/** @returns its UUID @throws {WaitingError} the host has none that is known; {TerminalError} no host is named */
export function nodeOfHost({ dependencies }: Pick<OperationRequest, 'dependencies'>, host: string): string {
  if (host === '') throw new TerminalError('no host is named');
  const node = dependencies[`BareMetalHost/${host}`]?.id;
  if (node === undefined) throw new WaitingError(`Waiting for host '${host}' to be registered`);
  return node;
}
