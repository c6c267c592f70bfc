// Syntax tree of a file: its declarations, without their meaning.
//
// Every part keeps the place of its name; types are still names. The tree of a file with errors holds what
// could be read.
import type { Diagnostic } from './diagnostics.ts';
import type { Lexed } from './lexer.ts';
import type { Item, Literal, Place } from './model.ts';
import type { Name } from './names.ts';

export interface FileSyntax extends Lexed {
  readonly file: string;
  readonly text: string;
  readonly declarations: readonly Declaration[];
  /** Diagnostics of lexer and parser, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface Word {
  readonly name: Name;
  readonly place: Place;
}

export interface Mark {
  readonly name: string;
  readonly parameters: readonly MarkParameter[];
  /** From `@` to the end of the name. */
  readonly place: Place;
}

export interface MarkParameter {
  readonly name: string;
  readonly value: Literal;
  readonly place: Place;
}

/** Common members of all named parts. */
export interface Part {
  /** Members shared with the item made of it. */
  readonly item: Item;
  readonly marks: readonly Mark[];
  /** Indices of the notes that are its documentation. */
  readonly notes: readonly number[];
  /** Indices of its first and last token, marks included. */
  readonly first: number;
  readonly last: number;
  /** Something in it was not understood. */
  readonly broken: boolean;
}

export type Declaration = StructSyntax | EnumSyntax | ErrorSyntax | ResourceSyntax;

export interface StructSyntax extends Part {
  readonly form: 'class' | 'struct';
  readonly attributes: readonly AttributeSyntax[];
}

export interface AttributeSyntax extends Part {
  readonly link: boolean;
  readonly type: TypeSyntax;
}

export interface TypeSyntax {
  readonly form: 'plain' | 'list' | 'map';
  /** The type itself, or that of the elements. */
  readonly element: Word;
  /** Key type of a map. */
  readonly key: Word | undefined;
}

export interface EnumSyntax extends Part {
  readonly form: 'enum';
  readonly values: readonly Part[];
}

export interface ErrorSyntax extends Part {
  readonly form: 'error';
  readonly code: number;
}

export interface ResourceSyntax extends Part {
  readonly form: 'resource';
  readonly methods: readonly MethodSyntax[];
  readonly locators: readonly LocatorSyntax[];
}

export interface LocatorSyntax extends Part {
  readonly target: Word | undefined;
  readonly variable: boolean;
}

export interface MethodSyntax extends Part {
  readonly parameters: readonly ParameterSyntax[];
}

export interface ParameterSyntax extends Part {
  readonly input: boolean;
  readonly output: boolean;
  readonly type: TypeSyntax;
  readonly default: Literal | undefined;
}
