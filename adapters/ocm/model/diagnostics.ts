// Complaints about a model: what is wrong, and where.
import type { Place } from './model.ts';

export const Severity = { Error: 'error', Warning: 'warning' } as const;
export type Severity = (typeof Severity)[keyof typeof Severity];

/** Every code there is, and how grave it is. */
export const CODES = {
  'lex.encoding': Severity.Error,
  'lex.return': Severity.Warning,
  'lex.character': Severity.Error,
  'lex.string': Severity.Error,
  'lex.comment': Severity.Error,
  'lex.number': Severity.Error,
  'syntax.unexpected': Severity.Error,
  'doc.prefix': Severity.Error,
  'def.duplicate-type': Severity.Error,
  'def.duplicate-resource': Severity.Error,
  'def.duplicate-error': Severity.Error,
  'def.duplicate-member': Severity.Error,
  'def.undefined-type': Severity.Error,
  'def.undefined-resource': Severity.Error,
  'version.no-root': Severity.Error,
  'class.explicit-id': Severity.Error,
  'class.built-in': Severity.Error,
  'locator.no-target': Severity.Error,
  'locator.loop': Severity.Error,
  'locator.depth': Severity.Error,
  'locator.ways': Severity.Error,
  'locator.two-variables': Severity.Warning,
  'method.verb-clash': Severity.Error,
  'method.kind': Severity.Error,
  'method.count': Severity.Error,
  'method.direction': Severity.Error,
  'method.name': Severity.Error,
  'method.items': Severity.Error,
  'method.paging-type': Severity.Error,
  'method.paging-default': Severity.Error,
  'method.no-paging': Severity.Warning,
  'param.default': Severity.Error,
  'ref.path': Severity.Error,
  'ref.service': Severity.Error,
  'ref.version': Severity.Error,
  'ref.type': Severity.Error,
  'ref.cycle': Severity.Error,
  'ref.ignored': Severity.Warning,
  'ref.members': Severity.Warning,
  'name.split': Severity.Warning,
  'mark.parameter': Severity.Error,
  'mark.unknown': Severity.Warning,
  'resource.unreachable': Severity.Warning,
} as const satisfies Record<string, Severity>;
export type Code = keyof typeof CODES;

export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly place: Place;
}

export function diagnostic(code: Code, place: Place, message: string): Diagnostic {
  return { code, severity: CODES[code], message, place };
}

/** Maximum length of a shown line, in characters; of a longer one the part around the column is shown. */
const SHOWN = 160;

/** Content that is shown like a diagnostic. */
export interface Shown {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly place: Place;
}

/** `file:line:column: error: message [code]`, then the line of the source, if it is known, and a caret under the column. */
export function renderDiagnostic({ code, severity, message, place }: Shown, text: string | undefined): string {
  const head = `${place.file}:${place.line}:${place.column}: ${severity}: ${message} [${code}]`;
  return text === undefined || place.line === 0 ? head : `${head}\n${excerpt(text, place)}`;
}

function excerpt(text: string, { offset, length }: Place): string {
  const before = text.slice(Math.max(0, offset - SHOWN / 2), offset);
  const behind = text.slice(offset, offset + SHOWN);
  const head = before.slice(before.lastIndexOf('\n') + 1);
  const tail = /^[^\r\n]*/.exec(behind)?.[0] ?? '';
  // Tabs stay tabs, so that the caret stands right whatever their width is; a character counts once.
  const indent = head.replaceAll(/[^\t]/gu, ' ');
  return `${head}${tail}\n${indent}${'^'.repeat(Math.max(1, Math.min(length, tail.length)))}`;
}
