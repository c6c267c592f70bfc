// `troupe model docs`: pages about every resource and type of every version of every service.
import { documentation } from '../../../adapters/ocm/docs/mod.ts';
import { generate } from './output.ts';

export async function run(args: readonly string[]): Promise<number> {
  return await generate('docs', args, {}, documentation);
}
