// Maps of Cinder whose keys the user chooses, metadata and extra specs: in an object they are lists of names and values.
import { list, object, required, type Schema, string } from '../../api/contract/contract.ts';
import { observedMap, type StatusField } from './fields.ts';

export interface Label {
  readonly name: string;
  readonly value: string;
}

const LABEL = { maxLength: 255 };
const LABELS = { type: 'atomic', maxItems: 64 } as const;

/** A list of them in a spec. */
export function labels(description: string): Schema<readonly Label[]> {
  const label = object('One of them.', {
    name: required(string('name tells it from the others.', LABEL)),
    value: required(string('value is what it says.', LABEL)),
  });
  return list(description, label, LABELS);
}

/** As the service takes them. */
export function mapOf(all: readonly Label[]): Readonly<Record<string, string>> {
  return Object.fromEntries(all.map(({ name, value }) => [name, value]));
}

/** A list of them in a status, read from an attribute, by name. */
export function observedLabels(attribute: string, description: string): StatusField {
  return observedMap(attribute, description, {
    item: 'One of them.',
    maxItems: LABELS.maxItems,
    name: { name: string('name tells it from the others.', LABEL) },
    value: string('value is what it says.', LABEL),
  });
}
