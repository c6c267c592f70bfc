// What a part of a benchmark may be, and what every part can be asked.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JsonObject } from '../../../bus/mod.ts';
import { Profiler } from './profiler.ts';

/**
 * `counts`: since the last `reset`. `usage` collects garbage first when it is asked for as `settled`. `stall`: what the part
 * begins from now on comes to no end.
 */
export type Question = 'usage' | 'settled' | 'counts' | 'reset' | 'stall' | 'profile' | 'profiled' | 'close';
export type PartName = 'api' | 'cloud' | 'ironic' | 'actors';

export interface Part {
  /** What others need to reach it. */
  readonly info: JsonObject;
  counts(): JsonObject;
  reset(): void;
  stall?(): void;
  close(): Promise<void>;
}

/** What a process uses. */
export interface Usage {
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Outside of the heap of JavaScript: buffers, for the most part. */
  readonly externalBytes: number;
  /** Of all its threads since the start. */
  readonly cpuMs: number;
}

export async function serve(
  name: PartName,
  options: JsonObject,
): Promise<{ readonly info: JsonObject; answer(question: Question): Promise<unknown> }> {
  // A process loads what it needs and no more: its memory is measured.
  const parts: Record<PartName, () => Promise<(options: never) => Promise<Part>>> = {
    api: async () => (await import('./api.ts')).serveApi,
    cloud: async () => (await import('./cloud.ts')).serveCloud,
    ironic: async () => (await import('./ironic.ts')).serveIronic,
    actors: async () => (await import('./actors.ts')).serveActors,
  };
  const profiler = new Profiler();
  if (options['profile'] === true) await profiler.start();
  const part = await (await parts[name]())(options as never);
  return {
    info: { ...part.info, pid: process.pid },
    async answer(question) {
      switch (question) {
        case 'settled':
          collectGarbage();
          return usage();
        case 'usage':
          return usage();
        case 'counts':
          return part.counts();
        case 'reset':
          part.reset();
          return {};
        case 'stall':
          part.stall?.();
          return {};
        case 'profile':
          await profiler.start();
          return {};
        case 'profiled':
          return profiler.stop();
        case 'close':
          await part.close();
          return {};
      }
    },
  };
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { residentBytes: rss, heapBytes: heapUsed, externalBytes: external, cpuMs: (user + system) / 1_000 };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
