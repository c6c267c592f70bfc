// `troupe run` as a process of its own, which a test may kill.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../bus/mod.ts';
import { installed, one } from '../deploy/manifests.ts';
import type { Ground } from '../world/environments.ts';

/** What V8 takes for objects where a container is given so much: a quarter, of pointers twice as long. */
const HEAP_PART = 0.5;
const CLI = fileURLToPath(new URL('../../actors/cli.js', import.meta.url));

/** Of the container in deploy/, in MiB. */
export function memoryLimitMib(): number {
  const { spec } = one<{ spec: { template: { spec: { containers: readonly JsonObject[] } } } }>(
    installed(),
    'Deployment',
    'troupe',
  );
  const [container] = spec.template.spec.containers;
  const [, mib] = /"memory":"(\d+)Mi"/.exec(JSON.stringify(container?.['resources'], ['limits', 'memory'])) ?? [];
  return Number(mib);
}

/** The heap that a process of such a container has: a group of processes with a limit of its own takes root, a test does not. */
export function deployedHeap(): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--max-old-space-size=${memoryLimitMib() * HEAP_PART}` };
}

export class TroupeProcess {
  /** What it logged so far. */
  readonly lines: JsonObject[] = [];
  /** What it said that is no log line. */
  readonly said: string[] = [];
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;

  constructor(
    { ground }: { readonly ground: Pick<Ground, 'kubeconfig' | 'nats'> },
    env: Readonly<Record<string, string>> = {},
    args: readonly string[] = ['run'],
    program: string = CLI,
  ) {
    const { kubeconfig, nats } = ground;
    if (nats === undefined) throw new Error('a process of its own needs a bus of its own');
    const { PATH = '', HOME = '' } = process.env;
    this.#child = spawn(process.execPath, [program, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH,
        HOME,
        KUBECONFIG: kubeconfig,
        NATS_URL: nats.url,
        TROUPE_NATS_PREFIX: nats.prefix,
        ...env,
      },
    });
    let rest = '';
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        if (part.startsWith('{')) this.lines.push(JSON.parse(part) as JsonObject);
        else this.said.push(part);
      }
    });
    this.exited = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The most that it has held of the machine's memory so far. */
  async peakMib(): Promise<number> {
    const [, kib] = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${this.pid}/status`, 'utf8')) ?? [];
    return Number(kib) / 1024;
  }

  /** As the kernel kills: nothing is said, nothing is given back. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.exited;
  }
}
