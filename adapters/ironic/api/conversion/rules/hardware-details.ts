// R2: v1beta1 keeps what was found in a host in HardwareData alone.
import { changedAt, restoredAt } from '../paths.ts';
import type { Rule } from './rule.ts';

export const HARDWARE = ['status', 'hardware'] as const;

export const hardwareDetails: Rule = {
  toV1beta1: (object) => changedAt(object, HARDWARE, () => undefined),
  toV1alpha1: (object, old) => restoredAt(object, HARDWARE, old ?? {}),
};
