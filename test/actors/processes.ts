// `troupe run` as a process of its own, which a test may kill.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../bus/mod.ts';
import type { Ground } from './grounds.ts';

const CLI = fileURLToPath(new URL('../../actors/cli.js', import.meta.url));

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
  ) {
    const { kubeconfig, nats } = ground;
    if (nats === undefined) throw new Error('a process of its own needs a bus of its own');
    const { PATH = '', HOME = '' } = process.env;
    this.#child = spawn(process.execPath, [CLI, ...args], {
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
