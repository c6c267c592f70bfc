// Type of a conversion rule. Every rule reads fields by their v1alpha1 names: the last rule on the way to v1beta1, the
// first on the way back, renames them.
import type { JsonMap } from '../../../json-values.ts';

/** One difference between the versions, both ways. Pure; what does not concern it stays as it is. */
export interface Rule {
  /** @param source  the v1alpha1 object as it came, before any rule */
  readonly toV1beta1: (object: JsonMap, source: JsonMap) => JsonMap;
  /**
   * @param old the v1alpha1 object that this v1beta1 object was made of; undefined if there is none, or it is unknown
   */
  readonly toV1alpha1: (object: JsonMap, old: JsonMap | undefined) => JsonMap;
}
