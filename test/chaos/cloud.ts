// A simulated cloud that is a process of its own, as a test sees it.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CollectionName, Fault, ServedCall } from '../../adapters/openstack/simulator/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';

export type CloudRequest =
  | { readonly ask: 'resources'; readonly collection: CollectionName }
  | { readonly ask: 'inject'; readonly fault: Fault }
  | { readonly ask: 'clear' }
  | { readonly ask: 'latency'; readonly latencyMs: number }
  | { readonly ask: 'expireTokens' }
  | { readonly ask: 'addUser' | 'setPassword'; readonly name: string; readonly password: string };

export type CloudAnswer = readonly JsonObject[];

export type CloudReport =
  | { readonly port: number }
  | { readonly served: ServedCall }
  | { readonly id: number; readonly answer: CloudAnswer };

const PROGRAM = fileURLToPath(new URL('./cloud.process.ts', import.meta.url));

export class Cloud {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, (answer: CloudAnswer) => void>();
  readonly #exited: Promise<void>;
  #port = 0;
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  /** @param onServed  told of every call that changes something, in the order in which the cloud did them */
  static async start(options: {
    publicOrigin: string;
    tokenLifetimeMs: number;
    onServed: (call: ServedCall) => void;
  }): Promise<Cloud> {
    const { publicOrigin, tokenLifetimeMs, onServed } = options;
    // `advanced`: faults hold regular expressions.
    const child = fork(PROGRAM, [publicOrigin, String(tokenLifetimeMs)], { serialization: 'advanced' });
    const cloud = new Cloud(child);
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the simulated cloud has ended')));
      child.on('message', (report: CloudReport) => {
        if ('served' in report) onServed(report.served);
        else if ('port' in report) {
          cloud.#port = report.port;
          resolve();
        } else {
          cloud.#asked.get(report.id)?.(report.answer);
          cloud.#asked.delete(report.id);
        }
      });
    });
    return cloud;
  }

  get port(): number {
    return this.#port;
  }

  /** What was served before is told before this resolves. */
  ask(request: CloudRequest): Promise<CloudAnswer> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.#child.send({ id, request });
    });
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
