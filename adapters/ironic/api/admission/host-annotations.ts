// Annotations that make a host do something: what they may say.
import { type JsonMap, mapOf, textOf } from '../../json-values.ts';
import { HARDWARE_SHAPE, STATUS_SHAPE } from './annotation-shapes.ts';
import { parseShaped, type Shape } from './shapes.ts';

const STATUS = 'baremetalhost.metal3.io/status';
const REBOOT = 'reboot.metal3.io';
const INSPECT = 'inspect.metal3.io';
const HARDWARE_DETAILS = 'inspect.metal3.io/hardwaredetails';

/** All that occur: the schema of the status knows no `detach error`. */
const ERROR_TYPES: readonly string[] = [
  '',
  'provisioned registration error',
  'registration error',
  'inspection error',
  'preparation error',
  'provisioning error',
  'power management error',
  'servicing error',
  'detach error',
];
const OPERATIONAL_STATUSES: readonly string[] = ['', 'OK', 'discovered', 'error', 'delayed', 'detached', 'servicing'];

const REBOOT_MODES: readonly string[] = ['', 'hard', 'soft'];
const REBOOT_SHAPE: Shape = { mode: 'string', force: 'boolean' };

export function isInspectionDisabled(host: JsonMap): boolean {
  return mapOf(host['spec'])['inspectionMode'] === 'disabled' || annotationsOf(host)[INSPECT] === 'disabled';
}

/** @param host  a BareMetalHost */
export function annotationProblems(host: JsonMap): readonly string[] {
  const annotations = annotationsOf(host);
  const mode = textOf(mapOf(host['spec'])['inspectionMode']);
  const found = [...rebootProblems(host)];
  found.push(...statusProblems(textOf(annotations[STATUS])));
  const inspect = textOf(annotations[INSPECT]);
  if (inspect !== '' && inspect !== 'disabled') {
    found.push(`invalid value for the ${INSPECT} annotation, allowed are "disabled" or ""`);
  }
  if (inspect === 'disabled' && mode !== '' && mode !== 'disabled') {
    found.push(`contradicting values: the ${INSPECT} annotation is "disabled" and inspectionMode is "${mode}"`);
  }
  const details = textOf(annotations[HARDWARE_DETAILS]);
  if (details !== '') {
    if (!isInspectionDisabled(host)) found.push('when hardware details are provided, inspection must be disabled');
    const { problem } = parseShaped(details, HARDWARE_SHAPE);
    if (problem !== undefined) found.push(`error decoding the ${HARDWARE_DETAILS} annotation: ${problem}`);
  }
  return found;
}

/** Problems of the annotations that request a reboot. */
export function rebootProblems(object: JsonMap): readonly string[] {
  return Object.entries(annotationsOf(object)).flatMap(([key, value]) => {
    if (key !== REBOOT && !key.startsWith(`${REBOOT}/`)) return [];
    const text = textOf(value);
    if (text === '') return [];
    const { value: asked, problem } = parseShaped(text, REBOOT_SHAPE, { unknownFields: 'ignored' });
    if (problem !== undefined) return [`failed to unmarshal the data from the ${key} annotation: ${problem}`];
    if (REBOOT_MODES.includes(textOf(mapOf(asked)['mode']))) return [];
    return [`invalid mode in the ${key} annotation, allowed are "hard", "soft" or ""`];
  });
}

function statusProblems(text: string): readonly string[] {
  if (text === '') return [];
  const { value, problem } = parseShaped(text, STATUS_SHAPE);
  if (problem !== undefined) return [`error decoding the status annotation: ${problem}`];
  const [operationalStatus, errorType] = ['operationalStatus', 'errorType'].map((key) => textOf(mapOf(value)[key]));
  return [
    ...(OPERATIONAL_STATUSES.includes(operationalStatus ?? '')
      ? []
      : [`invalid operationalStatus '${operationalStatus}' in the status annotation`]),
    ...(ERROR_TYPES.includes(errorType ?? '') ? [] : [`invalid errorType '${errorType}' in the status annotation`]),
  ];
}

function annotationsOf(object: JsonMap): JsonMap {
  return mapOf(mapOf(object['metadata'])['annotations']);
}
