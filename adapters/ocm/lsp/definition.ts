// Definition of a used name: in another file or, through `@ref`, in another service.
import type { Mark, Place, Scope, TypeEntry } from '../model/mod.ts';
import type { Sight } from './symbols-at.ts';

/** @returns undefined for what is built in or does not exist */
export function definitionOf(sight: Sight, scope: Scope): Place | undefined {
  switch (sight.what) {
    case 'type':
      return scope.find(sight.word.name.key)?.syntax.item.place;
    case 'resource':
      return scope.resources.get(sight.word.name.key)?.item.place;
    case 'mark':
      return takenOver(sight.mark, scope)?.syntax.item.place;
    case 'declaration': {
      const mark = sight.part.marks.find(({ name }) => name === 'ref');
      return (mark && takenOver(mark, scope)?.syntax.item.place) ?? sight.place;
    }
    default:
      return sight.place;
  }
}

/** Content that a `@ref` copied into its version. */
export function takenOver({ name, parameters }: Mark, scope: Scope): TypeEntry | undefined {
  const path = parameters.findLast((parameter) => parameter.name === 'path')?.value;
  if (name !== 'ref' || typeof path !== 'string') return undefined;
  const segment = path.slice(path.lastIndexOf('/') + 1);
  return scope.copies.get(segment) ?? [...scope.copies.values()].find((entry) => entry.name.snake === segment);
}
