// Diagnostics on their way to the editor: of every file those that changed, and none where there were some.
import { DiagnosticSeverity, type Diagnostic as EditorDiagnostic } from 'vscode-languageserver';
import { type Diagnostic, type Place, Severity } from '../model/mod.ts';
import { rangeOf } from './ranges.ts';

/** Maximum number of diagnostics per file sent to an editor, which becomes slow with many more. */
const MOST = 500;

export interface FileProblems {
  readonly file: string;
  readonly diagnostics: EditorDiagnostic[];
}

/** Diagnostics that were sent about the files of one model. */
export class Complaints {
  #reported: ReadonlyMap<string, readonly Diagnostic[]> = new Map();

  /**
   * @param textOf  the text of a file as it is now
   * @returns diagnostics to send
   */
  update(diagnostics: readonly Diagnostic[], textOf: (file: string) => string): FileProblems[] {
    const now = Map.groupBy(diagnostics, ({ place }) => place.file);
    const before = this.#reported;
    this.#reported = now;
    return [...new Set([...before.keys(), ...now.keys()])].flatMap((file) => {
      const [old, fresh] = [before.get(file) ?? [], now.get(file) ?? []];
      if (old.length === fresh.length && old.every((each, index) => isSame(each, fresh[index]))) return [];
      const text = fresh.length === 0 ? '' : textOf(file);
      const shown = fresh.slice(0, MOST).map((each) => editorDiagnostic(each, text));
      const rest = fresh.length - shown.length;
      const last = shown.at(-1);
      if (rest > 0 && last !== undefined) last.message += ` (and ${rest} more complaints, not shown)`;
      return [{ file, diagnostics: shown }];
    });
  }
}

function editorDiagnostic({ code, severity, message, place }: Diagnostic, text: string): EditorDiagnostic {
  return {
    range: rangeOf(place, text),
    severity: severity === Severity.Error ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'troupe',
    message,
  };
}

function isSame(left: Diagnostic, right: Diagnostic | undefined): boolean {
  return left === right || (right !== undefined && identity(left) === identity(right));
}

function identity({ code, message, place }: Diagnostic): string {
  const { line, column, offset, length }: Place = place;
  return JSON.stringify([code, message, line, column, offset, length]);
}
