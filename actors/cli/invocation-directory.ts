// The folder from which paths are meant.
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));
/** Scripts in package.json whose commands take paths. */
const SCRIPTS = ['troupe', 'demo', 'dev', 'start'];

/**
 * `npm run troupe` runs in the folder of Troupe's package and hands over the one it was called in, from which paths are
 * meant. Scripts of other packages, and what such a script starts elsewhere, are where they want to be.
 *
 * @returns undefined where paths are meant from the folder that the process is in
 */
export function invocationDirectory(env: NodeJS.ProcessEnv, cwd: string): string | undefined {
  const { INIT_CWD: folder, npm_lifecycle_event: script = '', npm_package_json: file } = env;
  // mutant: callers-folder-of-others &&.3 drop
  const isOwn = SCRIPTS.includes(script) && file !== undefined && resolve(file) === PACKAGE && dirname(PACKAGE) === cwd;
  return isOwn && folder !== undefined && isAbsolute(folder) && existsSync(folder) ? folder : undefined;
}
