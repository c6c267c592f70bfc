// Namespaces of runs that were killed, on an API server that others use too. The next run deletes them, since its pods would take
// care of their objects.
import { hostname } from 'node:os';
import type { World } from '../../../world/world.ts';

/** Annotation of a namespace: the process that made it, `<host>/<process id>`. */
const OWNER = 'chaos.test/owner';

/** Makes a namespace one of this run. @param pid  of the run */
export async function mark({ client }: World, namespace: string, pid = process.pid): Promise<void> {
  const body = { metadata: { annotations: { [OWNER]: `${hostname()}/${pid}` } } };
  const path = `/api/v1/namespaces/${namespace}`;
  await client.call({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
}

/** @returns the names of those that were deleted */
export async function sweep(world: World): Promise<readonly string[]> {
  const { body } = await world.client.call({ method: 'GET', path: '/api/v1/namespaces' });
  const found = body['items'] as readonly unknown[] as readonly {
    readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  }[];
  const left = found.flatMap(({ metadata: { name, annotations } }) => {
    const [host, pid] = annotations?.[OWNER]?.split('/') ?? [];
    return host === hostname() && !isRunning(Number(pid)) ? [name] : [];
  });
  for (const name of left) await world.scrubNamespace(name);
  return left;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
