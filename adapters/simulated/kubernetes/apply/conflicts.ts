// The refusal of an apply that would take fields from other managers.
import type { ApiError } from '../base/api-error.ts';
import { applyConflict } from '../base/api-error.ts';
import { paths, pathText } from './field-sets.ts';
import type { Entry } from './managers.ts';
import type { Taking } from './ownership.ts';

export function conflictError(conflicts: readonly Taking[]): ApiError {
  const found = conflicts
    .flatMap(({ entry, taken }) => [...paths(taken)].map((path) => ({ who: shown(entry), field: pathText(path) })))
    .sort((left, right) => (left.who < right.who ? -1 : left.who > right.who ? 1 : 0));
  const causes = found.map(({ who, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${who}`,
    field,
  }));
  const [first] = found;
  if (found.length === 1 && first !== undefined) {
    return applyConflict(`Apply failed with 1 conflict: conflict with ${first.who}: ${first.field}`, causes);
  }
  const lines: string[] = [];
  let last = '';
  for (const { who, field } of found) {
    if (who !== last) lines.push(`conflicts with ${who}:`);
    last = who;
    lines.push(`- ${field}`);
  }
  return applyConflict(`Apply failed with ${found.length} conflicts: ${lines.join('\n')}`, causes);
}

function shown({ manager, subresource, operation, apiVersion }: Entry): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${part}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
