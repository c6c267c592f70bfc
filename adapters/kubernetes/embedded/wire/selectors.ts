// labelSelector and fieldSelector of lists, watches and deletions of collections.

import type { KubeObject } from '../json.ts';
import { inVersion, type Resource } from '../kinds/resources.ts';
import { keyProblems, labelValueProblems } from '../objects/names.ts';
import type { Facts, Stored } from '../storage/stored.ts';
import { badRequest } from './api-error.ts';

/** What a selector looks at. */
export interface Candidate {
  readonly metadata: Facts;
  /** In the version of the request; made when a selector asks for more than the metadata. */
  readonly object: KubeObject;
}

/** Whether an object is wanted. */
export type Selector = (candidate: Candidate) => boolean;

export function candidate(resource: Resource, stored: Stored): Candidate {
  return {
    metadata: stored.metadata,
    get object() {
      return inVersion(resource, stored.object);
    },
  };
}

interface Requirement {
  readonly key: string;
  readonly test: (value: string | undefined) => boolean;
}

/** Splits at commas outside parentheses. */
function clauses(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '(') depth++;
    else if (text[index] === ')') depth--;
    else if (text[index] === ',' && depth === 0) {
      found.push(text.slice(start, index));
      start = index + 1;
    }
  }
  found.push(text.slice(start));
  return found.map((clause) => clause.trim()).filter((clause) => clause !== '');
}

function labelRequirement(clause: string): Requirement {
  const isIn = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(clause);
  if (isIn !== null) {
    const [, key = '', operator, list = ''] = isIn;
    const values = new Set(list.split(',').map((value) => value.trim()));
    for (const value of values) checkValue(value);
    const isMember = (value: string | undefined): boolean => value !== undefined && values.has(value);
    return { key: checkedKey(key), test: operator === 'in' ? isMember : (value) => !isMember(value) };
  }
  const compared = /^([^=!<>\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(clause);
  if (compared !== null) {
    const [, key = '', operator, wanted = ''] = compared;
    checkValue(wanted);
    const test =
      operator === '!='
        ? (value: string | undefined): boolean => value !== wanted
        : (value: string | undefined): boolean => value === wanted;
    return { key: checkedKey(key), test };
  }
  const ordered = /^([^=!<>\s]+)\s*([<>])\s*(-?\d+)$/.exec(clause);
  if (ordered !== null) {
    const [, key = '', operator, bound = ''] = ordered;
    const test = (value: string | undefined): boolean =>
      value !== undefined &&
      /^-?\d+$/.test(value) &&
      (operator === '<' ? Number(value) < Number(bound) : Number(value) > Number(bound));
    return { key: checkedKey(key), test };
  }
  const existence = /^(!?)\s*(\S+)$/.exec(clause);
  if (existence === null) {
    const [, second = ''] = clause.split(/\s+/);
    throw badRequest(`unable to parse requirement: found '${second}', expected: in, notin, =, ==, !=, gt, lt`);
  }
  const [, negated, key = ''] = existence;
  return { key: checkedKey(key), test: (value) => (value === undefined) === (negated === '!') };
}

function checkedKey(key: string): string {
  const [problem] = keyProblems(key);
  if (problem !== undefined)
    throw badRequest(`unable to parse requirement: <nil>: Invalid value: "${key}": ${problem}`);
  return key;
}

function checkValue(value: string): void {
  const [problem] = labelValueProblems(value);
  if (problem !== undefined)
    throw badRequest(`unable to parse requirement: values[0][]: Invalid value: "${value}": ${problem}`);
}

/** @throws {ApiError} 400 the text is no selector */
export function labelSelector(text: string): Selector | undefined {
  const requirements = clauses(text).map(labelRequirement);
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
  for (const clause of clauses(text)) {
    const match = /^(.*?)(==|!=|=)(.*)$/.exec(clause);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${clause}'`);
    const [, name = '', operator, wanted = ''] = match;
    const read = fieldReader(resource, name);
    if (name === 'metadata.name' && operator !== '!=') single = wanted;
    tests.push((one) => (read(one) === wanted) === (operator !== '!='));
  }
  return { selector: tests.length === 0 ? undefined : (one) => tests.every((test) => test(one)), name: single };
}

function fieldReader(resource: Resource, name: string): (candidate: Candidate) => string {
  if (name === 'metadata.name') return ({ metadata }) => metadata.name ?? '';
  if (name === 'metadata.namespace' && (resource.namespaced || !resource.builtin)) {
    return ({ metadata }) => metadata.namespace ?? '';
  }
  const read = resource.selectable[name];
  if (read !== undefined) return ({ object }) => read(object);
  const problem = resource.builtin
    ? `"${name}" is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${name}`;
  throw badRequest(problem);
}

/** Both selectors in one; undefined when everything is wanted. */
export function both(left: Selector | undefined, right: Selector | undefined): Selector | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return (one) => left(one) && right(one);
}
