// Scale, of autoscaling/v1: what the scale subresource of a custom resource is read and written as. It is kept
// nowhere: it is made from the object, and what a client changes in it goes back into the object.

import { isMap, type JsonMap, put, stringOf } from '../../../text/json.ts';
import type { Column, Resource, ScalePaths } from '../api.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { type FieldError, invalidValue } from '../schemas/field-error.ts';
import { plainFailure } from '../wire/api-error.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../wire/columns.ts';
import { goText, goType } from '../wire/go-values.ts';
import { builtin } from './builtins.ts';

/** The greatest number of replicas. */
const MAX_INT32 = 2 ** 31 - 1;

/** Stands for "the object says nothing": the smallest number that fits the field. */
export const UNSET_REPLICAS = -(2 ** 31);

const replicasColumn = (name: string, description: string, field: 'spec' | 'status'): Column => ({
  name,
  type: 'integer',
  format: '',
  description,
  priority: 0,
  cell: (object) => {
    const part = object[field];
    return isMap(part) ? (part['replicas'] ?? null) : null;
  },
});

export const SCALE: Resource = builtin({
  group: 'autoscaling',
  version: 'v1',
  plural: 'scales',
  kind: 'Scale',
  namespaced: true,
  columns: [
    NAME_COLUMN,
    replicasColumn('Desired', 'Number of desired replicas', 'spec'),
    replicasColumn('Available', 'Number of actual replicas', 'status'),
    AGE_COLUMN,
  ],
});

const stepsOf = (path: string): string[] => path.replace(/^\./, '').split('.');

/** What is at a path: a value or nothing, or why it is not what a Scale has there. */
type Found = { readonly value: unknown } | { readonly problem: string };

function lookUp(object: KubeObject, path: string, type: 'int64' | 'string'): Found {
  let found: unknown = object;
  const steps = stepsOf(path);
  for (const [index, step] of steps.entries()) {
    if (!isMap(found)) return { problem: wrongType(steps.slice(0, index), found, 'map[string]interface {}') };
    if (!Object.hasOwn(found, step)) return { value: undefined };
    found = found[step];
  }
  return goType(found) === type ? { value: found } : { problem: wrongType(steps, found, type) };
}

const wrongType = (steps: readonly string[], value: unknown, expected: string): string =>
  `.${steps.join('.')} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`;

function valueAt(object: KubeObject, path: string, type: 'int64' | 'string'): unknown {
  const found = lookUp(object, path, type);
  if ('problem' in found) throw plainFailure(found.problem);
  return found.value;
}

function integerAt(object: KubeObject, path: string): number | undefined {
  const value = valueAt(object, path, 'int64');
  return typeof value === 'number' ? value | 0 : undefined;
}

export interface FoundScale {
  readonly scale: KubeObject;
  /** Whether the object says how many replicas it wants. */
  readonly found: boolean;
}

/** The Scale of an object. @throws {ApiError} 500 a path leads to something else than what a Scale has there */
export function scaleOf(object: KubeObject, paths: ScalePaths): FoundScale {
  const { name = '', namespace, uid = '', resourceVersion = '', creationTimestamp = null } = object.metadata;
  const replicas = integerAt(object, paths.specReplicas);
  const selector = paths.labelSelector === '' ? '' : stringOf(valueAt(object, paths.labelSelector, 'string'));
  const scale: KubeObject = {
    kind: SCALE.kind,
    apiVersion: SCALE.apiVersion,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: (replicas ?? 0) === 0 ? {} : { replicas },
    status: { replicas: integerAt(object, paths.statusReplicas) ?? 0, ...(selector === '' ? {} : { selector }) },
  };
  return { scale, found: replicas !== undefined };
}

/** Why something is no Scale, in the words of the decoder, or undefined. */
export function scaleProblem({ apiVersion, kind, spec, status }: JsonMap): string | undefined {
  if (apiVersion !== SCALE.apiVersion || kind !== SCALE.kind) {
    const version = JSON.stringify(stringOf(apiVersion));
    return `no kind ${JSON.stringify(stringOf(kind))} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`;
  }
  const wrong = (value: unknown, struct: string, field: string, type: string): string =>
    `json: cannot unmarshal ${jsonWord(value)} into Go struct field ${struct}.${field} of type ${type}`;
  for (const [part, struct, field] of [
    [spec, 'ScaleSpec', 'spec'],
    [status, 'ScaleStatus', 'status'],
  ] as const) {
    if (part === undefined || part === null) continue;
    if (!isMap(part)) return wrong(part, 'Scale', field, `v1.${struct}`);
    const { replicas = null, selector = null } = part;
    if (replicas !== null && (typeof replicas !== 'number' || (replicas | 0) !== replicas)) {
      return wrong(replicas, struct, `${field}.replicas`, 'int32');
    }
    if (field === 'status' && selector !== null && typeof selector !== 'string') {
      return wrong(selector, struct, `${field}.selector`, 'string');
    }
  }
  return undefined;
}

function jsonWord(value: unknown): string {
  if (typeof value === 'number') return `number ${value}`;
  return typeof value === 'boolean' ? 'bool' : Array.isArray(value) ? 'array' : typeof value;
}

/** Puts the wanted number where the object has it. Changes `object` in place. */
export function setReplicas(object: KubeObject, { specReplicas }: ScalePaths, replicas: number): void {
  let map: JsonMap = object;
  const steps = stepsOf(specReplicas);
  const last = steps.pop() ?? '';
  for (const [index, step] of steps.entries()) {
    const next = map[step] ?? {};
    if (!isMap(next)) throw plainFailure(wrongType(steps.slice(0, index + 1), next, 'map[string]interface {}'));
    put(map, step, next);
    map = next;
  }
  put(map, last, replicas);
}

/** What keeps the numbers of an object from being those of a Scale. */
export function scaleErrors(object: KubeObject, paths: ScalePaths, subresource: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (path: string): void => {
    const found = lookUp(object, path, 'int64');
    if ('problem' in found) errors.push(invalidValue(path, 0, found.problem));
    else if (Number(found.value) < 0) errors.push(invalidValue(path, found.value, 'should be a non-negative integer'));
    else if (Number(found.value) > MAX_INT32) {
      errors.push(invalidValue(path, found.value, `should be less than or equal to ${MAX_INT32}`));
    }
  };
  if (subresource !== 'status') check(paths.specReplicas);
  check(paths.statusReplicas);
  if (paths.labelSelector !== '') {
    const found = lookUp(object, paths.labelSelector, 'string');
    if ('problem' in found) errors.push(invalidValue(paths.labelSelector, '', found.problem));
  }
  return errors;
}
