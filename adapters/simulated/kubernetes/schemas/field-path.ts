// Paths in definitions that point at fields of a schema: `.spec.size`, `.spec.labels['a.b']`.
import { isMap, type JsonMap, mapOf } from '../../../text/json.ts';

export type FoundPath = { readonly path: string; readonly schema: JsonMap } | { readonly problem: string };

/** Whether the path of a rule leads to a field below its schema. */
export function isRulePath(schema: JsonMap, text: string): boolean {
  return !('problem' in followPath(schema, text, { brackets: 'allowed' }));
}

/**
 * Follows a path through a schema.
 *
 * @returns the path as messages write it and what is there, or why it leads nowhere
 */
export function followPath(
  schema: JsonMap,
  text: string,
  { brackets }: { readonly brackets: 'allowed' | 'refused' },
): FoundPath {
  const tokens = text.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/g) ?? [];
  let found = schema;
  let path = '';
  const step = (name: string): string | undefined => {
    if (isMap(found['properties'])) {
      const child = found['properties'][name];
      if (child === undefined) return 'does not refer to a valid field';
      path = path === '' ? name : `${path}.${name}`;
      found = mapOf(child);
    } else if (isMap(found['additionalProperties'])) {
      path = `${path}[${name}]`;
      found = found['additionalProperties'];
    } else return 'does not refer to a valid field';
    return undefined;
  };
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    const next = tokens[index + 1];
    let problem: string | undefined;
    if (token === '.') {
      index += 1;
      problem = next === undefined ? 'unexpected end of JSON path' : step(next);
    } else if (token === '[') {
      const close = tokens[index + 2];
      index += 2;
      if (brackets === 'refused') problem = 'array notation is not allowed';
      else if (next === undefined) problem = 'unexpected end of JSON path';
      else if (!/^'.*'$/s.test(next) || next.length < 2) problem = `expected single quoted string but got ${next}`;
      else problem = step(next.slice(1, -1).replaceAll(/\\(.)/g, '$1')) ?? closing(close);
    } else problem = `expected [ or . but got: ${token}`;
    if (problem !== undefined) return { problem };
  }
  return { path, schema: found };
}

function closing(token: string | undefined): string | undefined {
  if (token === undefined) return 'unexpected end of JSON path';
  return token === ']' ? undefined : `expected ] but got ${token}`;
}
