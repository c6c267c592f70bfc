// Common parts of the contracts of all kinds.
import { integer, list, object, ref, required, type Shape, string } from '../../api/contract/contract.ts';
import type { KindContract } from '../../api/contract/crds.ts';

export const GROUP = 'windows.troupe.dev';
export const VERSION = 'v1alpha1';

const condition = object('one of the conditions.', {
  type: required(string('type is the name of the condition.', { maxLength: 316 })),
  status: required(string('status is True, False or Unknown.', { enum: ['True', 'False', 'Unknown'] })),
  reason: required(string('reason is a word for programs.', { maxLength: 1024 })),
  message: required(string('message is for people.', { maxLength: 32768 })),
  lastTransitionTime: required(
    string('lastTransitionTime is when the status of the condition changed.', { format: 'date-time' }),
  ),
  observedGeneration: integer('observedGeneration is the generation of the object that was judged.', {
    format: 'int64',
  }),
});

/** Fields of every status. */
const common = {
  conditions: list(
    'conditions are the state of the object. Ready is True when it matches its spec and dependents may use it.',
    condition,
    { type: 'atomic', maxItems: 8 },
  ),
  nodeName: string('nodeName is the Kubernetes node on which it was looked at.', { maxLength: 253 }),
  endpoint: string('endpoint is where csi-proxy was asked for it, if it was.', { maxLength: 256 }),
  machine: string('machine is the serial number of that machine, by which it is known again.', { maxLength: 512 }),
};

const READY = {
  name: 'Ready',
  description: 'Whether it is as specified',
  jsonPath: ".status.conditions[?(@.type=='Ready')].status",
};
const REASON = {
  name: 'Reason',
  description: 'Why it is not, in a word',
  jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
};

export interface Written extends Pick<KindContract, 'kind' | 'plural' | 'description' | 'columns'> {
  readonly spec: KindContract['spec'];
  readonly status: Shape;
}

export function windowsContract({ spec, status, columns, ...names }: Written): KindContract {
  return {
    group: GROUP,
    version: VERSION,
    categories: ['windows'],
    ...names,
    columns: [...columns, READY, REASON],
    spec,
    status: object('status is how it was seen last.', { ...status, ...common }),
  };
}

export const NODE = 'WindowsStorageNode';

/** The node that an object is on. */
export const nodeRef = ref(NODE, 'nodeRef is the WindowsStorageNode of the machine that it is on.', { guarded: true });
