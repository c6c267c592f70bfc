// Namespaces of runs that were killed, on an API server that others use too. The next run deletes them: its pods would take care of
// their objects, and what they hold would be in the way of others.
import { hostname } from 'node:os';
import type { World } from './world.ts';

/** Annotation of a namespace: the process that made it, `<host>/<process id>`. */
const OWNER = 'world.test/owner';

/** Annotations of what belongs to a run. @param pid  of the run */
export function owned(pid = process.pid): Readonly<Record<string, string>> {
  return { [OWNER]: `${hostname()}/${pid}` };
}

/** Deletes the namespaces of all runs of this machine that have ended. @returns the names of those that were deleted */
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
