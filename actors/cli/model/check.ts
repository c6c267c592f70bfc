// `troupe model check`: what is wrong with a model, and where.
import { counted } from './counted.ts';
import { modelArguments, withModel } from './session.ts';

const OPTIONS = { watch: { type: 'boolean' } } as const;

export async function run(args: readonly string[]): Promise<number> {
  const { roots, values } = modelArguments(args, OPTIONS);
  return await withModel({ roots, watch: values['watch'] === true }, ({ workspace, warnings }) => {
    const versions = workspace.model().services.flatMap((service) => service.versions).length;
    const size = `${counted(workspace.files().length, 'file')} of ${counted(versions, 'version')}`;
    process.stdout.write(`${size}: no errors, ${counted(warnings, 'warning')}\n`);
    return 0;
  });
}
