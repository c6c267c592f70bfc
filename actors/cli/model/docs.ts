// `troupe model docs`: pages about every resource and type of every version of every service.
import { documentation, htmlSite } from '../../../adapters/ocm/docs/mod.ts';
import { generate } from './output.ts';

export async function run(args: readonly string[]): Promise<number> {
  return await generate('docs', args, (model) => {
    const pages = documentation(model);
    return new Map([...pages, ...htmlSite(model, pages)]);
  });
}
