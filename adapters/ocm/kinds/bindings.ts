// Bindings: which classes of a model become kinds of the Kubernetes API, and what the model language cannot say of them.
// They are a YAML file, `bindings.yaml` in the directory of the model unless another one is named.
import { parse } from 'yaml';
import type { JsonObject } from '../../../bus/bus.ts';
import { TerminalError } from '../../../bus/errors.ts';

/** Name of the file in the directory of a model. */
export const BINDINGS_FILE = 'bindings.yaml';

/** Names of the kind; made of the name of the class where absent. */
export interface KindNames {
  readonly kind?: string | undefined;
  readonly plural?: string | undefined;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
}

/** One class that becomes a kind. Names of services, versions, classes and attributes are those of the model. */
export interface Binding {
  readonly service: string;
  readonly version: string;
  readonly class: string;
  /** API group; `<service>.models.troupe.dev` where absent. */
  readonly group?: string | undefined;
  readonly names?: KindNames | undefined;
  /** Class whose instances these belong to, empty for none; that of the resource tree where absent. */
  readonly parent?: string | undefined;
  /** Attributes to take, dotted into structs; all where absent. */
  readonly attributes?: readonly string[] | undefined;
  /** Attributes that the owner of the objects sets: they become the status. The language has no mark for it. */
  readonly statusAttributes?: readonly string[] | undefined;
  /** Fragments of JSON schema by dotted property path, merged over the generated ones. */
  readonly overrides?: Readonly<Record<string, JsonObject>> | undefined;
  /** Columns of `kubectl get`, before the age. */
  readonly printerColumns?: readonly JsonObject[] | undefined;
}

/** Members of a binding, and what each has to be. */
const MEMBERS: Readonly<Record<keyof Binding, (value: unknown) => boolean>> = {
  service: isText,
  version: isText,
  class: isText,
  group: isText,
  names: isNames,
  parent: isText,
  attributes: isTexts,
  statusAttributes: isTexts,
  overrides: (value) => isMap(value) && Object.values(value).every(isMap),
  printerColumns: (value) => Array.isArray(value) && value.every(isMap),
};
const NEEDED = ['service', 'version', 'class'] as const;
const NAMES: Readonly<Record<keyof KindNames, (value: unknown) => boolean>> = {
  kind: isText,
  plural: isText,
  singular: isText,
  shortNames: isTexts,
  categories: isTexts,
};

/**
 * Reads the text of a bindings file.
 *
 * @param file  its path, for messages
 * @throws {TerminalError} it is no YAML, or says something that a binding has not
 */
export function parseBindings(text: string, file: string): readonly Binding[] {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new TerminalError(`${file}: ${(error as Error).message}`, { cause: error });
  }
  const kinds = isMap(content) ? content['kinds'] : undefined;
  if (!isMap(content) || !Array.isArray(kinds)) throw new TerminalError(`${file}: expected a list 'kinds'`);
  const other = Object.keys(content).find((name) => name !== 'kinds');
  if (other !== undefined) throw new TerminalError(`${file}: unknown member '${other}'; there is 'kinds'`);
  return kinds.map((each: unknown, index) => bindingOf(each, `${file}: kinds[${index}]`));
}

function bindingOf(value: unknown, place: string): Binding {
  if (!isMap(value)) throw new TerminalError(`${place}: expected service, version and class`);
  for (const name of NEEDED) if (!Object.hasOwn(value, name)) throw new TerminalError(`${place}: '${name}' is missing`);
  for (const [name, member] of Object.entries(value)) {
    const isRight = Object.hasOwn(MEMBERS, name) ? MEMBERS[name as keyof Binding] : undefined;
    if (isRight === undefined) {
      throw new TerminalError(`${place}: unknown member '${name}'; there are ${Object.keys(MEMBERS).join(', ')}`);
    }
    if (!isRight(member)) throw new TerminalError(`${place}: '${name}' has another type than expected`);
  }
  return value as unknown as Binding;
}

function isNames(value: unknown): boolean {
  return (
    isMap(value) &&
    Object.entries(value).every(
      ([name, member]) => Object.hasOwn(NAMES, name) && NAMES[name as keyof KindNames](member) === true,
    )
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
