// `troupe scaffold <realm> <Kind>`: the file of a new kind, where the adapter can write it.
import type { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Adapter, KindScaffold } from '../../../adapters/api/adapter.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { USAGE } from './scaffold-adapter.ts';

export interface ScaffoldDeps {
  adapters: readonly Pick<Adapter, 'realm' | 'scaffold'>[];
  mkdir: typeof mkdir;
  readFile: typeof readFile;
  writeFile: typeof writeFile;
  out: NodeJS.WritableStream;
}

/** @throws {TerminalError} the call makes no sense, or a file is there already */
export async function scaffold(
  args: readonly string[],
  { adapters, mkdir, readFile, writeFile, out }: ScaffoldDeps,
): Promise<number> {
  const [realm, kind, ...rest] = args;
  const able = adapters.filter((adapter) => adapter.scaffold !== undefined);
  const of = able.find((adapter) => adapter.realm === realm)?.scaffold;
  if (of === undefined || kind === undefined || rest.length > 0) {
    throw new TerminalError(`usage: ${[USAGE, ...able.map(usageOf)].join('; or ')}`);
  }
  const { root } = of;
  const { files, registry } = plan(of, kind, await registryOf(of, readFile));
  for (const { path, text } of files) {
    await mkdir(new URL('.', new URL(path, root)), { recursive: true });
    try {
      await writeFile(new URL(path, root), text, { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new TerminalError(`'${path}' is there already; nothing was overwritten`, { cause: error });
    }
    out.write(`${fileURLToPath(new URL(path, root))}\n`);
  }
  await writeFile(new URL(registry.path, root), registry.text);
  out.write(`${fileURLToPath(new URL(registry.path, root))}\nNow: npm run generate, npm run check\n`);
  return 0;
}

function usageOf({ realm, scaffold }: Pick<Adapter, 'realm' | 'scaffold'>): string {
  return `troupe scaffold ${realm} <Kind>, for example 'troupe scaffold ${realm} ${scaffold?.example}'`;
}

/** @throws {TerminalError} an installed package has no sources to add to */
async function registryOf({ registry, root }: KindScaffold, read: typeof readFile): Promise<string> {
  try {
    return await read(new URL(registry, root), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new TerminalError(`there is no '${registry}' here: kinds are added to a checkout of the sources`, {
      cause: error,
    });
  }
}

function plan(of: KindScaffold, kind: string, registry: string): ReturnType<KindScaffold['plan']> {
  try {
    return of.plan(kind, registry);
  } catch (error) {
    throw error instanceof RangeError ? new TerminalError(error.message, { cause: error }) : error;
  }
}
