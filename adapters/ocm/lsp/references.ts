// References: all places of a model with the same declaration.
import { BUILT_IN_TYPES, type Place, type Workspace } from '../model/mod.ts';
import { definitionOf } from './definition.ts';
import { type Sight, sightsOf } from './symbols-at.ts';

export interface Use {
  readonly sight: Sight;
  /** It is the declaration itself. */
  readonly declares: boolean;
}

/** @param place  of a declaration's name @returns its uses in all files of the model, the declaration among them */
export function usesOf(place: Place, workspace: Workspace): Use[] {
  return workspace.files().flatMap((file) => {
    const [syntax, scope] = [workspace.syntax(file), workspace.scope(file)];
    if (syntax === undefined || scope === undefined) return [];
    return [...sightsOf(syntax)].flatMap((sight): Use[] => {
      const found = definitionOf(sight, scope);
      if (found === undefined || !isSame(found, place)) return [];
      return [{ sight, declares: isSame(sight.place, place) }];
    });
  });
}

/** Why something cannot have another name, or the places that get it. */
export type Renaming =
  | { readonly refusal: string; readonly places?: never }
  | { readonly refusal?: never; readonly places: readonly Place[] };

/** Reason why a symbol cannot be renamed. */
export function refusalOf(sight: Sight, definition: Place | undefined, workspace: Workspace): string | undefined {
  if (sight.what === 'mark') return 'a mark is a word of the language';
  if (sight.what === 'type' && BUILT_IN_TYPES.has(sight.word.name.key)) return 'the type is built in';
  if (definition === undefined) return 'nothing of this name is defined';
  const isRoot =
    (sight.what === 'resource' && sight.word.name.key === 'root') ||
    (sight.what === 'declaration' && sight.part.form === 'resource' && sight.part.item.name.key === 'root');
  if (isRoot) return "the resource 'Root' is what a version begins with";
  const taken = usesOf(definition, workspace).some(({ sight: { what } }) => what === 'mark');
  return taken ? "'@ref' takes the class over by its name: it has to be renamed by hand" : undefined;
}

/** @param name  an identifier */
export function renaming(sight: Sight, name: string, workspace: Workspace): Renaming {
  const scope = workspace.scope(sight.place.file);
  const definition = scope && definitionOf(sight, scope);
  const refusal = refusalOf(sight, definition, workspace);
  if (refusal !== undefined || definition === undefined || scope === undefined) return { refusal: refusal ?? '' };
  const { key } = workspace.nameOf(name);
  const isResource = sight.what === 'resource' || (sight.what === 'declaration' && sight.part.form === 'resource');
  const isType =
    sight.what === 'type' ||
    (sight.what === 'declaration' && sight.part.form !== 'resource' && sight.part.form !== 'error');
  const other = isResource
    ? scope.resources.get(key)?.item.place
    : isType
      ? scope.find(key)?.syntax.item.place
      : undefined;
  if ((isType && BUILT_IN_TYPES.has(key)) || (other !== undefined && !isSame(other, definition))) {
    return { refusal: `'${name}' is the name of another` };
  }
  return { places: usesOf(definition, workspace).map(({ sight: { place } }) => place) };
}

function isSame(left: Place, right: Place): boolean {
  return left.file === right.file && left.offset === right.offset;
}
