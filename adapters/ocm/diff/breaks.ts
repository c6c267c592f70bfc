// Changes that break clients: the rules, and where one was broken.
import type { Place } from '../model/mod.ts';

/** Breaking changes, by rule. A client is a program that was written, or generated, against the old model. */
export const RULES = {
  'service.removed': 'a service was removed',
  'version.removed': 'a version of a service was removed',
  'locator.removed': 'a URL, and all below it, was removed',
  'method.removed': 'a URL no longer has a verb',
  'method.status': 'success has another HTTP status',
  'query.removed': 'a query parameter was removed: its function is no longer done',
  'field.removed': 'a body no longer has a field',
  'body.shape': 'a body that was a value became an object of fields, or the other way round',
  'parameter.default': 'callers that leave a parameter out get another value',
  'type.removed': 'a class, struct or enum was removed: code generated from it does not compile',
  'type.changed': 'a value has another shape in JSON',
  'type.kind': "objects of a class have another 'kind', or none, nor 'id' and 'href'",
  'attribute.removed': 'an object no longer has a property',
  'attribute.link': 'an object became a reference to one, or the other way round',
  'value.removed': 'an enum no longer has a value',
  'error.removed': 'an error was removed',
  'error.code': 'an error has another code',
} as const;
export type Rule = keyof typeof RULES;

export interface Break {
  readonly rule: Rule;
  readonly message: string;
  /** Whose clients break: names as in the URL. */
  readonly service: string;
  /** Undefined if the whole service was removed. */
  readonly version: string | undefined;
  /** In the old model. */
  readonly old: Place;
  /** Place in the new model; undefined if it was removed. */
  readonly new: Place | undefined;
}

/** Takes what was found. */
export type Report = (rule: Rule, message: string, old: Place, now?: Place) => void;
