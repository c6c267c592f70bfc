// Documentation of declarations: assignment of comments to them, and the text.
import { type Diagnostic, diagnostic } from './diagnostics.ts';
import type { Note } from './lexer.ts';

export interface Documentation {
  readonly text: string;
  /** Indices among the notes of the file, from top to bottom. */
  readonly notes: readonly number[];
}

const NONE: Documentation = { text: '', notes: [] };

/**
 * The comments of a file. Each is assigned once, to the first item that takes it; members take theirs before the
 * declaration that contains them.
 */
export class Documents {
  readonly diagnostics: Diagnostic[] = [];
  readonly #notes: readonly Note[];
  readonly #indexByLine = new Map<number, number>();

  constructor(notes: readonly Note[]) {
    this.#notes = notes;
    notes.forEach((note, index) => {
      if (note.form === 'line') this.#indexByLine.set(note.line, index);
    });
  }

  /** Takes the unbroken run of notes directly above a line. A note that trails code is the note of its line. */
  takeAbove(line: number): Documentation {
    const indices: number[] = [];
    for (let at = line - 1; ; at--) {
      const index = this.#indexByLine.get(at);
      if (index === undefined) break;
      this.#indexByLine.delete(at);
      indices.unshift(index);
    }
    return indices.length === 0 ? NONE : { text: this.#text(indices), notes: indices };
  }

  #text(indices: readonly number[]): string {
    const lines = indices.map((index) => (this.#notes[index]?.text ?? '').slice(2));
    // The first line gives the indent; it may be blank, then the first that is not does.
    const start = lines.findIndex((line) => line.trim() !== '');
    if (start < 0) return '';
    const prefix = /^\s*/.exec(lines[start] ?? '')?.[0] ?? '';
    const stripped: string[] = [];
    for (let i = start; i < lines.length; i++) {
      const line = lines[i] ?? '';
      const note = this.#notes[indices[i] ?? 0];
      if (line !== '' && !line.startsWith(prefix) && note !== undefined) {
        const { file, line, column, offset, length } = note;
        const message = 'this line of documentation is less indented than the first one';
        this.diagnostics.push(diagnostic('doc.prefix', { file, line, column, offset, length }, message));
      }
      stripped.push(line.startsWith(prefix) ? line.slice(prefix.length) : line.trimStart());
    }
    return stripped.join('\n');
  }
}
