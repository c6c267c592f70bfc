// Objects of one machine, independent of the node names they use.
import type { KubeObject } from '../../../machines/object.ts';
import { textOf } from '../values.ts';

export interface Which {
  /** The Kubernetes node. */
  readonly node: string;
  /** Empty: it has none. */
  readonly serial: string;
}

/** Whether the object was seen last on this machine. One that was renamed is the same by its serial number. */
export function isOnMachine({ status }: KubeObject, { node, serial }: Which): boolean {
  const machine = textOf(status?.['machine']);
  return serial === '' || machine === '' ? status?.['nodeName'] === node : machine === serial;
}
