// JSON in an annotation, which the API server does not look into: which fields it may have, and of which types.
import { isMap } from '../../json-values.ts';

/** `[shape]` is a list of them, an object the fields of one. Whatever it is, `null` does too: it is not said then. */
export type Shape =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'number'
  | 'time'
  | readonly [Shape]
  | { readonly [field: string]: Shape };

/** RFC 3339. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

const IS: Readonly<Record<Exclude<Shape, object>, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  time: (value) => typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)),
};

export interface Parsed {
  /** As it is, where there is no problem. */
  readonly value?: unknown;
  /** Path of the problem within the value; contains names of fields only, never content. */
  readonly problem?: string;
}

/** Reads JSON of a shape. A field that the shape does not have is a problem unless said otherwise. */
export function parseShaped(
  text: string,
  shape: Shape,
  { unknownFields = 'refused' }: { readonly unknownFields?: 'refused' | 'ignored' } = {},
): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'it is no JSON' }; // the parser's own words quote the content
  }
  const problem = problemOf(value, shape, '', unknownFields === 'refused');
  return problem === undefined ? { value } : { problem };
}

function problemOf(value: unknown, shape: Shape, path: string, isStrict: boolean): string | undefined {
  if (value === null) return undefined;
  const wrong = (type: string): string => `${path === '' ? 'it' : path} must be ${type}`;
  if (typeof shape === 'string') {
    return IS[shape](value) ? undefined : wrong(shape === 'integer' ? 'an integer' : `a ${shape}`);
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return wrong('a list');
    return firstOf(value.entries(), ([index, item]) => problemOf(item, shape[0], `${path}[${index}]`, isStrict));
  }
  if (!isMap(value)) return wrong('an object');
  return firstOf(Object.entries(value), ([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field !== undefined) return problemOf(member, field, at, isStrict);
    return isStrict ? `unknown field "${at}"` : undefined;
  });
}

function isList(shape: Exclude<Shape, string>): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function firstOf<T>(items: Iterable<T>, problem: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = problem(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
