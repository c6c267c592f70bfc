// Windows, as far as Wine is.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clock } from '../../adapters/csi-proxy/echo-group.ts';

const BOOT_LIMIT_MS = 180_000;
/** Wine says that it is an older Windows than Node supports. */
const UNCHECKED = { NODE_SKIP_PLATFORM_CHECK: '1' };

/**
 * Files here are in memory, where there is such a place: a program's pages on a disk are resident in large pieces, needed or
 * not, and here one by one.
 */
const MEMORY = '/dev/shm';

/** A place for Windows, and the programs in it. */
export interface Wine {
  readonly folder: string;
  /** Where Windows has its libraries. */
  readonly system: string;
  /** In memory; the same folder where that cannot be had. */
  readonly memoryFolder: string;
  /** A program's standard output and error go to a file: they are read when it has ended, or while it runs. */
  start(program: string, args: readonly string[], log: string): ReturnType<typeof spawn>;
  run(program: string, args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }>;
  /** The same with pipes for standard output and error, which Wine cannot open. */
  runPiped(program: string, args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }>;
}

export const hasWine = spawnSync('wine', ['--version']).status === 0;
export const NO_WINE = 'skipped: no Wine (apt-get install --no-install-recommends wine64 wine)\n';

export async function underWine(body: (wine: Wine) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-exe-'));
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    WINEPREFIX: join(folder, 'prefix'),
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
    ...UNCHECKED,
    WINEDLLOVERRIDES: 'mscoree,mshtml,winemenubuilder.exe=',
  };
  const start: Wine['start'] = (program, args, log) => {
    const output = openSync(log, 'w');
    const child = spawn('wine', [program, ...args], { env, cwd: folder, stdio: ['ignore', output, output] });
    closeSync(output);
    return child;
  };
  const children: ReturnType<typeof spawn>[] = [];
  let runs = 0;
  const memoryFolder = existsSync(MEMORY) ? mkdtempSync(join(MEMORY, 'troupe-exe-')) : folder;
  const runPiped: Wine['runPiped'] = async (program, args) => {
    const child = spawn('wine', [program, ...args], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece) => (text += piece));
    const [code] = await once(child, 'close');
    return { code, text };
  };
  const wine: Wine = {
    folder,
    system: join(env.WINEPREFIX, 'drive_c/windows/system32'),
    memoryFolder,
    start(program, args, log) {
      const child = start(program, args, log);
      children.push(child);
      return child;
    },
    runPiped,
    async run(program, args) {
      const log = join(folder, `run-${runs++}.log`);
      const [code] = await once(start(program, args, log), 'exit');
      return { code, text: readFileSync(log, 'utf8') };
    },
  };
  const end = (): void => {
    spawnSync('wineserver', ['-k'], { env, stdio: 'ignore' });
    spawnSync('wineserver', ['-w'], { env, stdio: 'ignore' });
  };
  try {
    const booted = spawnSync('wineboot', ['-i'], { env, stdio: 'ignore', timeout: BOOT_LIMIT_MS });
    if (booted.status !== 0) throw new Error(`wineboot ended with ${booted.status}`);
    // What Windows itself starts has the environment that its registry tells, from the next start on.
    for (const [name, value] of Object.entries(UNCHECKED)) {
      const key = 'HKLM\\System\\CurrentControlSet\\Control\\Session Manager\\Environment';
      await wine.run('reg', ['add', key, '/v', name, '/d', value, '/f']);
    }
    end();
    await body(wine);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    end();
    for (const each of [memoryFolder, folder]) rmSync(each, { recursive: true, force: true });
  }
}

/**
 * Copies a program for Wine 8: V8 reserves addresses in a way that ends it there, and takes another one where the system does
 * not have the function at all.
 */
export function forWine(program: string, copy: string): string {
  const bytes = readFileSync(program);
  for (let at = bytes.indexOf('VirtualAlloc2'); at >= 0; at = bytes.indexOf('VirtualAlloc2')) {
    bytes.write('VirtualAllocX', at);
  }
  writeFileSync(copy, bytes);
  return copy;
}

export async function until(condition: () => boolean | Promise<boolean>, limitMs: number, what: string): Promise<void> {
  const endAt = clock.now() + limitMs;
  while (!(await condition())) {
    if (clock.now() > endAt) throw new Error(`in ${limitMs} ms it did not happen: ${what}`);
    await clock.sleep(100);
  }
}

/** A path of this system, as Wine has it. */
export const windows = (path: string): string => `Z:${path.replaceAll('/', '\\')}`;
