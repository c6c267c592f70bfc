// References of a modeled object: the object that it belongs to, and the targets of its links, wherever in it they are.
import type { KubeObject } from '../../../machines/object.ts';
import type { StructType } from '../model/mod.ts';
import type { Field } from './fields.ts';
import type { ModelKind } from './kinds.ts';

export interface ModelReference {
  readonly type: StructType;
  readonly name: string;
  /** The object belongs to the target: for good. */
  readonly isParent: boolean;
  /** The target may go: the object goes with it. */
  readonly isHolder: boolean;
}

/** All references, each target once. */
export function referencesIn({ spec, status, parent }: ModelKind, object: KubeObject): readonly ModelReference[] {
  const found: ModelReference[] = [];
  const add = (type: StructType, name: unknown, isParent: boolean): void => {
    if (typeof name !== 'string' || name === '') return;
    if (!found.some((each) => each.type === type && each.name === name))
      found.push({ type, name, isParent, isHolder: isParent && parent?.isOfOne === true });
  };
  if (parent !== undefined) add(parent.type, object.spec?.[parent.property], true);
  collect(spec, object.spec, add);
  collect(status, object.status, add);
  return found;
}

function collect(
  fields: readonly Field[],
  value: unknown,
  add: (type: StructType, name: unknown, isParent: boolean) => void,
): void {
  if (typeof value !== 'object' || value === null) return;
  for (const { attribute, property, inner } of fields) {
    const member = (value as Readonly<Record<string, unknown>>)[property];
    if (member === undefined) continue;
    const { type, link } = attribute;
    if (link) {
      if (type.kind === 'class' || type.kind === 'struct') add(type, member, false);
    } else if (inner !== undefined) {
      const isMany = type.kind === 'list' || type.kind === 'map';
      const values = isMany && typeof member === 'object' && member !== null ? Object.values(member) : [member];
      for (const each of values) collect(inner.fields, each, add);
    }
  }
}
