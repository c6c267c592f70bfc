// The status that a host brings along in its annotation, as backups and moves between clusters leave it there.
import type { ErrorData } from '../../../../bus/errors.ts';
import { isMap, type JsonMap } from '../../json-values.ts';
import { parsedMap } from './json-text.ts';
import { inV1alpha1Names } from './rules/names.ts';
import { fitToShape, HOST_STATUS } from './shapes.ts';

export type RestoredStatus =
  | {
      readonly kind: 'done';
      /** Status by v1alpha1 names, with all fields that clients rely on. */
      readonly status: JsonMap;
      /** `status.hardware`, to be stored in HardwareData. Undefined if the status has no hardware. */
      readonly hardware: JsonMap | undefined;
    }
  | { readonly kind: 'failed'; readonly error: ErrorData };

/** Fields that are always there, with what they say when nothing is known. */
const NOTHING_KNOWN = {
  errorCount: 0,
  errorMessage: '',
  operationalStatus: '',
  poweredOn: false,
  provisioningFailCount: 0,
};
const NOTHING_PROVISIONED = { ID: '', image: { url: '' }, state: '' };

/**
 * The status that the annotation says. The text is of either version: where a field has another name in v1beta1, both are
 * understood, and the newer one counts if both are there. What no version knows is left out.
 *
 * @param text  value of `baremetalhost.metal3.io/status`
 */
export function restoredStatus(text: string): RestoredStatus {
  const parsed = parsedMap(text);
  if (parsed === undefined) return failed('the status annotation is not a JSON object');
  const { value, wrong } = fitToShape(inV1alpha1Names({ status: parsed })['status'], HOST_STATUS);
  if (wrong.length > 0) return failed(`the status annotation has a value of another type at ${wrong[0]}`);
  const known = value as JsonMap;
  const provisioning = { ...NOTHING_PROVISIONED, ...(known['provisioning'] as JsonMap | undefined) };
  const status = { ...NOTHING_KNOWN, ...known, provisioning };
  return { kind: 'done', status, hardware: isMap(known['hardware']) ? known['hardware'] : undefined };
}

const failed = (message: string): RestoredStatus => ({ kind: 'failed', error: { code: 'terminal', message } });
