// What happened, in order: as a hash that is equal for equal histories, and, when asked for, as a story.
import type { KubeObject } from '../../machines/object.ts';
import type { SimulatedTime } from './time.ts';

export class Chronicle {
  readonly story: string[] = [];
  readonly #time: SimulatedTime;
  readonly #reported: boolean;
  #hash = 0x811c9dc5;

  constructor(time: SimulatedTime, { reported }: { readonly reported: boolean }) {
    this.#time = time;
    this.#reported = reported;
  }

  get hash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0');
  }

  /** Adds to the hash; `report` makes the line for people, if there is one to be made. */
  note(event: string, report: () => string | undefined): void {
    const text = `${this.#time.elapsed().toFixed(3)} ${event}`;
    let hash = this.#hash;
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    this.#hash = hash;
    if (this.#reported) this.report(report());
  }

  report(line: string | undefined): void {
    if (this.#reported && line !== undefined)
      this.story.push(`${(this.#time.elapsed() / 1_000).toFixed(3).padStart(9)} s  ${line}`);
  }

  /** A line of the runtime's log. */
  tellLog(line: string): void {
    const { pod, msg, plural, name, from, to, cause, error } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const about = name === undefined ? '' : ` ${String(plural)}/${String(name)}`;
    const transition = to === undefined ? '' : `: ${String(from) || 'born'} -> ${String(to)} by ${String(cause)}`;
    this.report(
      `${String(pod)}${about} ${String(msg)}${transition}${error === undefined ? '' : ` (${String(error)})`}`,
    );
  }
}

export function describe({ kind, metadata, status }: KubeObject): string {
  const { name, finalizers = [], deletionTimestamp } = metadata;
  const short = finalizers.map((finalizer) => finalizer.split('/').at(-1)).join(' ');
  const id = status?.['id'];
  return `${kind} '${name}'${deletionTimestamp === undefined ? '' : ', being deleted'}${short === '' ? '' : `, held by ${short}`}${typeof id === 'string' ? `, id ${id.slice(0, 8)}` : ''}`;
}
