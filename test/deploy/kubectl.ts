// kubectl, as a program on the PATH or among those of envtest.
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The first that there is; undefined: there is none. */
export async function findKubectl(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const folders = [env['KUBEBUILDER_ASSETS'] ?? '', ...(env['PATH'] ?? '').split(delimiter)];
  for (const folder of folders.filter((each) => each !== '')) {
    const program = join(folder, 'kubectl');
    try {
      await access(program, constants.X_OK);
      await run(program, ['version', '--client', '--output=json']);
      return program;
    } catch {
      // Not there, not ours to run, or no kubectl: the next folder may have one.
    }
  }
  return undefined;
}
