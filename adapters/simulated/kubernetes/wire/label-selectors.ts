// The language of label selectors.
import { keyProblems, labelValueProblems } from '../../../text/names.ts';
import { badRequest } from '../base/api-error.ts';

export interface Requirement {
  readonly key: string;
  readonly test: (value: string | undefined) => boolean;
}

const OPERATORS = ['in', 'notin', '=', '==', '!=', '>', '<'];
const PUNCTUATION = ['(', ')', ',', '!', ...OPERATORS.slice(2)];

/** Symbols and words; white space only separates. */
function tokensOf(text: string): string[] {
  return text.match(/[=!<>]?=|[(),!<>]|[^\s(),!<>=]+/g)?.flatMap(apart) ?? [];
}

/** `>=` and `<=` are no operators. */
const apart = (token: string): string[] => (token === '>=' || token === '<=' ? [...token] : [token]);

const isWord = (token: string): boolean => token !== '' && !PUNCTUATION.includes(token);

/** @throws {ApiError} 400 the text is no selector */
export function labelRequirements(text: string): Requirement[] {
  const tokens = tokensOf(text);
  let at = 0;
  const ahead = (): string => tokens[at] ?? '';
  const next = (): string => tokens[at++] ?? '';
  const unparsable = (why: string): Error => badRequest(`unable to parse requirement: ${why}`);

  const values = (): string[] => {
    const open = next();
    if (open !== '(') throw unparsable(`found '${open}' expected: '('`);
    const found: string[] = [];
    let isSeparated = true;
    for (;;) {
      const token = ahead();
      if (token === ')' || token === ',') {
        if (isSeparated) found.push('');
        isSeparated = token === ',';
        at++;
        if (token === ')') return [...new Set(found)].sort();
      } else if (isWord(token) && isSeparated) {
        found.push(next());
        isSeparated = false;
      } else if (isSeparated) {
        throw unparsable(
          found.length === 0
            ? `found '${token}', expected: ',', ')' or identifier`
            : `found '${token}', expected: ',', or identifier`,
        );
      } else {
        throw unparsable(`found '${token}', expected: ',' or ')'`);
      }
    }
  };

  const exactValue = (): string => {
    if (['', ','].includes(ahead())) return '';
    const token = next();
    if (!isWord(token)) throw unparsable(`found '${token}', expected: identifier`);
    return token;
  };

  const requirement = (): Requirement => {
    const isNegated = ahead() === '!';
    if (isNegated) at++;
    const key = next();
    if (!isWord(key)) throw unparsable(`found '${key}', expected: identifier`);
    const [problem] = keyProblems(key);
    if (problem !== undefined) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
    if (isNegated) return { key, test: (value) => value === undefined };
    if (['', ','].includes(ahead())) return { key, test: (value) => value !== undefined };
    const operator = next();
    if (!OPERATORS.includes(operator)) {
      throw unparsable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    const wanted = operator === 'in' || operator === 'notin' ? values() : [exactValue()];
    return { key, test: comparison(operator, checked(key, operator, wanted, unparsable)) };
  };

  const found: Requirement[] = [];
  if (tokens.length > 0 && !isWord(ahead()) && ahead() !== '!') {
    throw badRequest(`found '${ahead()}', expected: !, identifier, or 'end of string'`);
  }
  while (at < tokens.length) {
    found.push(requirement());
    const token = next();
    if (token === '') break;
    if (token !== ',') throw badRequest(`found '${token}', expected: ',' or 'end of string'`);
    if (!isWord(ahead()) && ahead() !== '!') {
      throw badRequest(`found '${ahead()}', expected: identifier after ','`);
    }
  }
  return found;
}

function checked(
  key: string,
  operator: string,
  wanted: readonly string[],
  unparsable: (why: string) => Error,
): readonly string[] {
  for (const [index, value] of wanted.entries()) {
    const shown = JSON.stringify(value);
    if ((operator === '>' || operator === '<') && !/^[-+]?\d+$/.test(value)) {
      throw unparsable(
        `values[${index}]: Invalid value: ${shown}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
    const [problem] = labelValueProblems(value);
    if (problem !== undefined) throw unparsable(`values[${index}][${key}]: Invalid value: ${shown}: ${problem}`);
  }
  return wanted;
}

function comparison(operator: string, wanted: readonly string[]): Requirement['test'] {
  const isWanted = (value: string | undefined): boolean => value !== undefined && wanted.includes(value);
  switch (operator) {
    case 'notin':
    case '!=':
      return (value) => !isWanted(value);
    case '>':
    case '<': {
      const bound = Number(wanted[0]);
      const isInteger = (value: string | undefined): boolean => value !== undefined && /^[-+]?\d+$/.test(value);
      return (value) => isInteger(value) && (operator === '>' ? Number(value) > bound : Number(value) < bound);
    }
    default:
      return isWanted;
  }
}
