// `troupe demo`: a landscape of networks comes up and goes again.
import type { Clock } from '../bus/mod.ts';
import type { Config } from './config.ts';

export interface DemoDeps {
  config: Config;
  clock: Clock;
  signal: AbortSignal;
  folder: string;
  keep: boolean;
  out: NodeJS.WriteStream;
}

export async function demo(_deps: DemoDeps): Promise<number> {
  return 1;
}
