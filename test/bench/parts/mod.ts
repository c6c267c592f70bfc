// What a part of a benchmark may be, and what every part can be asked.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JsonObject } from '../../../bus/mod.ts';
import { serveActors } from './actors.ts';
import { serveApi } from './api.ts';
import { serveCloud } from './cloud.ts';
import { Profiler } from './profiler.ts';

/** `counts`: since the last `reset`. `usage` collects garbage first when it is asked for as `settled`. */
export type Question = 'usage' | 'settled' | 'counts' | 'reset' | 'profile' | 'profiled' | 'close';
export type PartName = 'api' | 'cloud' | 'actors';

export interface Part {
  /** What others need to reach it. */
  readonly info: JsonObject;
  counts(): JsonObject;
  reset(): void;
  close(): Promise<void>;
}

/** What a process uses. */
export interface Usage {
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Of all its threads since the start. */
  readonly cpuMs: number;
}

export async function serve(
  name: PartName,
  options: JsonObject,
): Promise<{ readonly info: JsonObject; answer(question: Question): Promise<unknown> }> {
  const parts: Record<PartName, (options: never) => Promise<Part>> = {
    api: serveApi,
    cloud: serveCloud,
    actors: serveActors,
  };
  const part = await parts[name](options as never);
  const profiler = new Profiler();
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
  const { rss, heapUsed } = process.memoryUsage();
  return { residentBytes: rss, heapBytes: heapUsed, cpuMs: (user + system) / 1_000 };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
