// `troupe scaffold openstack <Kind>`: the file of a new kind.
import type { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { scaffoldKind } from '../../adapters/openstack/mod.ts';
import { TerminalError } from '../../bus/mod.ts';

export interface ScaffoldDeps {
  readFile: typeof readFile;
  writeFile: typeof writeFile;
  out: NodeJS.WritableStream;
}

const ROOT = new URL('../../', import.meta.url);
const REGISTRY = 'adapters/openstack/kinds/registry.ts';

/** @throws {TerminalError} the call makes no sense, or a file is there already */
export async function scaffold(args: readonly string[], { readFile, writeFile, out }: ScaffoldDeps): Promise<number> {
  const [realm, kind, ...rest] = args;
  if (realm !== 'openstack' || kind === undefined || rest.length > 0) {
    throw new TerminalError(
      "usage: troupe scaffold openstack <Kind>, for example 'troupe scaffold openstack AddressScope'",
    );
  }
  const { files, registry } = plan(kind, await readFile(new URL(REGISTRY, ROOT), 'utf8'));
  for (const { path, text } of files) {
    try {
      await writeFile(new URL(path, ROOT), text, { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new TerminalError(`'${path}' is there already; nothing was overwritten`, { cause: error });
    }
    out.write(`${fileURLToPath(new URL(path, ROOT))}\n`);
  }
  await writeFile(new URL(registry.path, ROOT), registry.text);
  out.write(`${fileURLToPath(new URL(registry.path, ROOT))}\nNow: npm run generate, npm run check\n`);
  return 0;
}

function plan(kind: string, registry: string): ReturnType<typeof scaffoldKind> {
  try {
    return scaffoldKind(kind, registry);
  } catch (error) {
    throw error instanceof RangeError ? new TerminalError(error.message, { cause: error }) : error;
  }
}
