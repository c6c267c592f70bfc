// The grammar of searches, by recursive descent: a kept parser would be larger than this, and its errors without positions.
//
// Invariants:
//   OCM-PARSER-1. Whatever a client sends is parsed in time that grows with its length, and never deeper than MOST_NESTED.
import type { Arithmetic, Condition, Constant, FieldReference, Operand, Relation, Term } from './syntax.ts';
import { notParsed, type Token, tokensOf } from './tokens.ts';

const MOST_NESTED = 50;
const RELATIONS: Readonly<Record<string, Relation>> = {
  '=': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  '~=': '~=',
  '~!': '~!',
};
const PRODUCTS: ReadonlySet<string> = new Set(['*', '/', '%']);
const SUMS: ReadonlySet<string> = new Set(['+', '-']);
const KEYWORDS: ReadonlySet<string> = new Set('and or not like ilike is null in between true false'.split(' '));

/**
 * @returns undefined for a search that is empty or blank
 * @throws {RefusedRequest} 400, the reason begins `Failed to parse search query`
 */
export function parseSearch(search: string): Condition | undefined {
  const tokens = tokensOf(search);
  return tokens.length === 1 ? undefined : new Parser(search, tokens).whole();
}

class Parser {
  readonly #search: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #nested = 0;

  constructor(search: string, tokens: readonly Token[]) {
    this.#search = search;
    this.#tokens = tokens;
  }

