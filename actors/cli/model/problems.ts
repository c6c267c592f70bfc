// Complaints on the terminal: not more than anybody reads, and how many there are besides.
import { type Diagnostic, renderDiagnostic, Severity } from '../../../adapters/ocm/model/mod.ts';
import { plainLines } from '../../base/printable.ts';
import { counted } from './counted.ts';

/** Complaints that are shown. */
const SHOWN = 200;

/** Tells complaints as they come, up to a number. */
export class Complaints {
  #reported = 0;
  #errors = 0;
  #warnings = 0;

  report(diagnostic: Diagnostic, text: string | undefined): void {
    if (this.#reported === SHOWN) {
      if (diagnostic.severity === Severity.Error) this.#errors++;
      else this.#warnings++;
      return;
    }
    this.#reported++;
    process.stderr.write(`${plainLines(renderDiagnostic(diagnostic, text))}\n`);
  }

  /** Says how many were not told. */
  tellRest(): void {
    const rest = [
      ...(this.#errors > 0 ? [counted(this.#errors, 'more error')] : []),
      ...(this.#warnings > 0 ? [counted(this.#warnings, 'more warning')] : []),
    ];
    if (rest.length > 0) process.stderr.write(`... and ${rest.join(' and ')}, not shown\n`);
  }
}

/** The errors first where not all can be shown, in their order. */
export function tellAll(diagnostics: readonly Diagnostic[], textOf: (file: string) => string | undefined): void {
  const complaints = new Complaints();
  const isError = ({ severity }: Diagnostic): boolean => severity === Severity.Error;
  const ordered =
    diagnostics.length <= SHOWN
      ? diagnostics
      : [...diagnostics.filter(isError), ...diagnostics.filter((each) => !isError(each))];
  for (const each of ordered) complaints.report(each, textOf(each.place.file));
  complaints.tellRest();
}
