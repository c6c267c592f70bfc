// Complaints about a model: what is wrong, and where.
import type { Place } from './model.ts';

export const Severity = { Error: 'error', Warning: 'warning' } as const;
export type Severity = (typeof Severity)[keyof typeof Severity];

/** Every code there is, and how grave it is. */
export const CODES = {
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

/** `file:line:column: error: message [code]`, then the line of the source, if it is known, and a caret under the column. */
export function renderDiagnostic(
  { code, severity, message, place: { file, line, column, length } }: Diagnostic,
  text: string | undefined,
): string {
  const head = `${file}:${line}:${column}: ${severity}: ${message} [${code}]`;
  const source = text === undefined || line === 0 ? undefined : text.split('\n', line).at(-1)?.replace(/\r$/, '');
  if (source === undefined) return head;
  // Tabs stay tabs, so that the caret stands right whatever their width is.
  const characters = [...source];
  const indent = characters.slice(0, column - 1).map((character) => (character === '\t' ? '\t' : ' '));
  const width = Math.max(1, Math.min(length, characters.length - column + 1));
  return `${head}\n${source}\n${indent.join('')}${'^'.repeat(width)}`;
}
