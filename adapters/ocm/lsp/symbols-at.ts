// Symbol at a place of a file, if there is one.
import type {
  AttributeSyntax,
  Declaration,
  FileSyntax,
  LocatorSyntax,
  Mark,
  MethodSyntax,
  ParameterSyntax,
  Part,
  Place,
  Token,
  TypeSyntax,
  Word,
} from '../model/mod.ts';

/** Something that can be pointed at: the name of a part, a type or a resource that is used, or a mark. */
export type Sight = { readonly place: Place } & (
  | { readonly what: 'declaration'; readonly part: Declaration }
  | { readonly what: 'attribute'; readonly part: AttributeSyntax }
  | { readonly what: 'value'; readonly part: Part }
  | { readonly what: 'method'; readonly part: MethodSyntax }
  | { readonly what: 'locator'; readonly part: LocatorSyntax }
  | { readonly what: 'parameter'; readonly part: ParameterSyntax }
  | { readonly what: 'type'; readonly word: Word }
  | { readonly what: 'resource'; readonly word: Word }
  | { readonly what: 'mark'; readonly mark: Mark }
);

/** @param offset  in UTF-16 units; directly behind a word still counts as at it */
export function sightAt(syntax: FileSyntax, offset: number): Sight | undefined {
  for (const sight of sightsOf(syntax)) {
    const { place } = sight;
    if (place.offset <= offset && offset <= place.offset + place.length) return sight;
  }
  return undefined;
}

/** All of a file. */
export function* sightsOf({ declarations, tokens }: FileSyntax): Generator<Sight> {
  for (const part of declarations) {
    yield* marksOf(part, tokens);
    yield { what: 'declaration', part, place: part.item.place };
    if (part.form === 'resource') {
      for (const locator of part.locators) yield* locatorSights(locator, tokens);
      for (const method of part.methods) yield* methodSights(method, tokens);
    } else if (part.form === 'enum') {
      for (const value of part.values) {
        yield* marksOf(value, tokens);
        yield { what: 'value', part: value, place: value.item.place };
      }
    } else if (part.form !== 'error') {
      for (const attribute of part.attributes) {
        yield* marksOf(attribute, tokens);
        yield { what: 'attribute', part: attribute, place: attribute.item.place };
        yield* typeSights(attribute.type);
      }
    }
  }
}

function* locatorSights(part: LocatorSyntax, tokens: readonly Token[]): Generator<Sight> {
  yield* marksOf(part, tokens);
  yield { what: 'locator', part, place: part.item.place };
  if (part.target !== undefined) yield { what: 'resource', word: part.target, place: part.target.place };
}

function* methodSights(part: MethodSyntax, tokens: readonly Token[]): Generator<Sight> {
  yield* marksOf(part, tokens);
  yield { what: 'method', part, place: part.item.place };
  for (const parameter of part.parameters) {
    yield* marksOf(parameter, tokens);
    yield { what: 'parameter', part: parameter, place: parameter.item.place };
    yield* typeSights(parameter.type);
  }
}

function* typeSights({ element, key }: TypeSyntax): Generator<Sight> {
  for (const word of key === undefined ? [element] : [key, element]) yield { what: 'type', word, place: word.place };
}

/** A mark reaches to the bracket behind its parameters. */
function* marksOf({ marks }: Part, tokens: readonly Token[]): Generator<Sight> {
  for (const mark of marks) {
    const last = mark.parameters.at(-1)?.place;
    const end = last && tokens.find(({ kind, offset }) => kind === ')' && offset > last.offset);
    const length = end === undefined ? mark.place.length : end.offset + 1 - mark.place.offset;
    yield { what: 'mark', mark, place: { ...mark.place, length } };
  }
}
