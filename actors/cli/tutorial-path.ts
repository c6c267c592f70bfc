// Path of the tutorial on this machine: it is part of the checkout and of the package.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** From the working directory where it is below it. */
export function tutorialPath(): string {
  const path = fileURLToPath(new URL('../../deploy/tutorial.md', import.meta.url));
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : below;
}
