// Resources as clients see them: URLs, verbs, and what travels.
import type { Body, Locator, Method, Parameter, Resource } from '../model/mod.ts';
import type { Report } from './breaks.ts';
import { type CompareTypes, fate } from './types.ts';

export type CompareResources = (old: Resource, now: Resource, url: string) => void;

type CompareParameters = (old: Parameter, now: Parameter, what: string) => void;

/** Whose body it is, and what counts in it. */
interface BodyUse {
  readonly old: Method;
  readonly now: Method;
  readonly what: string;
  readonly compare: CompareParameters;
}

/** Compares two resources and all below them: a pair once, at the first of its URLs. */
export function resourceComparer(report: Report, compareTypes: CompareTypes): CompareResources {
  const compared = new Map<Resource, Set<Resource>>();

  const compare: CompareResources = (old, now, url) => {
    const others = compared.get(old) ?? new Set();
    compared.set(old, others);
    if (others.has(now)) return;
    others.add(now);
    for (const method of old.methods) {
      const operation = `${method.verb} ${url}${method.segment === undefined ? '' : `/${method.segment}`}`;
      const other = now.methods.find(({ verb, segment }) => verb === method.verb && segment === method.segment);
      if (other === undefined) report('method.removed', `'${operation}' was removed`, method.place);
      else compareMethods(method, other, operation);
    }
    for (const locator of old.locators) {
      const below = `${url}/${locator.variable ? `{${locator.segment}_id}` : locator.segment}`;
      const other = matching(locator, now.locators);
      if (other === undefined) report('locator.removed', `'${below}', and all below it, was removed`, locator.place);
      else compare(locator.target, other.target, below);
    }
  };
  const compareMethods = (old: Method, now: Method, operation: string): void => {
    if (old.status !== now.status) {
      const message = `'${operation}' answers with ${now.status} and did with ${old.status}`;
      report('method.status', message, old.place, now.place);
    }
    for (const parameter of old.query) {
      const other = now.query.find(({ queryName }) => queryName === parameter.queryName);
      const what = `query parameter '${parameter.queryName}' of '${operation}'`;
      if (other !== undefined) compareInputs(parameter, other, what);
      else {
        const renamed = now.query.find(({ name }) => name.key === parameter.name.key);
        report('query.removed', `${what} ${fate(renamed?.queryName)}`, parameter.place, renamed?.place);
      }
    }
    const request = { old, now, what: `the request of '${operation}'`, compare: compareInputs };
    compareBodies(old.requestBody, now.requestBody, request);
    const response = { old, now, what: `the response of '${operation}'`, compare: compareTypesOf };
    compareBodies(old.responseBody, now.responseBody, response);
  };
  const compareBodies = (old: Body, now: Body, of: BodyUse): void => {
    if (old.parameters.length === 0) return;
    const [value, newValue] = [old.parameters[0], now.parameters[0]];
    if (old.bare && now.bare && value !== undefined && newValue !== undefined) {
      of.compare(value, newValue, of.what);
      return;
    }
    if (old.bare !== now.bare) {
      const [is, was] = [now, old].map(({ bare, parameters }) =>
        bare ? 'a value' : parameters.length === 0 ? 'empty' : 'an object of fields',
      );
      report('body.shape', `${of.what} is ${is} and was ${was}`, of.old.place, of.now.place);
      return;
    }
    for (const parameter of old.parameters) {
      const other = now.parameters.find(({ wireName }) => wireName === parameter.wireName);
      const what = `field '${parameter.wireName}' of ${of.what}`;
      if (other !== undefined) of.compare(parameter, other, what);
      else {
        const renamed = now.parameters.find(({ name }) => name.key === parameter.name.key);
        report('field.removed', `${what} ${fate(renamed?.wireName)}`, parameter.place, renamed?.place);
      }
    }
  };
  const compareTypesOf: CompareParameters = (old, now, what) => {
    compareTypes(old.type, now.type, { what, old: old.place, now: now.place });
  };
  /** Omitted parameters get their defaults. */
  const compareInputs: CompareParameters = (old, now, what) => {
    compareTypesOf(old, now, what);
    if (old.default === now.default) return;
    const [is, was] = [now, old].map((each) => (each.default === undefined ? 'none' : JSON.stringify(each.default)));
    report('parameter.default', `the default of ${what} is ${is} and was ${was}`, old.place, now.place);
  };
  return compare;
}

/** Fixed parts of a URL match by their text; identifiers match whatever they are called, if there is just one. */
function matching(locator: Locator, others: readonly Locator[]): Locator | undefined {
  const alike = others.filter(({ variable }) => variable === locator.variable);
  const same = alike.find(({ segment }) => segment === locator.segment);
  return same ?? (locator.variable && alike.length === 1 ? alike[0] : undefined);
}
