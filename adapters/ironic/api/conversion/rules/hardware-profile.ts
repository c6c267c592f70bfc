// R1: v1beta1 has no hardware profiles, and behaves like `empty`.
import type { JsonMap } from '../../../json-values.ts';
import { changedAt, restoredAt } from '../paths.ts';
import { areWrittenHintsGone } from './profile-hints.ts';
import type { Rule } from './rule.ts';

const ASKED = ['spec', 'hardwareProfile'] as const;
const RECORDED = ['status', 'hardwareProfile'] as const;

/** The profile that gives no hints. */
const EMPTY_PROFILE = 'empty';

export const hardwareProfile: Rule = {
  toV1beta1: (object) => withProfiles(object, undefined),
  toV1alpha1(object, old) {
    // Any other profile would bring back the hints that were removed.
    if (old === undefined || areWrittenHintsGone(object, old)) return withProfiles(object, EMPTY_PROFILE);
    return restoredAt(restoredAt(object, ASKED, old), RECORDED, old);
  },
};

function withProfiles(object: JsonMap, asked: string | undefined): JsonMap {
  return changedAt(
    changedAt(object, ASKED, () => asked),
    RECORDED,
    () => undefined,
  );
}
