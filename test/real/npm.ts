// npm of any version, as a user has it.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { delimiter } from 'node:path';

const PROBE_LIMIT_MS = 60_000;

/** Of the `npm run` around this test, and of the real counterparts that other suites talk to: a newcomer has none of it. */
const NOT_A_NEWCOMERS =
  /^(npm_(package|lifecycle|command|execpath|node_execpath)|INIT_CWD|KUBECONFIG|NATS_URL|OS_C(LIENT_CONFIG_FILE|LOUD))/;

/** The caller's, as a newcomer would have it. */
export const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_A_NEWCOMERS.test(name))),
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !/node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .join(delimiter),
};

export interface NpmCall {
  readonly version: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Before all others on the PATH; where the Node is that npm runs on. */
  readonly first?: string;
}

export function npm(args: readonly string[], { version, cwd, timeoutMs, first }: NpmCall): SpawnSyncReturns<string> {
  const env = { ...environment, PATH: [first ?? [], environment.PATH].flat().join(delimiter) };
  return spawnSync('npx', ['--yes', `npm@${version}`, ...args], { cwd, env, encoding: 'utf8', timeout: timeoutMs });
}

export function said({ error, stdout, stderr }: SpawnSyncReturns<string>): string {
  return error?.message ?? `${stdout}${stderr}`;
}

export function isRegistryReached(versions: readonly string[]): boolean {
  return versions.every(
    (version) => npm(['view', 'xstate', 'version'], { version, cwd: tmpdir(), timeoutMs: PROBE_LIMIT_MS }).status === 0,
  );
}
