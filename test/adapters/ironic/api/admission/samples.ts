// Objects that are admitted, to be changed by tests, and what becomes of them.
import { type AdmissionRequest, admit } from '../../../../../adapters/ironic/api/admission/admit.ts';

export type Fields = Readonly<Record<string, unknown>>;

const META = { name: 'node-0', namespace: 'metal' };

export const HOST = {
  metadata: META,
  spec: {
    online: true,
    bmc: { address: 'redfish-virtualmedia://192.168.122.1/redfish/v1/Systems/1', credentialsName: 'node-0-bmc' },
    bootMACAddress: '52:54:00:00:00:01',
  },
};

/** A host of IPMI's with these fields of the spec besides; `undefined` takes one away. */
export function host(spec: Fields = {}, annotations: Fields = {}, metadata: Fields = {}): Fields {
  return { metadata: { ...META, annotations, ...metadata }, spec: { ...HOST.spec, ...spec } };
}

export function object(spec: unknown, annotations: Fields = {}): Fields {
  return { metadata: { ...META, annotations }, spec };
}

type Rest = Partial<AdmissionRequest>;

/** What is wrong with creating it. */
export function created(kind: string, created: unknown, rest: Rest = {}): readonly string[] {
  return admit({ kind, version: 'v1alpha1', operation: 'CREATE', object: created, ...rest }).problems;
}

/** What is wrong with an update. */
export function updated(kind: string, oldObject: unknown, object: unknown, rest: Rest = {}): readonly string[] {
  return admit({ kind, version: 'v1alpha1', operation: 'UPDATE', object, oldObject, ...rest }).problems;
}
