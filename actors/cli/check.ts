// `troupe check --adapters`: the contracts and the parts of adapters, before anybody runs them.
import type { Adapter } from '../../adapters/api/adapter.ts';
import { plain } from '../base/printable.ts';
import { BUILT_IN, type Texts } from '../process/adapters.ts';
import { checkAdapter } from '../process/check-adapter.ts';

export interface CheckDeps {
  readonly adapters: readonly Adapter[];
  readonly env: Texts;
  readonly out: NodeJS.WritableStream;
}

/** Checks the adapters from outside, if there are any; else all. @returns 0, or 1: something is wrong */
export async function check({ adapters, env, out }: CheckDeps): Promise<number> {
  const own = adapters.filter((adapter) => !BUILT_IN.includes(adapter));
  let count = 0;
  for (const adapter of own.length > 0 ? own : adapters) {
    const others = adapters.filter((each) => each !== adapter);
    const complaints = await checkAdapter(adapter, env, others);
    count += complaints.length;
    const { length } = adapter.contracts;
    const found = complaints.length === 0 ? 'nothing is wrong' : `${complaints.length} wrong`;
    out.write(`${adapter.realm}: ${length} ${length === 1 ? 'kind' : 'kinds'}, ${found}\n`);
    for (const each of complaints) out.write(`  ${plain(each)}\n`);
  }
  return count === 0 ? 0 : 1;
}
