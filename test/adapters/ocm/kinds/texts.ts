// Models made of texts.
import { type Model, Workspace } from '../../../../adapters/ocm/model/mod.ts';

/** @param files  texts by path @throws {Error} a model with errors */
export function withModelTexts<Result>(
  files: Readonly<Record<string, string>>,
  work: (model: Model) => Result,
): Result {
  const workspace = new Workspace();
  for (const [file, text] of Object.entries(files)) workspace.set(file, text);
  const [error] = workspace.diagnostics().filter(({ severity }) => severity === 'error');
  if (error !== undefined) throw new Error(`${error.place.file}:${error.place.line}: ${error.message}`);
  return work(workspace.model());
}
