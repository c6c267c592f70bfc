// `troupe model crds`: a CustomResourceDefinition for every class that becomes a kind.
import { crdFileName, crdText } from '../../../adapters/kubernetes/mod.ts';
import { bindingsOfAll, bindKinds, definitionOf } from '../../../adapters/ocm/kinds/mod.ts';
import type { Model } from '../../../adapters/ocm/model/mod.ts';
import { plain } from '../../base/printable.ts';
import { readBindings } from '../../process/load-models.ts';
import { leaveWithReader } from '../../process/process.ts';

import { generate, type OutputFiles } from './output.ts';
import { type ModelArguments, modelArguments, withModel } from './session.ts';
import { USAGES } from './usage.ts';

const HEADER = '# Generated from a model by `troupe model crds`; changes made here are lost.\n';

export async function run(args: readonly string[]): Promise<number> {
  const { roots, values } = modelArguments(USAGES.crds, args);
  if (values['output'] !== undefined) {
    return await generate('crds', args, (model) => filesOf(model, roots, values));
  }
  process.stdout.on('error', leaveWithReader);
  return await withModel({ roots, watch: values['watch'] === true }, ({ workspace }) => {
    const files = filesOf(workspace.model(), roots, values);
    process.stdout.write([...(files?.values() ?? [])].join('---\n'));
    return files === undefined ? 1 : 0;
  });
}

/** @returns undefined where a binding is wrong */
function filesOf(
  model: Model,
  roots: readonly string[],
  { bindings: file }: ModelArguments['values'],
): OutputFiles | undefined {
  const bindings = readBindings(roots, typeof file === 'string' ? file : undefined);
  const { kinds, problems } = bindKinds(model, bindings ?? bindingsOfAll(model));
  for (const problem of problems) process.stderr.write(`troupe: ${plain(problem)}\n`);
  // Without bindings a class that fits in no kind is left out; a binding that is wrong is a mistake.
  if (bindings !== undefined && problems.length > 0) return undefined;
  return new Map(kinds.map(definitionOf).map((each) => [crdFileName(each), HEADER + crdText(each)]));
}
