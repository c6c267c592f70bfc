// The store of the bus's credentials: files of a folder, or Secrets of a namespace.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeClient } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type JsonObject } from '../../../bus/mod.ts';
import type { Files, Place } from './book.ts';

export interface Store {
  /** For people: `secret/troupe-bus-alone`. */
  nameOf(place: Place): string;
  /** Undefined: there is nothing. */
  read(place: Place): Promise<Files | undefined>;
  write(place: Place, files: Files): Promise<void>;
}

/** A folder for each place, which others than its owner cannot read. */
export function folderStore(folder: string): Store {
  const at = (place: Place): string => join(folder, place);
  return {
    nameOf: at,
    async read(place) {
      try {
        const entries = await readdir(at(place), { withFileTypes: true });
        const names = entries.flatMap((entry) => (entry.isFile() && !entry.name.startsWith('.') ? [entry.name] : []));
        return Object.fromEntries(
          await Promise.all(names.map(async (name) => [name, await readFile(join(at(place), name), 'utf8')] as const)),
        );
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(place, files) {
      await mkdir(at(place), { recursive: true, mode: 0o700 });
      for (const [name, text] of Object.entries(files)) {
        // A reader finds the old one or the new one meanwhile.
        await writeFile(join(at(place), `.${name}`), text, { mode: 0o600 });
        await rename(join(at(place), `.${name}`), join(at(place), name));
      }
    },
  };
}

const MANAGER = 'troupe-bus';

/** A Secret for each place. It takes to get, create and patch these and no others. */
export function secretStore(client: Pick<KubeClient, 'call'>, namespace: string): Store {
  const nameOf = (place: Place): string => `troupe-bus-${place}`;
  const path = (place: Place): string => `/api/v1/namespaces/${namespace}/secrets/${nameOf(place)}`;
  const versions = new Map<Place, string>();
  return {
    nameOf: (place) => `secret/${nameOf(place)}`,
    async read(place) {
      try {
        const { body } = await client.call({ method: 'GET', path: path(place) });
        const { resourceVersion } = body['metadata'] as { resourceVersion: string };
        versions.set(place, resourceVersion);
        const data = (body['data'] ?? {}) as Readonly<Record<string, string>>;
        return Object.fromEntries(
          Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
        );
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    async write(place, files) {
      const resourceVersion = versions.get(place);
      const body: JsonObject = {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        // Only one of two concurrent runs succeeds; the other gets a conflict.
        metadata: { name: nameOf(place), namespace, ...(resourceVersion !== undefined && { resourceVersion }) },
        data: Object.fromEntries(
          Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
        ),
      };
      await client.call({
        method: 'PATCH',
        path: `${path(place)}?fieldManager=${MANAGER}&force=true`,
        contentType: 'application/apply-patch+yaml',
        body,
      });
    },
  };
}
