// First steps after the start: the tutorial, which is part of the checkout and of the package.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';

/** Realm of the objects in the tutorial. */
const OF_TUTORIAL = 'openstack';

/** From the working directory where it is below it. */
function tutorialPath(): string {
  const path = fileURLToPath(new URL('../../deploy/tutorial.md', import.meta.url));
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : below;
}

/** Next step of a user: the tutorial if its kinds are served, or else the kinds that are. */
export function firstSteps(adapters: readonly Pick<ConfiguredAdapter, 'kinds'>[]): string {
  const kinds = adapters.flatMap((adapter) => adapter.kinds);
  if (kinds.some(({ realm }) => realm === OF_TUTORIAL)) return `  the first steps: ${tutorialPath()}`;
  const [first] = kinds;
  const explained = first === undefined ? '' : `; 'kubectl explain ${first.plural}.spec' lists the fields`;
  return `  kinds: ${kinds.map(({ kind }) => kind).join(', ')}${explained}`;
}
