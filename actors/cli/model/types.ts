// `troupe model types`: TypeScript types and a typed client for every version of every service.
import { typeScript } from '../../../adapters/ocm/types/mod.ts';
import { generate } from './output.ts';

export async function run(args: readonly string[]): Promise<number> {
  return await generate('types', args, typeScript);
}
