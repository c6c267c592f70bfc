// A search as a tree, before its fields have types.

export type Relation = '=' | '!=' | '<' | '<=' | '>' | '>=' | '~=' | '~!';
export type Arithmetic = '*' | '/' | '%' | '+' | '-';

export interface Constant {
  readonly form: 'constant';
  readonly type: 'text' | 'number' | 'boolean';
  /** As written, without quotes; of a boolean in lower case. */
  readonly text: string;
  readonly at: number;
}

export interface FieldReference {
  readonly form: 'field';
  readonly parts: readonly string[];
  /** One word without quotes: on the right of a relation it may be a text. */
  readonly isBare: boolean;
  readonly at: number;
}

export interface Calculation {
  readonly form: 'calculation';
  readonly operator: Arithmetic;
  readonly left: Operand;
  readonly right: Operand;
  readonly at: number;
}

export type Term = FieldReference | Calculation;
export type Operand = Term | Constant;

export type Condition =
  | { readonly form: 'or' | 'and'; readonly parts: readonly Condition[] }
  | { readonly form: 'not'; readonly part: Condition }
  | { readonly form: 'compare'; readonly left: Term; readonly relation: Relation; readonly right: Operand }
  | {
      readonly form: 'like';
      readonly term: Term;
      readonly pattern: Constant;
      readonly ignoreCase: boolean;
      readonly negated: boolean;
    }
  | { readonly form: 'null'; readonly term: Term; readonly negated: boolean }
  | { readonly form: 'in'; readonly term: Term; readonly values: readonly Constant[]; readonly negated: boolean }
  | {
      readonly form: 'between';
      readonly term: Term;
      readonly low: Constant;
      readonly high: Constant;
      readonly negated: boolean;
    };
