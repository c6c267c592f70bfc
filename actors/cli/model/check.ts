// `troupe model check`: what is wrong with a model, and where.
import { TerminalError } from '../../../bus/errors.ts';
import { counted } from './counted.ts';
import { jsonReport, sarifReport } from './sarif.ts';
import { modelArguments, withModel } from './session.ts';
import { USAGES } from './usage.ts';

const REPORTS = { json: jsonReport, sarif: sarifReport } as const;

export async function run(args: readonly string[]): Promise<number> {
  const { roots, values } = modelArguments(USAGES.check, args);
  const form = values['output'];
  if (form !== 'text' && form !== 'json' && form !== 'sarif') {
    throw new TerminalError(`--output is 'text', 'json' or 'sarif', not '${form}'`);
  }
  const report = form === 'text' ? undefined : REPORTS[form];
  const isStrict = values['warnings-as-errors'] === true;
  const reporting = report && {
    report: (diagnostics: Parameters<typeof report>[0]) => process.stdout.write(report(diagnostics)),
  };
  return await withModel({ roots, watch: values['watch'] === true, ...reporting }, ({ workspace, warnings }) => {
    const code = isStrict && warnings > 0 ? 1 : 0;
    if (report !== undefined) return code;
    const versions = workspace.model().services.flatMap((service) => service.versions).length;
    const size = `${counted(workspace.files().length, 'file')} of ${counted(versions, 'version')}`;
    const refused = code === 0 ? '' : ', which count as errors';
    process.stdout.write(`${size}: no errors, ${counted(warnings, 'warning')}${refused}\n`);
    return code;
  });
}
