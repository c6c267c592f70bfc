// The model that tests of the gateway serve: made up, with the names that public clients use.
import { fileURLToPath } from 'node:url';
import { type Collection, Collections } from '../../../../adapters/ocm/gateway/store/collections.ts';
import { type Model, readModel, Workspace } from '../../../../adapters/ocm/model/mod.ts';

export const MODELS = fileURLToPath(new URL('./models', import.meta.url));

/** @throws {Error} a model with errors */
export function modelOf(...roots: string[]): Model {
  const workspace = new Workspace({ roots: roots.length });
  readModel(workspace, roots);
  const [error] = workspace.diagnostics().filter(({ severity }) => severity === 'error');
  if (error !== undefined) throw new Error(`${error.place.file}:${error.place.line}: ${error.message}`);
  return workspace.model();
}

export function testModel(): Model {
  return modelOf(MODELS);
}

/** The collection, or singleton, at a path with its parameters in braces. */
export function collectionAt(model: Model, path: string): Collection {
  for (const version of model.services.flatMap(({ versions }) => versions)) {
    const found = new Collections(version).all().find((each) => each.path === path);
    if (found !== undefined) return found;
  }
  throw new Error(`no collection at '${path}'`);
}
