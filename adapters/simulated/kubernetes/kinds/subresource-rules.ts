// Rules for the subresources of a CustomResourceDefinition.
import { dig, isMap, stringOf } from '../../../text/json.ts';
import { type FieldError, invalidValue, required } from '../base/field-error.ts';

/** @param path  of `subresources` in the definition */
export function subresourceErrors(subresources: unknown, path: string): FieldError[] {
  const scale = dig(subresources, 'scale');
  if (!isMap(scale)) return [];
  const check = (key: string, roots: readonly string[], where: string): FieldError[] => {
    const [field, value] = [`${path}.scale.${key}`, stringOf(scale[key])];
    if (value === '') return key === 'labelSelectorPath' ? [] : [required(field)];
    if (!value.startsWith('.')) return [invalidValue(field, value, 'must be a simple json path starting with .')];
    if (roots.some((root) => value.startsWith(`.${root}.`))) return [];
    return [invalidValue(field, value, `should be a json path under ${where}`)];
  };
  return [
    ...check('specReplicasPath', ['spec'], '.spec'),
    ...check('statusReplicasPath', ['status'], '.status'),
    ...check('labelSelectorPath', ['spec', 'status'], 'either .spec or .status'),
  ];
}
