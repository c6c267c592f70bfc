// labelSelector and fieldSelector of lists, watches and deletions of collections.

import { badRequest } from '../base/api-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Resource } from '../resources/api.ts';
import { inVersion } from '../resources/registry.ts';
import type { Facts, Stored } from '../storage/stored.ts';
import { labelRequirements } from './label-selectors.ts';

/** Object that a selector reads. */
export interface Candidate {
  readonly metadata: Facts;
  /** In the version of the request; made when a selector asks for more than the metadata. */
  readonly object: KubeObject;
}

/** Whether an object is wanted. */
export type Selector = (candidate: Candidate) => boolean;

export function candidate(resource: Resource, stored: Stored): Candidate {
  return {
    // A webhook may change labels; without one, metadata is the same in all versions.
    get metadata() {
      return resource.versions?.webhook === undefined ? stored.metadata : this.object.metadata;
    },
    get object() {
      return inVersion(resource, stored.object);
    },
  };
}

/** @throws {ApiError} 400 the text is no selector */
export function labelSelector(text: string): Selector | undefined {
  const requirements = labelRequirements(text);
  if (requirements.length === 0) return undefined;
  return ({ metadata: { labels = {} } }) =>
    requirements.every(({ key, test }) => test(Object.hasOwn(labels, key) ? labels[key] : undefined));
}

/**
 * @returns the selector, and the name when it asks for a single one
 * @throws {ApiError} 400 the text is no selector, or names a field that cannot be selected by
 */
export function fieldSelector(
  resource: Resource,
  text: string,
): { readonly selector: Selector | undefined; readonly name: string | undefined } {
  const tests: Selector[] = [];
  let single: string | undefined;
  for (const clause of fieldClauses(text)) {
    const match = /^((?:\\.|[^\\])*?)(==|!=|=)(.*)$/s.exec(clause);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${clause}'`);
    const [, name = '', operator, escaped = ''] = match;
    const wanted = unescapedValue(escaped);
    const read = fieldReader(resource, name);
    if (name === 'metadata.name' && operator !== '!=') single = wanted;
    tests.push((one) => (read(one) === wanted) === (operator !== '!='));
  }
  return { selector: tests.length === 0 ? undefined : (one) => tests.every((test) => test(one)), name: single };
}

/** Splits at commas, but for those behind a backslash. */
function fieldClauses(text: string): string[] {
  return text.match(/(?:\\.|[^,\\])+/gs) ?? [];
}

/** @throws {ApiError} 400 a character that needs a backslash has none, or another has one */
function unescapedValue(value: string): string {
  return value.replaceAll(/\\(.?)|[=,]/gs, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`);
    }
    if (!['\\', ',', '='].includes(escaped)) {
      throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
    }
    return escaped;
  });
}

function fieldReader(resource: Resource, name: string): (candidate: Candidate) => string {
  if (name === 'metadata.name') return ({ metadata }) => metadata.name ?? '';
  // Kinds with fields of their own name what they have; the others know these two, whatever their scope.
  const isPlain = resource.builtin && Object.keys(resource.selectable).length === 0;
  if (name === 'metadata.namespace' && (resource.namespaced || isPlain)) {
    return ({ metadata }) => metadata.namespace ?? '';
  }
  const read = resource.selectable[name];
  if (read !== undefined) return ({ object }) => read(object);
  const problem = isPlain
    ? `"${name}" is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${name}`;
  throw badRequest(problem);
}

/** Both selectors in one; undefined when everything is wanted. */
export function both(left: Selector | undefined, right: Selector | undefined): Selector | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return (one) => left(one) && right(one);
}
