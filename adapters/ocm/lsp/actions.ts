// Mends of what is complained about: those that leave nothing to decide.
import { BUILT_IN_TYPES, type Diagnostic, type FileSyntax, type Token } from '../model/mod.ts';

export interface Mend {
  readonly title: string;
  /** Replaces what is there; of no length it adds. */
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

const PAGING: Readonly<Record<string, string>> = {
  Page: 'in out Page Integer = 1',
  Size: 'in out Size Integer = 100',
  Total: 'out Total Integer',
};

/** @returns none if the fix needs a decision */
export function mendsOf({ code, message, place }: Diagnostic, syntax: FileSyntax): Mend[] {
  const { tokens, text } = syntax;
  const at = tokens.findIndex(({ offset }) => offset === place.offset);
  const replace = (title: string, { offset, length }: Pick<Token, 'offset' | 'length'>, by: string): Mend[] => [
    { title, offset, length, text: by },
  ];
  const meant = /did you mean '([^']+)'\?$/.exec(message)?.[1];
  if (meant !== undefined) return replace(`Change to '${meant}'`, place, meant);
  const wanted = /'([^']+)'$/.exec(message)?.[1] ?? '';
  switch (code) {
    case 'def.undefined-type': {
      const name = text.slice(place.offset, place.offset + place.length);
      const end = text.trimEnd().length;
      if (BUILT_IN_TYPES.has(name)) return [];
      return [{ title: `Declare struct '${name}'`, offset: end, length: 0, text: `\n\nstruct ${name} {\n}` }];
    }
    case 'method.name':
      return replace(`Call it '${wanted}'`, place, wanted);
    case 'method.direction': {
      let first = at;
      while (isDirection(tokens[first - 1])) first--;
      const start = tokens[first]?.offset ?? place.offset;
      return replace(`Make it '${wanted}'`, { offset: start, length: place.offset - start }, `${wanted} `);
    }
    case 'method.paging-type': {
      const type = tokens[at + 1];
      return type?.kind === 'name' ? replace("Make it an 'Integer'", type, 'Integer') : [];
    }
    case 'method.paging-default': {
      const value = /(\d+)$/.exec(message)?.[1] ?? '';
      const [type, sign, old] = [tokens[at + 1], tokens[at + 2], tokens[at + 3]];
      if (type?.kind !== 'name') return [];
      if (sign?.kind === '=' && old !== undefined) return replace(`Make it ${value}`, old, value);
      return [{ title: `Make it ${value}`, offset: type.offset + type.length, length: 0, text: ` = ${value}` }];
    }
    case 'method.no-paging': {
      const names = [...message.matchAll(/no '(\w+)'/g)].map(([, name = '']) => name);
      const open = tokens[at + 1];
      if (open?.kind !== '{' || names.length === 0) return [];
      const lines = names.map((name) => `\n\t\t${PAGING[name] ?? ''}`).join('');
      return [{ title: `Add ${names.join(' and ')}`, offset: open.offset + 1, length: 0, text: lines }];
    }
    case 'mark.unknown': {
      if (tokens[at]?.kind !== '@') return [];
      let last = at + 1;
      if (tokens[last + 1]?.kind === '(') while (tokens[last] !== undefined && tokens[last]?.kind !== ')') last++;
      const next = tokens[last + 1];
      const end = next?.offset ?? text.length;
      return replace('Remove the mark', { offset: place.offset, length: end - place.offset }, '');
    }
    default:
      return [];
  }
}

function isDirection(token: Token | undefined): boolean {
  return token?.kind === 'in' || token?.kind === 'out';
}