  whole(): Condition {
    const condition = this.#disjunction();
    if (this.#token.kind !== 'end') this.#unexpected("'and', 'or' or the end");
    return condition;
  }

  #disjunction(): Condition {
    const parts = [this.#conjunction()];
    while (this.#takeWord('or')) parts.push(this.#conjunction());
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? only : { form: 'or', parts };
  }

  #conjunction(): Condition {
    const parts = [this.#negation()];
    while (this.#takeWord('and')) parts.push(this.#negation());
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? only : { form: 'and', parts };
  }

  #negation(): Condition {
    if (this.#takeWord('not')) return this.#deeper(() => ({ form: 'not', part: this.#negation() }));
    // A parenthesis begins a condition or a term: the one that parses.
    if (!this.#isSymbol('(')) return this.#test();
    return this.#isTermAhead() ? this.#test() : this.#deeper(() => this.#inParentheses(() => this.#disjunction()));
  }

  /** Whether what is between this parenthesis and its partner is used as a number: a relation or an operator follows. */
  #isTermAhead(): boolean {
    let open = 0;
    for (let at = this.#next; at < this.#tokens.length; at++) {
      const token = this.#tokens[at];
      if (token?.kind !== 'symbol') continue;
      if (token.value === '(') open += 1;
      if (token.value === ')') open -= 1;
      if (open > 0) continue;
      const after = this.#tokens[at + 1];
      if (after?.kind === 'symbol') return after.value !== ')' && after.value !== '(';
      return after?.kind === 'name' && !['and', 'or'].includes(after.value.toLowerCase());
    }
    return false;
  }

  #test(): Condition {
    const term = this.#term();
    const relation = this.#token.kind === 'symbol' ? RELATIONS[this.#token.value] : undefined;
    if (relation !== undefined) {
      this.#next++;
      return { form: 'compare', left: term, relation, right: this.#operand() };
    }
    if (this.#takeWord('is')) return this.#is(term);
    const negated = this.#takeWord('not');
    if (this.#takeWord('in')) return { form: 'in', term, values: this.#list(), negated };
    if (this.#takeWord('like')) return { form: 'like', term, pattern: this.#text(), ignoreCase: false, negated };
    if (this.#takeWord('ilike')) return { form: 'like', term, pattern: this.#text(), ignoreCase: true, negated };
    if (!this.#takeWord('between')) return this.#unexpected(negated ? "'in', 'like' or 'between'" : 'a comparison');
    const low = this.#constant();
    if (!this.#takeWord('and')) this.#unexpected("'and'");
    return { form: 'between', term, low, high: this.#constant(), negated };
  }

  #is(term: Term): Condition {
    const negated = this.#takeWord('not');
    if (this.#takeWord('null')) return { form: 'null', term, negated };
    return { form: 'compare', left: term, relation: negated ? '!=' : '=', right: this.#constant() };
  }

  #list(): Constant[] {
    return this.#inParentheses(() => {
      const values: Constant[] = [];
      if (this.#isSymbol(')')) return values;
      do values.push(this.#constant());
      while (this.#takeSymbol(','));
      return values;
    });
  }

  /** A term that has a field in it. */
  #term(): Term {
    const { at } = this.#token;
    const operand = this.#operand();
    return operand.form === 'constant' ? notParsed(this.#search, at, 'a field is expected') : operand;
  }

  #operand(): Operand {
    return this.#chain(SUMS, () => this.#chain(PRODUCTS, () => this.#factor()));
  }

  #chain(operators: ReadonlySet<string>, part: () => Operand): Operand {
    let left = part();
    // Longer chains would be deeper trees.
    for (let length = 1; this.#token.kind === 'symbol' && operators.has(this.#token.value); length++) {
      const { value, at } = this.#token;
      if (length > MOST_NESTED) notParsed(this.#search, at, `the calculation has more than ${MOST_NESTED} operators`);
      this.#next++;
      left = { form: 'calculation', operator: value as Arithmetic, left, right: part(), at };
    }
    return left;
  }

  #factor(): Operand {
    if (this.#isSymbol('(')) return this.#deeper(() => this.#inParentheses(() => this.#operand()));
    return this.#optionalConstant() ?? this.#field();
  }

  #field(): FieldReference {
    const { at, kind } = this.#token;
    const parts = [this.#part(true)];
    while (this.#takeSymbol('.')) parts.push(this.#part(false));
    return { form: 'field', parts, isBare: kind === 'name' && parts.length === 1, at };
  }

  /** Behind a dot a keyword is a name. */
  #part(isFirst: boolean): string {
    const { kind, value } = this.#token;
    const isName = kind === 'quoted' || (kind === 'name' && !(isFirst && KEYWORDS.has(value.toLowerCase())));
    if (!isName) return this.#unexpected(isFirst ? 'a field or a value' : 'the name of a field');
    this.#next++;
    return value;
  }

  #text(): Constant {
    const { kind } = this.#token;
    const constant = this.#optionalConstant();
    return constant !== undefined && kind === 'text' ? constant : this.#unexpected('a text in single quotes');
  }

  #constant(): Constant {
    return this.#optionalConstant() ?? this.#unexpected('a value');
  }

  #optionalConstant(): Constant | undefined {
    const { kind, value, at } = this.#token;
    const lower = value.toLowerCase();
    if (kind === 'text') return this.#take({ form: 'constant', type: 'text', text: value, at });
    if (kind === 'number') return this.#take({ form: 'constant', type: 'number', text: value, at });
    if (kind === 'name' && (lower === 'true' || lower === 'false')) {
      return this.#take({ form: 'constant', type: 'boolean', text: lower, at });
    }
    const after = this.#tokens[this.#next + 1];
    if (kind !== 'symbol' || !SUMS.has(value) || after?.kind !== 'number') return undefined;
    this.#next++;
    return this.#take({ form: 'constant', type: 'number', text: value === '-' ? `-${after.value}` : after.value, at });
  }

  #take(constant: Constant): Constant {
    this.#next++;
    return constant;
  }

  #inParentheses<T>(inside: () => T): T {
    if (!this.#takeSymbol('(')) this.#unexpected("'('");
    const value = inside();
    if (!this.#takeSymbol(')')) this.#unexpected("')'");
    return value;
  }

  #deeper<T>(inside: () => T): T {
    this.#nested += 1;
    // mutant: gateway-search-depth if -> false
    if (this.#nested > MOST_NESTED)
      notParsed(this.#search, this.#token.at, `it is nested more than ${MOST_NESTED} deep`);
    const value = inside();
    this.#nested -= 1;
    return value;
  }

  get #token(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', value: '', at: this.#search.length };
  }

  #isSymbol(value: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.value === value;
  }

  #takeSymbol(value: string): boolean {
    const isNext = this.#isSymbol(value);
    if (isNext) this.#next++;
    return isNext;
  }

  #takeWord(word: string): boolean {
    const { kind, value } = this.#token;
    const isNext = kind === 'name' && value.toLowerCase() === word;
    if (isNext) this.#next++;
    return isNext;
  }

  #unexpected(expected: string): never {
    const { kind, value, at } = this.#token;
    const found = kind === 'end' ? 'the search ends' : `there is '${value.slice(0, 50)}'`;
    return notParsed(this.#search, at, `${expected} is expected, and ${found}`);
  }
}
