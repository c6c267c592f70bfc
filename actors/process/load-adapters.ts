// Adapters from outside: modules that are named with --adapters. What they may import of Troupe is `troupe/adapter`,
// which leads to the Troupe that runs: its errors are then the same classes.
import { existsSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { extname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Adapter } from '../../adapters/api/adapter.ts';
import { TerminalError, toErrorData } from '../../bus/errors.ts';

const SURFACE = 'troupe/adapter';
// mutant: package-is-javascript () -> '.ts'
const SURFACE_URL = new URL(`../../adapters/mod${extname(import.meta.url)}`, import.meta.url).href;

/** Members of an adapter that the runtime cannot do without, and what they are. */
const NEEDED = { realm: 'string', role: 'string', contracts: 'object', configure: 'function' } as const;

/**
 * Loads modules that export `adapter`, or a function of that name that returns one.
 *
 * @param names  files from `folder`, or packages that are installed there or above
 * @throws {TerminalError} says which module, what is wrong with it, and what to do
 */
export async function loadAdapters(names: readonly string[], folder: string): Promise<readonly Adapter[]> {
  if (names.length === 0) return [];
  // For good: a module may import another one when it is served.
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === SURFACE ? { url: SURFACE_URL, shortCircuit: true } : next(specifier, context),
  });
  const adapters: Adapter[] = [];
  for (const name of names) adapters.push(await loadAdapter(name, folder));
  return adapters;
}

async function loadAdapter(name: string, folder: string): Promise<Adapter> {
  const module = await imported(name, folder);
  const exported = module['adapter'];
  if (exported === undefined) {
    const others = Object.keys(module).join(', ') || 'nothing';
    throw new TerminalError(
      `--adapters: '${name}' exports no 'adapter' but ${others}: add 'export const adapter: Adapter = ...'`,
    );
  }
  const adapter: unknown = typeof exported === 'function' ? await called(name, exported as () => unknown) : exported;
  for (const [member, type] of Object.entries(NEEDED)) {
    const found = (adapter as Record<string, unknown> | null | undefined)?.[member];
    if (typeof found === type && found !== null) continue;
    throw new TerminalError(
      `--adapters: the adapter of '${name}' has no '${member}' (${type}): see the type Adapter of '${SURFACE}'`,
    );
  }
  return adapter as Adapter;
}

async function called(name: string, make: () => unknown): Promise<unknown> {
  try {
    return await make();
  } catch (error) {
    throw new TerminalError(`--adapters: 'adapter' of '${name}' failed: ${toErrorData(error).message}`, {
      cause: error,
    });
  }
}

async function imported(name: string, folder: string): Promise<Record<string, unknown>> {
  const path = resolve(folder, name);
  const isPath = isAbsolute(name) || /^\.{1,2}[\\/]/.test(name);
  if (isPath && !existsSync(path)) {
    throw new TerminalError(`--adapters: there is no file '${path}': name one, or a package without './'`);
  }
  try {
    // A folder beside, as that of a package's sources, is nothing that can be imported.
    const url = isPath || isFile(path) ? pathToFileURL(path).href : resolved(name, folder);
    return (await import(url)) as Record<string, unknown>;
  } catch (error) {
    const { message } = toErrorData(error);
    const { code } = error as NodeJS.ErrnoException;
    const advice =
      code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING'
        ? '; a package must bring JavaScript: Node strips types outside of node_modules only'
        : '';
    throw new TerminalError(`--adapters: '${name}' cannot be loaded: ${message}${advice}`, { cause: error });
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The URL of a package, as a module in the folder would get it. */
function resolved(name: string, folder: string): string {
  const parentURL = pathToFileURL(join(folder, 'adapters.js')).href;
  let url: string | undefined;
  const hook = registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== name) return next(specifier, context);
      const found = next(specifier, { ...context, parentURL });
      url = found.url;
      return found;
    },
  });
  try {
    import.meta.resolve(name);
  } catch (error) {
    const { message } = toErrorData(error);
    throw new TerminalError(
      `there is neither a file '${resolve(folder, name)}' nor a package of that name in reach of '${folder}': npm install it there (${message})`,
      { cause: error },
    );
  } finally {
    hook.deregister();
  }
  if (url === undefined) throw new Error(`'${name}' was not resolved by the hook`);
  return url;
}
