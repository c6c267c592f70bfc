// `troupe model routes`: what a model answers when it is served, and what serves it.
import { memoryStore, routeTable } from '../../../adapters/ocm/gateway/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { counted } from './counted.ts';
import { checkedModel, modelArguments } from './session.ts';
import { USAGES } from './usage.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { roots, values } = modelArguments(USAGES.routes, args);
  const form = values['output'];
  if (form !== 'text' && form !== 'json') throw new TerminalError(`--output is 'text' or 'json', not '${form}'`);
  const workspace = checkedModel(roots, { warnings: () => false });
  if (workspace === undefined) return 1;
  const routes = routeTable(workspace.model(), memoryStore());
  if (form === 'json') {
    const plain = routes.map(({ binding, ...route }) => ({ ...route, binding: binding ?? null }));
    process.stdout.write(`${JSON.stringify({ routes: plain }, null, 2)}\n`);
    return 0;
  }
  const width = Math.max(0, ...routes.map(({ path }) => path.length));
  for (const { verb, path, resource, method, binding } of routes) {
    process.stdout.write(`${verb.padEnd(6)} ${path.padEnd(width)}  ${`${resource}.${method}`}  ${binding ?? '-'}\n`);
  }
  const unbound = routes.filter(({ binding }) => binding === undefined).length;
  process.stdout.write(`${counted(routes.length, 'route')}, ${unbound} with nothing that serves them\n`);
  return 0;
}
